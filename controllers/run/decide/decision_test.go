// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
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

func TestWhoWaitsForATurnIsToldHowManyGoFirst(t *testing.T) {
	for wants, seen := range map[string]*Observation{
		"allows 5 runs of a namespace at a time, and 5 are under way":                            observe(queued, full),
		"allows 5 runs of a namespace at a time, 4 are under way, and others have waited longer": observe(queued, behind),
	} {
		d := Decide(seen)
		for _, kind := range []string{v1alpha1.ConditionReady, v1alpha1.ConditionReconciling} {
			c := meta.FindStatusCondition(d.Status.Conditions, kind)
			if c == nil || c.Reason != v1alpha1.ReasonQueued || !strings.Contains(c.Message, wants) {
				t.Errorf("%s is %+v, want a message with %q", kind, c, wants)
			}
		}
		if d.Writes() || d.Outcome != nil || d.After == 0 {
			t.Errorf("whoever waits does nothing, and looks again: %+v", d)
		}
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
		"of a pod that was changed":         {observe(chosen, thePod(podSwapped), thePod(podDeleted)), v1alpha1.ReasonPodChanged, time.Time{}, noon, "", false},
		"of a pod that was cancelled":       {observe(chosen, cancelled, thePod(podDeleted)), v1alpha1.ReasonCancelled, time.Time{}, noon, "", false},
		"of a run that was cancelled":       {observe(jobMade, cancelled), v1alpha1.ReasonCancelled, time.Time{}, noon, "", true},
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
	seen := observe(letGo, after(time.Hour))
	d := Decide(seen)
	if d.Status.Run.GivenUp == nil || d.Writes() || d.Outcome != nil {
		t.Fatalf("%s: got %+v, want that it is written down first why", d.Rule, d)
	}
	seen.Status = d.Status
	if d = Decide(seen); d.DeleteJob == nil || d.Status.Run.Ended() || d.Outcome != nil {
		t.Errorf("%s: got %+v: how it ends only the pod says", d.Rule, d)
	}
}

func TestWhatWasGivenUpEndsWithItsReason(t *testing.T) {
	pulling := corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff", Message: "no such image"}}
	seen := observe(letGo, inState(pulling), sinceNoon, after(time.Minute))
	seen.Status = Decide(seen).Status
	if message := meta.FindStatusCondition(Decide(seen).Status.Conditions, v1alpha1.ConditionReady).Message; !strings.Contains(message, "no such image") {
		t.Errorf("while it ends it says %q", message)
	}
	// So a kubelet reports the end of a container that was never made.
	inState(corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: "ContainerStatusUnknown", ExitCode: 137}})(seen)
	seen.Pods[0].Status.Phase = corev1.PodFailed
	d := Decide(seen)
	if run := d.Status.Run; run.Reason != v1alpha1.ReasonImagePullFailed || !d.Outcome.NeverRan || !strings.Contains(run.Message, "no such image") {
		t.Errorf("%s says %s (%s)", d.Rule, run.Reason, run.Message)
	}
}

func TestReportsAreLetGoOneAfterTheOther(t *testing.T) {
	seen := observe(endedWith(t, 0), leftOver, over(v1alpha1.ReasonSucceeded))
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
	pulling := corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ErrImagePull"}}
	for name, c := range map[string]struct {
		seen *Observation
		want time.Duration
	}{
		"the Job was just made": {observe(jobMade, after(time.Second)), brief - time.Second},
		"no pod came yet":       {observe(jobMade, after(brief)), recheck},
		"the Job is refused":    {observe(queued, overQuota, after(brief)), recheck},
		"the pod waits":         {observe(letGo, after(brief)), lateness},
		"the command runs, and its pod has lost its label": {observe(started, after(time.Hour+brief), func(o *Observation) { o.Unwatched = true }), recheck},
		"the image can't be pulled":                        {observe(letGo, inState(pulling), sinceNoon, after(10*time.Second)), imagePatience - 10*time.Second},
		"the command has just started":                     {observe(started, after(time.Hour+time.Second)), brief - time.Second},
		"the command runs: its end is an event":            {observe(started, after(time.Hour+brief)), 0},
		"the pod is being deleted while it runs":           {observe(started, thePod(podDeleted), after(time.Hour+time.Minute)), glance},
		"the run is over":                                  {observe(over(v1alpha1.ReasonSucceeded)), 0},
		"the resource is suspended":                        {observe(suspend), 0},
		"the spec can't be run":                            {observe(invalid), 0},
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

func TestCommandIsStoppedByTheDeletionOfItsJob(t *testing.T) {
	d := Decide(observe(started, cancelled, after(time.Hour)))
	if d.DeleteJob == nil || d.Outcome != nil || d.Status.Run.Ended() {
		t.Errorf("%s: got %+v: how it ends only the pod says", d.Rule, d)
	}
}

func TestACancelledRunSaysThatItsCommandWasNeverStarted(t *testing.T) {
	for name, seen := range map[string]*Observation{
		"it had no pod":        observe(jobMade, cancelled),
		"its pod was let wait": observe(chosen, cancelled, thePod(podDeleted)),
	} {
		t.Run(name, func(t *testing.T) {
			if got := Decide(seen).Status.Run.Message; !strings.Contains(got, "never started") {
				t.Errorf("the message leaves open whether the command may have acted: %s", got)
			}
		})
	}
}

func TestWhatACancelledCommandReportsIsItsEnd(t *testing.T) {
	for name, c := range map[string]struct {
		seen   *Observation
		reason string
	}{
		"it was stopped":                           {observe(stopped(t), cancelled), v1alpha1.ReasonCancelled},
		"it was quicker, and went well":            {observe(endedWith(t, 0), cancelled), v1alpha1.ReasonSucceeded},
		"it was quicker, and failed":               {observe(endedWith(t, 1), cancelled), v1alpha1.ReasonCommandFailed},
		"it was stopped, and nobody cancelled it":  {observe(stopped(t)), v1alpha1.ReasonTerminated},
		"its pod is gone, and so is what it said":  {observe(letGo, podsGone, cancelled), v1alpha1.ReasonResultLost},
		"it was stopped, and another is cancelled": {observe(stopped(t), func(o *Observation) { o.Cancel = "2" }), v1alpha1.ReasonTerminated},
	} {
		if d := Decide(c.seen); d.Status.Run.Reason != c.reason || d.Outcome == nil {
			t.Errorf("%s: %s says %s (%s), want %s", name, d.Rule, d.Status.Run.Reason, d.Status.Run.Message, c.reason)
		}
	}
}

func TestARunThatIsCancelledBetweenAttemptsIsCancelledInTheHistoryToo(t *testing.T) {
	d := Decide(observe(again, cancelled, func(o *Observation) {
		o.Status.History = []v1alpha1.PastRun{{Number: 1, Attempt: 1, Reason: v1alpha1.ReasonImagePullFailed}}
	}))
	if got := d.Status.History; len(got) != 1 || got[0].Reason != v1alpha1.ReasonCancelled || d.Status.Run.Reason != v1alpha1.ReasonCancelled {
		t.Errorf("%s: the run ended with %s, its history is %+v", d.Rule, d.Status.Run.Reason, got)
	}
}

func TestARequestIsHandledByARefusal(t *testing.T) {
	for name, seen := range map[string]*Observation{
		"of a new resource": observe(invalid),
		"after a run":       observe(over(v1alpha1.ReasonSucceeded), edited, invalid),
	} {
		seen.Request, seen.ReconcileAt = "now", "then"
		if s := Decide(seen).Status; s.LastHandledRequest != "now" || s.LastHandledReconcileAt != "then" {
			t.Errorf("%s: handled are %q and %q", name, s.LastHandledRequest, s.LastHandledReconcileAt)
		}
	}
}

func TestWhatNeverStartedIsTriedAgain(t *testing.T) {
	limit := func(n int32) change {
		return func(o *Observation) { o.Retry = Retry{Limit: n, Backoff: 10 * time.Second} }
	}
	attempt := func(n int32) change { return func(o *Observation) { o.Status.Run.Attempt = n } }
	onFailure := func(o *Observation) { o.Retry.On = []string{v1alpha1.ReasonCommandFailed} }
	late := after(time.Hour)
	for name, c := range map[string]struct {
		seen *Observation
		want time.Duration // after now; 0 for never
	}{
		"no pod came":                                  {observe(jobMade, limit(3), late), 10 * time.Second},
		"no pod came, the second time":                 {observe(jobMade, limit(3), attempt(2), late), 20 * time.Second},
		"no pod came, the last time":                   {observe(jobMade, limit(3), attempt(4), late), 0},
		"no pod came, and nothing is tried again":      {observe(jobMade, limit(0), late), 0},
		"the waits grow up to an hour":                 {observe(jobMade, limit(10), attempt(10), late), maxBackoff},
		"the pod was deleted while it was gated":       {observe(chosen, limit(3), thePod(podDeleted), late), 10 * time.Second},
		"the pod was changed":                          {observe(chosen, limit(3), thePod(podSwapped), thePod(podDeleted), late), 10 * time.Second},
		"there was nobody to act as":                   {observe(nobody(t), limit(3), late), 10 * time.Second},
		"the command failed":                           {observe(endedWith(t, 1), limit(3)), 0},
		"the command failed, and may be repeated":      {observe(endedWith(t, 1), limit(3), onFailure, late), 10 * time.Second},
		"the command went well, and might be repeated": {observe(endedWith(t, 0), limit(3), onFailure), 0},
		"the command was stopped":                      {observe(stopped(t), limit(3), onFailure), 0},
		"the pod is gone: it may have acted":           {observe(letGo, podsGone, limit(3), onFailure), 0},
		"the run was cancelled":                        {observe(jobMade, limit(3), cancelled), 0},
		"the Job's name is another's":                  {observe(queued, limit(3), taken), 0},
		"the spec was changed":                         {observe(queued, limit(3), edited), 0},
		"the rules were changed":                       {observe(queued, limit(3), invalid), 0},
	} {
		d := Decide(c.seen)
		got := timeOf(d.Status.Run.RetryTime)
		if d.Outcome == nil || got.IsZero() != (c.want == 0) || c.want > 0 && got.Sub(c.seen.Now) != c.want {
			t.Errorf("%s: %s tries again at %s, want %s after %s", name, d.Rule, got, c.want, c.seen.Now)
		}
	}
}

func TestAnotherAttemptIsAnotherJobOfTheSameRun(t *testing.T) {
	early := Decide(observe(again, after(4*time.Minute)))
	if early.Begun || early.After != 6*time.Minute {
		t.Errorf("before its time: %s, looks again after %s", early.Rule, early.After)
	}
	seen := observe(again, after(10*time.Minute))
	d := Decide(seen)
	run := d.Status.Run
	if !d.Begun || run.Number != 1 || run.Attempt != 2 || run.Ended() || run.RetryTime != nil || run.JobName == seen.Status.Run.JobName {
		t.Errorf("when it is due: %s, %+v", d.Rule, run)
	}
}

func TestWhatTheClusterRefusesSaysWhy(t *testing.T) {
	for name, seen := range map[string]*Observation{
		"the Job, for a while":           observe(queued, overQuota, after(brief)),
		"its pod, for a while":           observe(jobMade, overQuota, after(brief)),
		"the Job, for too long":          observe(queued, overQuota, after(time.Hour)),
		"its pod, for too long":          observe(jobMade, overQuota, after(time.Hour)),
		"its pod, and it is tried again": observe(jobMade, overQuota, patient, after(time.Hour)),
	} {
		d := Decide(seen)
		for _, c := range d.Status.Conditions {
			if c.Reason != v1alpha1.ReasonQuotaExceeded || !strings.Contains(c.Message, "exceeded quota: few") {
				t.Errorf("%s: %s says %+v", name, d.Rule, c)
			}
		}
	}
}

func TestLateReportTakesThePlaceOfTheLostOne(t *testing.T) {
	seen := observe(endedWith(t, 0), over(v1alpha1.ReasonNodeLost), func(o *Observation) {
		o.Status.History = []v1alpha1.PastRun{{Number: 1, Attempt: 1, Reason: v1alpha1.ReasonNodeLost}}
	})
	d := Decide(seen)
	if d.Outcome == nil || d.Status.Run.Reason != v1alpha1.ReasonSucceeded || len(d.Status.History) != 1 || d.Status.History[0].Reason != v1alpha1.ReasonSucceeded {
		t.Errorf("%s: got %+v, history %+v", d.Rule, d.Status.Run, d.Status.History)
	}
}

func TestHistoryKeepsTheLastTen(t *testing.T) {
	seen := observe(endedWith(t, 3), func(o *Observation) {
		for n := range int64(v1alpha1.MaxHistory) {
			o.Status.History = append(o.Status.History, v1alpha1.PastRun{Number: -n})
		}
	})
	history := Decide(seen).Status.History
	newest := history[0]
	if len(history) != v1alpha1.MaxHistory || history[1].Number != 0 || newest.Number != 1 || newest.Attempt != 1 || newest.Reason != v1alpha1.ReasonCommandFailed ||
		newest.ExitCode == nil || *newest.ExitCode != 3 || newest.StartTime == nil || newest.CompletionTime.IsZero() {
		t.Errorf("got %+v", history)
	}
}

func TestExitCodesThatCountAsSuccess(t *testing.T) {
	codes := func(c ...int32) change { return func(o *Observation) { o.SuccessExitCodes = c } }
	for name, c := range map[string]struct {
		seen *Observation
		want string
	}{
		"one that is named":                      {observe(endedWith(t, 3), codes(0, 3)), v1alpha1.ReasonSucceeded},
		"one that isn't":                         {observe(endedWith(t, 1), codes(0, 3)), v1alpha1.ReasonCommandFailed},
		"0, which is named":                      {observe(endedWith(t, 0), codes(0, 3)), v1alpha1.ReasonSucceeded},
		"0, which isn't":                         {observe(endedWith(t, 0), codes(3)), v1alpha1.ReasonCommandFailed},
		"0, when none are named":                 {observe(endedWith(t, 0)), v1alpha1.ReasonSucceeded},
		"that of a command which was terminated": {observe(stopped(t), codes(0, 143)), v1alpha1.ReasonTerminated},
	} {
		if d := Decide(c.seen); d.Status.Run.Reason != c.want {
			t.Errorf("%s: got %s (%s), want %s", name, d.Status.Run.Reason, d.Status.Run.Message, c.want)
		}
	}
}

func TestWhatIsHeldRunsWhenItIsAskedFor(t *testing.T) {
	seen := observe(hold, func(o *Observation) { o.Request = "from Git" }, isHeld)
	if d := Decide(seen); d.Begun || d.Status.LastHandledRequest != "from Git" {
		t.Fatalf("an annotation that it came with runs it: %s", d.Rule)
	}
	seen.Request = "now"
	if d := Decide(seen); !d.Begun || d.Status.LastHandledRequest != "now" {
		t.Errorf("%s: got %+v", d.Rule, d.Status)
	}
}

// An old cache knows neither of a run that was begun since, nor of a resource that was made anew.
func TestWhatWouldHarmANewerRunIsDoneOnlyIfThereIsNone(t *testing.T) {
	for name, c := range map[string]struct {
		seen *Observation
		want bool
	}{
		"the report of the run that is over is read": {observe(endedWith(t, 0), over(v1alpha1.ReasonSucceeded)), false},
		"another pod is held":                        {observe(endedWith(t, 0), leftOver, over(v1alpha1.ReasonSucceeded), thePod(podReleased)), true},
		"another pod waits":                          {observe(endedWith(t, 0), leftOver, noneHeld, over(v1alpha1.ReasonSucceeded)), true},
		"a pod of what may be an earlier resource":   {observe(stranger), true},
		"a Job is made for what may have ended":      {observe(queued), true},
		"a run is dropped whose spec was changed":    {observe(jobMade, edited), true},
		"a run is given up that has no pod":          {observe(jobMade, after(time.Hour)), true},
		"a pod isn't let go because of another spec": {observe(chosen, edited), true},
		"a pod of a resource that is on its way out": {observe(podMade, deleted), false},
	} {
		if d := Decide(c.seen); !d.Writes() || d.OnlyIfNewest != c.want {
			t.Errorf("%s: %s writes: %t, only if newest: %t, want %t", name, d.Rule, d.Writes(), d.OnlyIfNewest, c.want)
		}
	}
}
