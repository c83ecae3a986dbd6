// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/jobspec"
	"github.com/gcloud-operator/gcloud-operator/internal/outcome"
)

// patience is how long a run waits for a pod of its Job to be made before it is given up.
const patience = 2 * time.Minute

// brief is how long a run waits, or a command runs, before the status says so: most are over by
// then, and every write of a status costs the API server something.
const brief = 3 * time.Second

// glance is how soon a pod is looked at again that is being deleted: its runner leaves its report in
// the log for some seconds.
const glance = time.Second

// lateness is how much later than its start window a pod is given up: clocks differ.
const lateness = time.Minute

// rule decides, or leaves the decision to the rules after it.
type rule struct {
	name  string
	apply func(*Observation, *Decision) bool
}

// rules is the specification: the first rule that applies decides. A run under way comes to its end
// before anything new begins.
var rules = []rule{
	// Nothing is begun for a resource that is being deleted, and nothing of it is held.
	{"LetGoOfTheDeleted", letGoOfTheDeleted},
	// Nor is anything held of an earlier resource of the same name.
	{"LetGoOfThePredecessor", letGoOfThePredecessor},
	// A run under way whose Job's name is another's object can't go on.
	{"EndWhereTheNameIsTaken", endWhereTheNameIsTaken},
	// A run that has no pod yet and whose spec has changed is none: the newest spec runs.
	{"DropTheSuperseded", dropTheSuperseded},
	// Nor is one whose spec can't be run, by the rules as they are now.
	{"DropTheInvalid", dropTheInvalid},
	// The first of a run is its Job, whose name makes it the only one.
	{"MakeTheJob", makeTheJob},
	// The pod that may execute is chosen once, and written down before it is let go.
	{"ChooseThePod", chooseThePod},
	// A pod that somebody has changed is not let go.
	{"RefuseTheChanged", refuseTheChanged},
	// The chosen pod, and no other, is let go.
	{"LetGoOfTheChosen", letGoOfTheChosen},
	// A run whose pod has ended, or is gone, has ended.
	{"RecordTheEnd", recordTheEnd},
	// A pod that was let go and comes to nothing is given up when it must not start any more.
	{"GiveUpTheLate", giveUpTheLate},
	// A run under way is waited for.
	{"Wait", wait},
	// The pods of runs that have ended are kept no longer.
	{"ReleaseTheEnded", releaseTheEnded},
	// A spec that was run already is not run again, unless its interval has passed.
	{"LeaveTheSame", leaveTheSame},
	// What can't be run is said so.
	{"RefuseTheInvalid", refuseTheInvalid},
	// What is suspended waits.
	{"HoldTheSuspended", holdTheSuspended},
	// Everything else is run.
	{"Begin", begin},
}

// Decide says what the observed resource needs next.
func Decide(o *Observation) Decision {
	d := Decision{Status: *o.Status.DeepCopy()}
	for _, r := range rules {
		if r.apply(o, &d) {
			d.Rule = r.name
			return d
		}
	}
	panic("no rule applies, although the last one always does")
}

func letGoOfTheDeleted(o *Observation, d *Decision) bool {
	if !o.Deleted {
		return false
	}
	d.Release = firstHeld(o.Pods)
	return true
}

func letGoOfThePredecessor(o *Observation, d *Decision) bool {
	d.Release = firstHeld(o.Strangers)
	return d.Release != nil
}

func endWhereTheNameIsTaken(o *Observation, d *Decision) bool {
	if o.current() == nil || o.Taken == "" {
		return false
	}
	message := fmt.Sprintf("the %s exists and is not this resource's: delete it or choose another name, then set the annotation %s",
		o.Taken, v1alpha1.RequestedAtAnnotation)
	end(o, d, outcome.NotLetGo(v1alpha1.ReasonNameConflict, message))
	return true
}

func dropTheSuperseded(o *Observation, d *Decision) bool {
	run := o.current()
	if run == nil || o.Job != nil || run.PodUID != "" || run.Key == o.Key {
		return false
	}
	end(o, d, outcome.NotLetGo(v1alpha1.ReasonNeverStarted, "the spec was changed before the run's Job was made"))
	return true
}

func dropTheInvalid(o *Observation, d *Decision) bool {
	run := o.current()
	if run == nil || o.Job != nil || run.PodUID != "" || o.Refusal == nil {
		return false
	}
	end(o, d, outcome.NotLetGo(o.Refusal.Reason, o.Refusal.Message))
	return true
}

func makeTheJob(o *Observation, d *Decision) bool {
	run := o.current()
	if run == nil || o.Job != nil || run.PodUID != "" {
		return false
	}
	d.MakeInputs = jobspec.InputConfigMaps(o.Plan, o.attempt())
	d.MakeSecret = jobspec.OutputSecret(o.Plan, o.attempt())
	d.MakeJob = jobspec.Job(o.Plan, o.attempt())
	return true
}

func chooseThePod(o *Observation, d *Decision) bool {
	run := o.current()
	if run == nil || run.PodUID != "" {
		return false
	}
	if pod := o.candidate(); pod != nil {
		d.Status.Run.PodName, d.Status.Run.PodUID = pod.Name, pod.UID
		return true
	}
	return false
}

func refuseTheChanged(o *Observation, d *Decision) bool {
	if o.current() == nil || o.Job == nil {
		return false
	}
	pod := o.chosen()
	if pod == nil || !Gated(pod) || pod.DeletionTimestamp != nil {
		return false
	}
	what := jobspec.Changed(&o.Job.Spec.Template, pod)
	if what == "" {
		return false
	}
	d.DeleteJob = o.Job
	end(o, d, outcome.NotLetGo(v1alpha1.ReasonPodChanged, "the pod was changed before it was let go, and so was not: "+what))
	return true
}

func letGoOfTheChosen(o *Observation, d *Decision) bool {
	if o.current() == nil || o.Job == nil {
		return false
	}
	pod := o.chosen()
	if pod == nil || !Gated(pod) || pod.DeletionTimestamp != nil {
		return false
	}
	d.LetGo, d.StartBefore = pod, o.Now.Add(jobspec.StartWindow)
	return true
}

func recordTheEnd(o *Observation, d *Decision) bool {
	run := o.current()
	if run == nil {
		return false
	}
	result := ending(o, run)
	if result.Phase != outcome.Ended {
		return false
	}
	end(o, d, result)
	return true
}

// ending says how far the run has got, whether or not its pod was ever chosen.
func ending(o *Observation, run *v1alpha1.Run) outcome.Outcome {
	if run.PodUID == "" {
		if c := finishedJob(o.Job); c != nil {
			return outcome.NotLetGo(v1alpha1.ReasonNeverStarted, "the Job ended before its pod was let go: "+c.Message)
		}
		return outcome.Outcome{Phase: outcome.Waiting, Reason: v1alpha1.ReasonPending, Message: "The Job was made"}
	}
	pod := o.chosen()
	switch {
	case pod == nil:
		return outcome.Gone()
	case o.Job == nil && Gated(pod):
		return outcome.NotLetGo(v1alpha1.ReasonNeverStarted, "the Job was deleted before its pod was let go")
	}
	return outcome.OfPod(pod, o.attempt().Identity(), o.Log)
}

func giveUpTheLate(o *Observation, d *Decision) bool {
	run := o.current()
	if run == nil {
		return false
	}
	now := ending(o, run)
	switch pod := o.chosen(); {
	case now.Phase != outcome.Waiting:
		return false
	case run.PodUID == "" && o.Now.After(o.Job.CreationTimestamp.Add(patience)):
		end(o, d, outcome.NotLetGo(v1alpha1.ReasonPodRejected, "no pod was made for the Job: `kubectl get events --field-selector involvedObject.name="+
			run.JobName+"` says why (a quota, Pod Security, an admission webhook, a missing ServiceAccount)"))
		return deleteJob(o, d)
	case pod == nil || pod.DeletionTimestamp != nil || !o.Now.After(startBefore(pod).Add(lateness)):
		return false
	case o.Job == nil && metav1.GetControllerOf(pod) == nil:
		end(o, d, outcome.Abandoned())
		return true
	case o.Job == nil: // it was given up, and the garbage collector is on its way
		return false
	}
	setConditions(&d.Status, underWay(v1alpha1.ReasonPending, "Given up: "+now.Message), o.Generation, o.Now)
	return deleteJob(o, d)
}

func deleteJob(o *Observation, d *Decision) bool {
	d.DeleteJob = o.Job
	return true
}

// startBefore is the time before which the pod must have started its command. A pod that has no
// such time never starts it.
func startBefore(pod *corev1.Pod) time.Time {
	at, err := time.Parse(time.RFC3339, pod.Annotations[v1alpha1.StartBeforeAnnotation])
	if err != nil {
		return pod.CreationTimestamp.Time
	}
	return at
}

func wait(o *Observation, d *Decision) bool {
	run := o.current()
	if run == nil {
		return false
	}
	now := ending(o, run)
	if pod := o.chosen(); pod != nil && outcome.Leaving(pod) {
		d.After = glance // its log is read meanwhile
		return true
	}
	since := run.QueuedTime.Time
	if now.Phase == outcome.Running {
		since = now.Started
	}
	if left := brief - o.Now.Sub(since); left > 0 {
		d.After = left
		return true
	}
	if now.Phase == outcome.Running && run.StartTime == nil {
		d.Status.Run.StartTime = new(metav1.NewTime(now.Started))
	}
	if now.Phase == outcome.Waiting {
		d.After = lateness
	}
	setConditions(&d.Status, underWay(now.Reason, now.Message), o.Generation, o.Now)
	return true
}

func releaseTheEnded(o *Observation, d *Decision) bool {
	d.Release = firstHeld(o.Pods)
	return d.Release != nil
}

func firstHeld(pods []corev1.Pod) *corev1.Pod {
	for i := range pods {
		if HoldsReport(&pods[i]) {
			return &pods[i]
		}
	}
	return nil
}

func leaveTheSame(o *Observation, d *Decision) bool {
	if o.Status.Run == nil || o.Status.Run.Key != o.Key {
		return false
	}
	if o.Interval > 0 {
		if d.After = o.due().Sub(o.Now); d.After <= 0 {
			d.After = 0
			return false
		}
	}
	setConditions(&d.Status, stateOfEnd(o.Status.Run.Reason, o.Status.Run.Message), o.Generation, o.Now)
	return true
}

func refuseTheInvalid(o *Observation, d *Decision) bool {
	if o.Refusal == nil {
		return false
	}
	setConditions(&d.Status, failed(o.Refusal.Reason, o.Refusal.Message), o.Generation, o.Now)
	return true
}

func holdTheSuspended(o *Observation, d *Decision) bool {
	if !o.Suspended {
		return false
	}
	setConditions(&d.Status, suspended(), o.Generation, o.Now)
	return true
}

func begin(o *Observation, d *Decision) bool {
	run := &v1alpha1.Run{Number: 1, Key: o.Key, Attempt: 1, QueuedTime: metav1.NewTime(o.Now), SecretName: o.Plan.OutputSecret}
	if o.Status.Run != nil {
		run.Number = o.Status.Run.Number + 1
	}
	run.JobName = jobspec.AttemptOf(o.Owner, run).JobName()
	d.Status.Run, d.Begun = run, true
	d.Status.LastHandledRequest, d.Status.LastHandledReconcileAt = o.Request, o.ReconcileAt
	setConditions(&d.Status, underWay(v1alpha1.ReasonPending, "The run was queued"), o.Generation, o.Now)
	return true
}
