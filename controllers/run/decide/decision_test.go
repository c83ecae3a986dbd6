// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/jobspec"
)

func TestRunIsBegunWithTheNextNumber(t *testing.T) {
	for name, c := range map[string]struct {
		seen *Observation
		want int64
	}{
		"the first":                    {observe(), 1},
		"after an edit":                {observe(over(v1alpha1.ReasonSucceeded), edited), 2},
		"after a failure and an edit":  {observe(over(v1alpha1.ReasonResultLost), edited), 2},
		"back to a spec of before":     {observe(over(v1alpha1.ReasonSucceeded), func(o *Observation) { o.Status.Run.Number, o.Status.Run.Key = 7, "key-0" }), 8},
		"after one that was refused":   {observe(over(v1alpha1.ReasonPodRejected), edited), 2},
		"the request is another's now": {observe(over(v1alpha1.ReasonSucceeded), edited, func(o *Observation) { o.Request, o.ReconcileAt = "now", "then" }), 2},
	} {
		t.Run(name, func(t *testing.T) {
			d := Decide(c.seen)
			run := d.Status.Run
			if !d.Begun || run.Number != c.want || run.Attempt != 1 || run.Key != c.seen.Key || run.PodUID != "" || run.Ended() {
				t.Errorf("got %+v, begun: %t", run, d.Begun)
			}
			if want := jobspec.AttemptOf(c.seen.Owner, run).JobName(); run.JobName != want || !run.QueuedTime.Time.Equal(c.seen.Now) {
				t.Errorf("got Job %s, queued at %s", run.JobName, run.QueuedTime)
			}
			if d.Status.LastHandledRequest != c.seen.Request || d.Status.LastHandledReconcileAt != c.seen.ReconcileAt {
				t.Errorf("got the handled requests %q and %q", d.Status.LastHandledRequest, d.Status.LastHandledReconcileAt)
			}
			if d.Writes() || d.Outcome != nil {
				t.Errorf("the number isn't written down before anything is made: %+v", d)
			}
		})
	}
}

func TestJobIsMadeUnderTheNameThatIsWrittenDown(t *testing.T) {
	seen := observe(queued, func(o *Observation) { o.Plan.Inputs = []jobspec.InputFile{{Path: "a", Contents: "1"}} })
	d := Decide(seen)
	if d.MakeJob.Name != seen.Status.Run.JobName || len(d.MakeInputs) != 1 {
		t.Errorf("got Job %s and %d ConfigMaps, want Job %s", d.MakeJob.Name, len(d.MakeInputs), seen.Status.Run.JobName)
	}
}

func TestOldestPodIsChosen(t *testing.T) {
	d := Decide(observe(podMade, pod("pod-2", "list-y"), func(o *Observation) { o.Pods[0], o.Pods[1] = o.Pods[1], o.Pods[0] }))
	if d.Status.Run.PodUID != podUID || d.Status.Run.PodName != "list-x" || d.Writes() {
		t.Errorf("got %s %s, and a write: %t", d.Status.Run.PodName, d.Status.Run.PodUID, d.Writes())
	}
}

func TestOnlyTheChosenPodIsLetGo(t *testing.T) {
	seen := observe(chosen, pod("pod-2", "list-y"), func(o *Observation) { o.Pods[0], o.Pods[1] = o.Pods[1], o.Pods[0] })
	d := Decide(seen)
	if d.LetGo == nil || d.LetGo.UID != podUID || !d.StartBefore.Equal(noon.Add(jobspec.StartWindow)) {
		t.Errorf("got %+v until %s", d.LetGo, d.StartBefore)
	}
}

func TestEndIsWrittenDown(t *testing.T) {
	for name, c := range map[string]struct {
		seen      *Observation
		reason    string
		started   time.Time
		completed time.Time
		duration  string
		deletes   bool
	}{
		"of a command":                      {observe(endedWith(t, 0), after(2*time.Hour)), v1alpha1.ReasonSucceeded, noon.Add(time.Hour), noon.Add(time.Hour + 2*time.Minute), "2m0s", false},
		"of a pod that is gone":             {observe(letGo, podsGone, after(time.Minute)), v1alpha1.ReasonResultLost, time.Time{}, noon.Add(time.Minute), "", false},
		"of a pod that was gated":           {observe(chosen, thePod(podDeleted)), v1alpha1.ReasonNeverStarted, time.Time{}, noon, "", false},
		"of a pod that was changed":         {observe(chosen, thePod(podSwapped)), v1alpha1.ReasonPodChanged, time.Time{}, noon, "", true},
		"of a Job that no pod came of":      {observe(jobMade, after(time.Hour)), v1alpha1.ReasonPodRejected, time.Time{}, noon.Add(time.Hour), "", true},
		"of a Job that ended without a pod": {observe(jobMade, jobEnded(batchv1.JobFailed, "")), v1alpha1.ReasonNeverStarted, time.Time{}, noon, "", false},
		"of a Job whose name is another's":  {observe(queued, taken), v1alpha1.ReasonNameConflict, time.Time{}, noon, "", false},
		"of a run that an edit came before": {observe(queued, edited), v1alpha1.ReasonNeverStarted, time.Time{}, noon, "", false},
		"of a run that a rule came before":  {observe(queued, invalid), v1alpha1.ReasonInvalidSpec, time.Time{}, noon, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			d := Decide(c.seen)
			run := d.Status.Run
			if run.Reason != c.reason || run.Message == "" || d.Outcome == nil || d.Outcome.Reason != c.reason || !run.Ended() {
				t.Errorf("got %s (%s), outcome %+v", run.Reason, run.Message, d.Outcome)
			}
			if timeOf(run.StartTime) != c.started || timeOf(run.CompletionTime) != c.completed || run.Duration != c.duration {
				t.Errorf("got from %s to %s: %q", timeOf(run.StartTime), timeOf(run.CompletionTime), run.Duration)
			}
			if (d.DeleteJob != nil) != c.deletes {
				t.Errorf("deletes the Job: %t", d.DeleteJob != nil)
			}
			if ran := c.reason == v1alpha1.ReasonSucceeded || c.reason == v1alpha1.ReasonResultLost; d.Outcome.NeverRan == ran {
				t.Errorf("never ran: %t", d.Outcome.NeverRan)
			}
		})
	}
}

func timeOf(t *metav1.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.Time
}

func TestPodIsGivenUpBeforeItsRunIs(t *testing.T) {
	d := Decide(observe(letGo, after(time.Hour)))
	if d.DeleteJob == nil || d.Status.Run.Ended() || d.Outcome != nil {
		t.Errorf("got %+v: how it ends only the pod says", d)
	}
}

func TestReportsAreLetGoOneAfterTheOther(t *testing.T) {
	seen := observe(endedWith(t, 0), pod("pod-2", "list-y"), over(v1alpha1.ReasonSucceeded))
	for _, want := range []string{"list-x", "list-y"} {
		d := Decide(seen)
		if d.Release == nil || d.Release.Name != want {
			t.Fatalf("%s: got %+v, want %s", d.Rule, d.Release, want)
		}
		for i := range seen.Pods {
			if seen.Pods[i].Name == want {
				seen.Pods[i].Finalizers = []string{"batch.kubernetes.io/job-tracking"}
			}
		}
	}
	if d := Decide(seen); d.Release != nil {
		t.Errorf("%s: lets go of %s, which holds nothing of ours", d.Rule, d.Release.Name)
	}
}

func TestWhenToLookAgain(t *testing.T) {
	for name, c := range map[string]struct {
		seen *Observation
		want time.Duration
	}{
		"the Job was just made":                  {observe(jobMade, after(time.Second)), brief - time.Second},
		"no pod came yet":                        {observe(jobMade, after(brief)), lateness},
		"the pod waits":                          {observe(letGo, after(brief)), lateness},
		"the command has just started":           {observe(started, after(time.Hour+time.Second)), brief - time.Second},
		"the command runs: its end is an event":  {observe(started, after(time.Hour+brief)), 0},
		"the pod is being deleted while it runs": {observe(started, thePod(podDeleted), after(time.Hour+time.Minute)), glance},
		"the run is over":                        {observe(over(v1alpha1.ReasonSucceeded)), 0},
		"the resource is suspended":              {observe(suspend), 0},
		"the spec can't be run":                  {observe(invalid), 0},
	} {
		if d := Decide(c.seen); d.After != c.want {
			t.Errorf("%s: %s looks again after %s, want %s", name, d.Rule, d.After, c.want)
		}
	}
}

func TestStatusSaysThatTheCommandRunsOnlyAfterAWhile(t *testing.T) {
	early, late := Decide(observe(started, after(time.Hour+time.Second))), Decide(observe(started, after(time.Hour+brief)))
	if early.Status.Run.StartTime != nil || len(early.Status.Conditions) > 0 {
		t.Errorf("after a second: got %+v", early.Status)
	}
	if !timeOf(late.Status.Run.StartTime).Equal(noon.Add(time.Hour)) {
		t.Errorf("after %s: got %+v", brief, late.Status.Run)
	}
}

func TestOnlyOwnFinalizerHolds(t *testing.T) {
	for name, c := range map[string]struct {
		finalizers []string
		want       bool
	}{
		"none":               {nil, false},
		"another's":          {[]string{"batch.kubernetes.io/job-tracking"}, false},
		"ours":               {[]string{v1alpha1.ReportFinalizer}, true},
		"ours and another's": {[]string{"batch.kubernetes.io/job-tracking", v1alpha1.ReportFinalizer}, true},
	} {
		if got := HoldsReport(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Finalizers: c.finalizers}}); got != c.want {
			t.Errorf("%s: got %t", name, got)
		}
	}
}

func TestTheSameIsRunAgainWhenItsIntervalHasPassed(t *testing.T) {
	hourly := func(o *Observation) {
		over(v1alpha1.ReasonSucceeded)(o)
		o.Interval = time.Hour
		o.Status.Run.CompletionTime = new(metav1.NewTime(noon))
	}
	due := observe(hourly).due()
	if wait := due.Sub(noon); wait < time.Hour || wait > time.Hour+6*time.Minute {
		t.Fatalf("it is due after %s, want an hour and up to a tenth", wait)
	}
	early := Decide(observe(hourly, after(time.Minute)))
	if early.Begun || early.After != due.Sub(noon)-time.Minute {
		t.Errorf("after a minute: begun %v, looks again after %s", early.Begun, early.After)
	}
	late := Decide(observe(hourly, func(o *Observation) { o.Now = due }))
	if !late.Begun || late.Status.Run.Number != 2 {
		t.Errorf("when it is due: %s, run %d", late.Rule, late.Status.Run.Number)
	}
	if d := Decide(observe(hourly, suspend, func(o *Observation) { o.Now = due })); d.Begun {
		t.Error("a suspended resource is run again")
	}
	if d := Decide(observe(hourly, func(o *Observation) { o.Interval, o.Now = 0, due })); d.Begun {
		t.Error("without an interval, it is run again")
	}
}
