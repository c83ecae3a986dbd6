// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"slices"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/jobspec"
)

// wants says whether the rule would decide if its turn came.
func (r rule) wants(o *Observation) bool {
	return r.apply(o, &Decision{Status: *o.Status.DeepCopy()})
}

func ruleNamed(t *testing.T, name string) rule {
	t.Helper()
	i := slices.IndexFunc(rules, func(r rule) bool { return r.name == name })
	if i < 0 {
		t.Fatalf("there is no rule %s", name)
	}
	return rules[i]
}

// ruleCase is an observation that a rule applies to, or doesn't.
type ruleCase struct {
	rule    string
	when    string
	seen    *Observation
	applies bool
}

func TestRulesApplyWhereTheyShould(t *testing.T) {
	tested := map[string]map[bool]bool{"Begin": {false: true}} // the last one always applies
	for _, c := range ruleCases(t) {
		t.Run(c.rule+"/"+c.when, func(t *testing.T) {
			if got := ruleNamed(t, c.rule).wants(c.seen); got != c.applies {
				t.Errorf("applies: %t, want %t", got, c.applies)
			}
		})
		if tested[c.rule] == nil {
			tested[c.rule] = map[bool]bool{}
		}
		tested[c.rule][c.applies] = true
	}
	for _, r := range rules {
		if !tested[r.name][true] || !tested[r.name][false] {
			t.Errorf("%s needs a case in which it applies, and one in which it doesn't", r.name)
		}
	}
}

func ruleCases(t *testing.T) []ruleCase {
	t.Helper()
	waiting := corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff"}}
	hopeless := corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "InvalidImageName"}}
	return []ruleCase{
		{"LetGoOfTheDeleted", "the resource is being deleted", observe(deleted), true},
		{"LetGoOfTheDeleted", "the resource is there", observe(), false},

		{"LetGoOfThePredecessor", "a pod of an earlier resource holds its report", observe(stranger), true},
		{"LetGoOfThePredecessor", "a pod of an earlier resource holds nothing", observe(stranger, func(o *Observation) { o.Strangers[0].Finalizers = nil }), false},
		{"LetGoOfThePredecessor", "its own pod holds its report", observe(podMade), false},

		{"EndWhereTheNameIsTaken", "the Job's name is another's", observe(queued, taken), true},
		{"EndWhereTheNameIsTaken", "the name is free", observe(queued), false},
		{"EndWhereTheNameIsTaken", "the name is another's by now, but a pod was chosen", observe(letGo, jobGone, taken), false},
		{"EndWhereTheNameIsTaken", "the run is over", observe(over(v1alpha1.ReasonNameConflict), taken), false},

		{"DropTheUnwanted", "the spec changed before the Job was made", observe(queued, edited), true},
		{"DropTheUnwanted", "the spec changed before the Job had a pod", observe(jobMade, edited), true},
		{"DropTheUnwanted", "the rules have changed before the Job was made", observe(queued, invalid), true},
		{"DropTheUnwanted", "the run is cancelled before the Job had a pod", observe(jobMade, cancelled), true},
		{"DropTheUnwanted", "another run is cancelled", observe(queued, func(o *Observation) { o.Cancel = "2" }), false},
		{"DropTheUnwanted", "the spec is the same", observe(queued), false},
		{"DropTheUnwanted", "something else changed", observe(queued, relabelled), false},
		{"DropTheUnwanted", "a pod was chosen", observe(chosen, edited), false},
		{"DropTheUnwanted", "the Job is gone, but its pod was chosen", observe(chosen, jobGone, edited), false},
		{"DropTheUnwanted", "the run is over", observe(over(v1alpha1.ReasonSucceeded), edited), false},
		{"DropTheUnwanted", "no run is under way", observe(invalid), false},

		{"HoldTheQueued", "the resource is suspended while its run waits", observe(queued, full, suspend), true},
		{"HoldTheQueued", "the resource is suspended before the Job was made", observe(queued, suspend), true},
		{"HoldTheQueued", "the Job is there", observe(jobMade, suspend), false},
		{"HoldTheQueued", "the resource is not suspended", observe(queued, full), false},
		{"HoldTheQueued", "no run is under way", observe(suspend), false},

		{"WaitForATurn", "as many runs as may be are under way", observe(queued, full), true},
		{"WaitForATurn", "there is room, but for one that has waited longer", observe(queued, behind), true},
		{"WaitForATurn", "more are under way, since the limit was lowered", observe(queued, func(o *Observation) { o.Turn = Turn{Limit: 5, Running: 7} }), true},
		{"WaitForATurn", "there is room", observe(queued, func(o *Observation) { o.Turn = Turn{Limit: 5, Running: 4} }), false},
		{"WaitForATurn", "there is no limit", observe(queued), false},
		{"WaitForATurn", "its own Job is one of them", observe(jobMade, full), false},
		{"WaitForATurn", "its turn had come, and the cluster refused the Job", observe(queued, full, overQuota), false},
		{"WaitForATurn", "no run is under way", observe(full), false},

		{"MakeTheJob", "a run is queued", observe(queued), true},
		{"MakeTheJob", "the Job is there", observe(jobMade), false},
		{"MakeTheJob", "the cluster has just refused it", observe(queued, overQuota), false},
		{"MakeTheJob", "the Job is gone, but its pod was chosen", observe(chosen, jobGone), false},
		{"MakeTheJob", "no run is under way", observe(), false},

		{"ChooseThePod", "the Job's pod is there", observe(podMade), true},
		{"ChooseThePod", "no pod is there", observe(jobMade), false},
		{"ChooseThePod", "one was chosen already", observe(chosen), false},
		{"ChooseThePod", "the chosen one is gone, and the Job has another", observe(chosen, pod("pod-2", "list-y"), func(o *Observation) { o.Pods = o.Pods[1:] }), false},
		{"ChooseThePod", "the only pod is being deleted", observe(podMade, thePod(podDeleted)), false},
		{"ChooseThePod", "the only pod is not the Job's", observe(podMade, thePod(func(p *corev1.Pod) { p.OwnerReferences[0].UID = "job-0" })), false},
		{"ChooseThePod", "the only pod has no owner", observe(podMade, thePod(func(p *corev1.Pod) { p.OwnerReferences = nil })), false},

		{"CorrectTheLost", "a node that was given up is back, with the report", observe(endedWith(t, 0), over(v1alpha1.ReasonNodeLost)), true},
		{"CorrectTheLost", "the node is back, and the command runs still", observe(started, over(v1alpha1.ReasonNodeLost)), false},
		{"CorrectTheLost", "the pod is gone", observe(letGo, podsGone, over(v1alpha1.ReasonNodeLost)), false},
		{"CorrectTheLost", "the run ended otherwise", observe(endedWith(t, 0), over(v1alpha1.ReasonTerminated)), false},
		{"CorrectTheLost", "no run has ended", observe(endedWith(t, 0)), false},
		{"CorrectTheLost", "nothing was run", observe(), false},

		{"StopTheUnwanted", "somebody changed the gated pod's image", observe(chosen, thePod(podSwapped)), true},
		{"StopTheUnwanted", "the spec changed before the pod was let go", observe(chosen, edited), true},
		{"StopTheUnwanted", "the rules changed before the pod was let go", observe(chosen, invalid), true},
		{"StopTheUnwanted", "the run is cancelled before its pod was let go", observe(chosen, cancelled), true},
		{"StopTheUnwanted", "the run is cancelled while its command runs", observe(started, cancelled), true},
		{"StopTheUnwanted", "the run is cancelled, and its Job is gone already", observe(started, cancelled, jobGone), false},
		{"StopTheUnwanted", "the spec changed while the command runs", observe(started, edited), false},
		{"StopTheUnwanted", "the pod is as it was made", observe(chosen), false},
		{"StopTheUnwanted", "it was changed after it was let go", observe(letGo, thePod(podSwapped)), false},
		{"StopTheUnwanted", "another pod was changed", observe(chosen, pod("pod-2", "list-y"), func(o *Observation) { podSwapped(&o.Pods[1]) }), false},
		{"StopTheUnwanted", "the run is over", observe(chosen, over(v1alpha1.ReasonPodChanged), cancelled), false},

		{"LetGoOfTheChosen", "the chosen pod is gated", observe(chosen), true},
		{"LetGoOfTheChosen", "it was let go", observe(letGo), false},
		{"LetGoOfTheChosen", "it isn't chosen yet", observe(podMade), false},
		{"LetGoOfTheChosen", "it is being deleted", observe(chosen, thePod(podDeleted)), false},
		{"LetGoOfTheChosen", "it is gone, and the Job has another", observe(chosen, pod("pod-2", "list-y"), func(o *Observation) { o.Pods = o.Pods[1:] }), false},
		{"LetGoOfTheChosen", "the Job that it is compared with is gone", observe(chosen, jobGone), false},
		{"LetGoOfTheChosen", "it is the Job's no more, and so was given up", observe(chosen, thePod(podOrphaned)), false},
		{"LetGoOfTheChosen", "the run is over", observe(chosen, over(v1alpha1.ReasonPodChanged)), false},

		{"RecordTheEnd", "the command ended", observe(endedWith(t, 0)), true},
		{"RecordTheEnd", "the command failed", observe(endedWith(t, 1)), true},
		{"RecordTheEnd", "the chosen pod is gone", observe(letGo, podsGone), true},
		{"RecordTheEnd", "the chosen pod is gone, and the Job has another", observe(letGo, pod("pod-2", "list-y"), func(o *Observation) { o.Pods = o.Pods[1:] }), true},
		{"RecordTheEnd", "the chosen pod was deleted while it was gated", observe(chosen, thePod(podDeleted)), true},
		{"RecordTheEnd", "the Job failed before it had a pod", observe(jobMade, jobEnded(batchv1.JobFailed, "no")), true},
		{"RecordTheEnd", "the Job was completed by hand before it had a pod", observe(jobMade, jobEnded(batchv1.JobComplete, "")), true},
		{"RecordTheEnd", "the Job was deleted without its chosen pod, which is gated still", observe(chosen, jobGone, thePod(podOrphaned)), true},
		{"RecordTheEnd", "the chosen pod lost its labels, and so its Job, while it was gated", observe(chosen, thePod(podOrphaned)), true},
		{"RecordTheEnd", "the Job is gone, and its chosen pod, gated still, is not deleted yet: who hasn't heard of it may let it go", observe(chosen, jobGone), false},
		{"RecordTheEnd", "the Job is gone, and its pod waits", observe(letGo, jobGone), false},
		{"RecordTheEnd", "the Job is suspended", observe(jobMade, jobEnded(batchv1.JobSuspended, "")), false},
		{"RecordTheEnd", "the Job says that it failed, the pod says nothing", observe(started, jobEnded(batchv1.JobFailed, "no")), false},
		{"RecordTheEnd", "the command runs", observe(started), false},
		{"RecordTheEnd", "the pod waits", observe(letGo), false},
		{"RecordTheEnd", "it is written down", observe(endedWith(t, 0), over(v1alpha1.ReasonSucceeded)), false},

		{"GiveUpTheLate", "no pod was made in two minutes", observe(jobMade, after(patience+time.Second)), true},
		{"GiveUpTheLate", "no pod was made yet", observe(jobMade, after(patience)), false},
		{"GiveUpTheLate", "the cluster refuses the Job for two minutes", observe(queued, overQuota, after(patience+time.Second)), true},
		{"GiveUpTheLate", "the cluster refuses the Job", observe(queued, overQuota, after(patience)), false},
		{"GiveUpTheLate", "the image can't be pulled for longer than the patience", observe(letGo, inState(waiting), sinceNoon, after(imagePatience+time.Second)), true},
		{"GiveUpTheLate", "the image can't be pulled yet", observe(letGo, inState(waiting), sinceNoon, after(imagePatience)), false},
		{"GiveUpTheLate", "the image has a name that can't be one", observe(letGo, inState(hopeless), sinceNoon, after(time.Second)), true},
		{"GiveUpTheLate", "the image has such a name, and it was given up", observe(letGo, inState(hopeless), sinceNoon, jobGone, after(time.Second)), false},
		{"GiveUpTheLate", "the pod that was let go has not started by the end of its window", observe(letGo, inState(waiting), after(jobspec.StartWindow+lateness+time.Second)), true},
		{"GiveUpTheLate", "the window is over, but clocks may differ", observe(letGo, inState(waiting), after(jobspec.StartWindow+lateness)), false},
		{"GiveUpTheLate", "it has no window, so it never starts", observe(letGo, thePod(func(p *corev1.Pod) { delete(p.Annotations, v1alpha1.StartBeforeAnnotation) }), after(lateness+time.Second)), true},
		{"GiveUpTheLate", "somebody wrote nonsense for its window", observe(letGo, thePod(func(p *corev1.Pod) { p.Annotations[v1alpha1.StartBeforeAnnotation] = "later" }), after(lateness+time.Second)), true},
		{"GiveUpTheLate", "the Job is gone, and its pod has not started by the end of its window", observe(letGo, jobGone, thePod(podOrphaned), after(time.Hour)), true},
		{"GiveUpTheLate", "it was given up, the Job is gone, and the pod goes next", observe(letGo, jobGone, after(time.Hour)), false},
		{"GiveUpTheLate", "it was given up, and the Job is gone already", observe(letGo, jobGone, thePod(podDeleted), after(time.Hour)), false},
		{"GiveUpTheLate", "it was given up already", observe(letGo, inState(waiting), thePod(podDeleted), after(time.Hour)), false},
		{"GiveUpTheLate", "the command runs, however long", observe(started, after(100*time.Hour)), false},
		{"GiveUpTheLate", "the command has ended", observe(endedWith(t, 0), after(100*time.Hour)), false},
		{"GiveUpTheLate", "the run is over", observe(jobMade, over(v1alpha1.ReasonPodRejected), after(time.Hour)), false},

		{"Wait", "the command runs", observe(started), true},
		{"Wait", "the Job has no pod yet", observe(jobMade), true},
		{"Wait", "no run is under way", observe(), false},
		{"Wait", "the run is over", observe(over(v1alpha1.ReasonSucceeded)), false},

		{"ReleaseTheEnded", "a pod holds the report of a run that is over", observe(endedWith(t, 0), over(v1alpha1.ReasonSucceeded)), true},
		{"ReleaseTheEnded", "its pod was released", observe(endedWith(t, 0), over(v1alpha1.ReasonSucceeded), thePod(podReleased)), false},
		{"ReleaseTheEnded", "its node doesn't answer, but may be back", observe(started, over(v1alpha1.ReasonNodeLost)), false},
		{"ReleaseTheEnded", "its node doesn't answer, and another run has begun", observe(started, over(v1alpha1.ReasonNodeLost), func(o *Observation) { o.Status.Run.PodUID = "pod-2" }), true},
		{"ReleaseTheEnded", "there is no pod", observe(over(v1alpha1.ReasonSucceeded)), false},

		{"DeleteTheLeftOver", "a pod of a run that is over is gated still", observe(endedWith(t, 0), leftOver, over(v1alpha1.ReasonSucceeded)), true},
		{"DeleteTheLeftOver", "a Job of an attempt that is over has no pod", observe(barren), true},
		{"DeleteTheLeftOver", "it is being deleted already", observe(barren, func(o *Observation) { o.PastJobs[0].DeletionTimestamp = new(metav1.NewTime(noon)) }), false},
		{"DeleteTheLeftOver", "it has ended", observe(barren, func(o *Observation) {
			o.PastJobs[0].Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobFailed, Status: corev1.ConditionTrue}}
		}), false},
		{"DeleteTheLeftOver", "its pod is there", observe(letGo, noneHeld, over(v1alpha1.ReasonSucceeded), func(o *Observation) { o.PastJobs = []batchv1.Job{*o.Job} }), false},
		{"DeleteTheLeftOver", "its pod was counted", observe(barren, func(o *Observation) { o.PastJobs[0].Status.Succeeded = 1 }), false},
		{"DeleteTheLeftOver", "it is being deleted", observe(endedWith(t, 0), leftOver, over(v1alpha1.ReasonSucceeded), func(o *Observation) { podDeleted(&o.Pods[1]) }), false},
		{"DeleteTheLeftOver", "its Job was deleted without it", observe(endedWith(t, 0), leftOver, over(v1alpha1.ReasonSucceeded), func(o *Observation) { podOrphaned(&o.Pods[1]) }), false},
		{"DeleteTheLeftOver", "it names another's Job as its owner", observe(endedWith(t, 0), leftOver, over(v1alpha1.ReasonSucceeded), func(o *Observation) { o.Pods[1].OwnerReferences[0].Name = "backup" }), false},
		{"DeleteTheLeftOver", "its Job has another pod, whose node may be back", observe(started, leftOver, over(v1alpha1.ReasonNodeLost)), false},
		{"DeleteTheLeftOver", "the pod was let go", observe(endedWith(t, 0), over(v1alpha1.ReasonSucceeded)), false},

		{"TryAgain", "another attempt is to come", observe(again), true},
		{"TryAgain", "its time has come", observe(again, after(time.Hour)), true},
		{"TryAgain", "it is cancelled", observe(again, cancelled), true},
		{"TryAgain", "the spec has changed since", observe(again, edited), false},
		{"TryAgain", "the rules have changed since", observe(again, invalid), false},
		{"TryAgain", "the resource was suspended", observe(again, suspend), false},
		{"TryAgain", "no other is to come", observe(over(v1alpha1.ReasonImagePullFailed)), false},
		{"TryAgain", "nothing was run", observe(), false},

		{"LeaveTheSame", "this spec was run", observe(over(v1alpha1.ReasonSucceeded)), true},
		{"LeaveTheSame", "this spec was run, and failed", observe(over(v1alpha1.ReasonCommandFailed)), true},
		{"LeaveTheSame", "this spec was run, and only labels changed", observe(over(v1alpha1.ReasonSucceeded), relabelled), true},
		{"LeaveTheSame", "another spec was run", observe(over(v1alpha1.ReasonSucceeded), edited), false},
		{"LeaveTheSame", "another attempt is to come", observe(again, suspend), false},
		{"LeaveTheSame", "nothing was run", observe(), false},

		{"RefuseTheInvalid", "the spec can't be run", observe(invalid), true},
		{"RefuseTheInvalid", "the spec can be run", observe(), false},

		{"HoldTheSuspended", "the resource is suspended", observe(suspend), true},
		{"HoldTheSuspended", "the resource is not", observe(), false},

		{"HoldTheNew", "it was never run, and the operator holds what is new", observe(hold), true},
		{"HoldTheNew", "it is held, and nobody has asked for it", observe(hold, isHeld), true},
		{"HoldTheNew", "it came with the annotation that asks for a run", observe(hold, func(o *Observation) { o.Request = "once" }), true},
		{"HoldTheNew", "it is held, and asked for", observe(hold, isHeld, func(o *Observation) { o.Request = "now" }), false},
		{"HoldTheNew", "it is held, and Flux asks for it", observe(hold, isHeld, func(o *Observation) { o.ReconcileAt = "now" }), false},
		{"HoldTheNew", "it was run before", observe(over(v1alpha1.ReasonSucceeded), edited, hold), false},
		{"HoldTheNew", "the operator runs what is new", observe(), false},

		{"Begin", "there is nothing else to say", observe(), true},
	}
}

func TestAtMostOneWrite(t *testing.T) {
	for name, seen := range everySituation(t) {
		d := Decide(seen)
		writes := 0
		for _, set := range []bool{d.MakeJob != nil, d.LetGo != nil, d.Release != nil, d.DeleteJob != nil} {
			if set {
				writes++
			}
		}
		if writes > 1 || (writes == 1) != d.Writes() {
			t.Errorf("%s: %s makes %d writes, and says %t", name, d.Rule, writes, d.Writes())
		}
	}
}

func TestDecidingTouchesNothing(t *testing.T) {
	for name, seen := range everySituation(t) {
		before := snapshot(t, seen)
		first, second := Decide(seen), Decide(seen)
		if after := snapshot(t, seen); before != after {
			t.Errorf("%s: the observation was changed from\n%s\nto\n%s", name, before, after)
		}
		if snapshot(t, first) != snapshot(t, second) {
			t.Errorf("%s: the same observation was decided in two ways", name)
		}
	}
}

// What was decided, once it is written, is decided again: no status is written twice.
func TestStatusSettles(t *testing.T) {
	for name, seen := range everySituation(t) {
		for range 3 { // the end of one run may be the beginning of the next, whose Job is then waited for
			d := Decide(seen)
			seen.Status = d.Status
			if d.Writes() {
				break
			}
		}
		d := Decide(seen)
		if !d.Writes() && snapshot(t, d.Status) != snapshot(t, seen.Status) {
			t.Errorf("%s: %s changes the status again, from\n%s\nto\n%s", name, d.Rule, snapshot(t, seen.Status), snapshot(t, d.Status))
		}
	}
}

func everySituation(t *testing.T) map[string]*Observation {
	t.Helper()
	return map[string]*Observation{
		"new": observe(), "deleted": observe(deleted), "suspended": observe(suspend), "invalid": observe(invalid),
		"predecessor": observe(stranger), "queued": observe(queued), "taken": observe(queued, taken),
		"superseded": observe(queued, edited), "invalid by now": observe(queued, invalid),
		"Job made": observe(jobMade), "no pod comes": observe(jobMade, after(time.Hour)), "pod made": observe(podMade),
		"chosen": observe(chosen), "changed": observe(chosen, thePod(podSwapped)), "let go": observe(letGo),
		"late": observe(letGo, after(time.Hour)), "started": observe(started, after(time.Hour+time.Minute)),
		"just started": observe(started, after(time.Hour+time.Second)), "ended": observe(endedWith(t, 0)),
		"failed": observe(endedWith(t, 1)), "pod gone": observe(letGo, podsGone), "over": observe(over(v1alpha1.ReasonSucceeded)),
		"over, and held": observe(endedWith(t, 0), over(v1alpha1.ReasonSucceeded)),
		"edited":         observe(over(v1alpha1.ReasonSucceeded), edited),
		"refused":        observe(queued, overQuota), "refused for good": observe(queued, overQuota, after(time.Hour)),
		"lost and back": observe(endedWith(t, 0), over(v1alpha1.ReasonNodeLost)), "lost": observe(started, over(v1alpha1.ReasonNodeLost)),
		"cancelled": observe(started, cancelled), "to be tried again": observe(again), "tried again": observe(again, after(time.Hour)),
		"cancelled before another attempt": observe(again, cancelled), "held": observe(hold), "held before": observe(hold, isHeld),
		"superseded while gated": observe(chosen, edited), "never pulled": observe(jobMade, patient, after(time.Hour)),
		"waits for its turn": observe(queued, full), "waits behind others": observe(queued, behind), "suspended while it waits": observe(queued, full, suspend),
		"failed before": observe(over(v1alpha1.ReasonCommandFailed)),
	}
}
