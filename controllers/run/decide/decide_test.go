// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"slices"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/jobspec"
)

// ruleNamed returns the rule, and where it stands.
func ruleNamed(t *testing.T, name string) (rule, int) {
	t.Helper()
	i := slices.IndexFunc(rules, func(r rule) bool { return r.name == name })
	if i < 0 {
		t.Fatalf("there is no rule %s", name)
	}
	return rules[i], i
}

func TestRulesApplyWhereTheyShould(t *testing.T) {
	waiting := corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff"}}
	cases := []struct {
		rule    string
		when    string
		seen    *Observation
		applies bool
	}{
		{"LetGoOfTheDeleted", "the resource is being deleted", observe(deleted), true},
		{"LetGoOfTheDeleted", "the resource is there", observe(), false},

		{"LetGoOfThePredecessor", "a pod of an earlier resource holds its report", observe(stranger), true},
		{"LetGoOfThePredecessor", "a pod of an earlier resource holds nothing", observe(stranger, func(o *Observation) { o.Strangers[0].Finalizers = nil }), false},
		{"LetGoOfThePredecessor", "its own pod holds its report", observe(podMade), false},

		{"EndWhereTheNameIsTaken", "the Job's name is another's", observe(queued, taken), true},
		{"EndWhereTheNameIsTaken", "the name is free", observe(queued), false},
		{"EndWhereTheNameIsTaken", "the run is over", observe(over(v1alpha1.ReasonNameConflict), taken), false},

		{"DropTheSuperseded", "the spec changed before the Job was made", observe(queued, edited), true},
		{"DropTheSuperseded", "the spec is the same", observe(queued), false},
		{"DropTheSuperseded", "something else changed", observe(queued, relabelled), false},
		{"DropTheSuperseded", "the Job is there", observe(jobMade, edited), false},
		{"DropTheSuperseded", "the Job is gone, but its pod was chosen", observe(chosen, jobGone, edited), false},
		{"DropTheSuperseded", "the run is over", observe(over(v1alpha1.ReasonSucceeded), edited), false},

		{"DropTheInvalid", "the rules have changed before the Job was made", observe(queued, invalid), true},
		{"DropTheInvalid", "the spec is valid", observe(queued), false},
		{"DropTheInvalid", "the Job is there", observe(jobMade, invalid), false},
		{"DropTheInvalid", "the Job is gone, but its pod was chosen", observe(chosen, jobGone, invalid), false},
		{"DropTheInvalid", "no run is under way", observe(invalid), false},

		{"MakeTheJob", "a run is queued", observe(queued), true},
		{"MakeTheJob", "the Job is there", observe(jobMade), false},
		{"MakeTheJob", "the Job is gone, but its pod was chosen", observe(chosen, jobGone), false},
		{"MakeTheJob", "no run is under way", observe(), false},

		{"ChooseThePod", "the Job's pod is there", observe(podMade), true},
		{"ChooseThePod", "no pod is there", observe(jobMade), false},
		{"ChooseThePod", "one was chosen already", observe(chosen), false},
		{"ChooseThePod", "the chosen one is gone, and the Job has another", observe(chosen, pod("pod-2", "list-y"), func(o *Observation) { o.Pods = o.Pods[1:] }), false},
		{"ChooseThePod", "the only pod is being deleted", observe(podMade, thePod(podDeleted)), false},
		{"ChooseThePod", "the only pod is not the Job's", observe(podMade, thePod(func(p *corev1.Pod) { p.OwnerReferences[0].UID = "job-0" })), false},
		{"ChooseThePod", "the only pod has no owner", observe(podMade, thePod(func(p *corev1.Pod) { p.OwnerReferences = nil })), false},

		{"RefuseTheChanged", "somebody changed the gated pod's image", observe(chosen, thePod(podSwapped)), true},
		{"RefuseTheChanged", "the pod is as it was made", observe(chosen), false},
		{"RefuseTheChanged", "it was changed after it was let go", observe(letGo, thePod(podSwapped)), false},
		{"RefuseTheChanged", "it is being deleted anyway", observe(chosen, thePod(podSwapped), thePod(podDeleted)), false},
		{"RefuseTheChanged", "another pod was changed", observe(chosen, pod("pod-2", "list-y"), func(o *Observation) { podSwapped(&o.Pods[1]) }), false},

		{"LetGoOfTheChosen", "the chosen pod is gated", observe(chosen), true},
		{"LetGoOfTheChosen", "it was let go", observe(letGo), false},
		{"LetGoOfTheChosen", "it isn't chosen yet", observe(podMade), false},
		{"LetGoOfTheChosen", "it is being deleted", observe(chosen, thePod(podDeleted)), false},
		{"LetGoOfTheChosen", "it is gone, and the Job has another", observe(chosen, pod("pod-2", "list-y"), func(o *Observation) { o.Pods = o.Pods[1:] }), false},
		{"LetGoOfTheChosen", "the Job that it is compared with is gone", observe(chosen, jobGone), false},
		{"LetGoOfTheChosen", "the run is over", observe(chosen, over(v1alpha1.ReasonPodChanged)), false},

		{"RecordTheEnd", "the command ended", observe(endedWith(t, 0)), true},
		{"RecordTheEnd", "the command failed", observe(endedWith(t, 1)), true},
		{"RecordTheEnd", "the chosen pod is gone", observe(letGo, podsGone), true},
		{"RecordTheEnd", "the chosen pod is gone, and the Job has another", observe(letGo, pod("pod-2", "list-y"), func(o *Observation) { o.Pods = o.Pods[1:] }), true},
		{"RecordTheEnd", "the chosen pod was deleted while it was gated", observe(chosen, thePod(podDeleted)), true},
		{"RecordTheEnd", "the Job failed before it had a pod", observe(jobMade, jobEnded(batchv1.JobFailed, "no")), true},
		{"RecordTheEnd", "the Job was completed by hand before it had a pod", observe(jobMade, jobEnded(batchv1.JobComplete, "")), true},
		{"RecordTheEnd", "the Job is gone, and its chosen pod is gated still", observe(chosen, jobGone), true},
		{"RecordTheEnd", "the Job is gone, and its pod waits", observe(letGo, jobGone), false},
		{"RecordTheEnd", "the Job is suspended", observe(jobMade, jobEnded(batchv1.JobSuspended, "")), false},
		{"RecordTheEnd", "the Job says that it failed, the pod says nothing", observe(started, jobEnded(batchv1.JobFailed, "no")), false},
		{"RecordTheEnd", "the command runs", observe(started), false},
		{"RecordTheEnd", "the pod waits", observe(letGo), false},
		{"RecordTheEnd", "it is written down", observe(endedWith(t, 0), over(v1alpha1.ReasonSucceeded)), false},

		{"GiveUpTheLate", "no pod was made in two minutes", observe(jobMade, after(patience+time.Second)), true},
		{"GiveUpTheLate", "no pod was made yet", observe(jobMade, after(patience)), false},
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
		{"ReleaseTheEnded", "there is no pod", observe(over(v1alpha1.ReasonSucceeded)), false},

		{"LeaveTheSame", "this spec was run", observe(over(v1alpha1.ReasonSucceeded)), true},
		{"LeaveTheSame", "this spec was run, and failed", observe(over(v1alpha1.ReasonCommandFailed)), true},
		{"LeaveTheSame", "this spec was run, and only labels changed", observe(over(v1alpha1.ReasonSucceeded), relabelled), true},
		{"LeaveTheSame", "another spec was run", observe(over(v1alpha1.ReasonSucceeded), edited), false},
		{"LeaveTheSame", "nothing was run", observe(), false},

		{"RefuseTheInvalid", "the spec can't be run", observe(invalid), true},
		{"RefuseTheInvalid", "the spec can be run", observe(), false},

		{"HoldTheSuspended", "the resource is suspended", observe(suspend), true},
		{"HoldTheSuspended", "the resource is not", observe(), false},

		{"Begin", "there is nothing else to say", observe(), true},
	}
	tested := map[string]map[bool]bool{"Begin": {false: true}} // the last one always applies
	for _, c := range cases {
		t.Run(c.rule+"/"+c.when, func(t *testing.T) {
			r, _ := ruleNamed(t, c.rule)
			d := Decision{Status: *c.seen.Status.DeepCopy()}
			if got := r.apply(c.seen, &d); got != c.applies {
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

// Where two rules apply, the first decides. Each pair says what would go wrong the other way round.
func TestOrderOfTheRules(t *testing.T) {
	for _, c := range []struct {
		first, second string
		because       string
		seen          *Observation
	}{
		{"LetGoOfTheDeleted", "MakeTheJob", "a Job for a resource on its way out would act, and nobody would hear of it", observe(queued, deleted)},
		{"LetGoOfTheDeleted", "LetGoOfTheChosen", "a command would start for a resource on its way out", observe(chosen, deleted)},
		{"LetGoOfTheDeleted", "Begin", "a resource on its way out would begin a run", observe(deleted)},
		{"LetGoOfThePredecessor", "Wait", "the deletion of the earlier resource's pod would wait for this one's run", observe(started, stranger)},
		{"LetGoOfThePredecessor", "LeaveTheSame", "the earlier resource's pod would be held for ever", observe(over(v1alpha1.ReasonSucceeded), stranger)},
		{"EndWhereTheNameIsTaken", "DropTheSuperseded", "nobody would learn that the name is another's", observe(queued, edited, taken)},
		{"EndWhereTheNameIsTaken", "MakeTheJob", "the Job would be made again and again, in vain", observe(queued, taken)},
		{"DropTheSuperseded", "DropTheInvalid", "the newest spec's fault would be told of the run of an older one", observe(queued, edited, invalid)},
		{"DropTheSuperseded", "MakeTheJob", "the Job would be the newest spec's, under the key of an older one", observe(queued, edited)},
		{"DropTheInvalid", "MakeTheJob", "what the rules forbid by now would run", observe(queued, invalid)},
		{"ChooseThePod", "RecordTheEnd", "the end of a Job whose pod is there would be taken for the end of a run that never started", observe(podMade, jobEnded(batchv1.JobFailed, ""))},
		{"ChooseThePod", "GiveUpTheLate", "a pod that came late would be given up for one that never came", observe(podMade, after(time.Hour))},
		{"ChooseThePod", "ReleaseTheEnded", "the pod's report would be let go before there is one", observe(podMade)},
		{"RefuseTheChanged", "LetGoOfTheChosen", "somebody else's image would run with the rights of the ServiceAccount", observe(chosen, thePod(podSwapped))},
		{"LetGoOfTheChosen", "GiveUpTheLate", "a pod would be given up because the operator was away", observe(chosen, after(time.Hour))},
		{"LetGoOfTheChosen", "Wait", "the pod would stay gated for ever", observe(chosen)},
		{"RecordTheEnd", "Wait", "the end would never be written down", observe(endedWith(t, 0))},
		{"RecordTheEnd", "ReleaseTheEnded", "the pod, and with it the report, could go before it is written down", observe(endedWith(t, 0))},
		{"RecordTheEnd", "Begin", "another run would begin before this one's end is written down", observe(endedWith(t, 0), edited)},
		{"GiveUpTheLate", "Wait", "a run whose pod can't start would wait for ever", observe(jobMade, after(time.Hour))},
		{"Wait", "ReleaseTheEnded", "the report of a command that runs would be let go before there is one", observe(started)},
		{"Wait", "RefuseTheInvalid", "a run under way would be forgotten when the rules change", observe(started, invalid)},
		{"Wait", "HoldTheSuspended", "a run under way would be forgotten when the resource is suspended", observe(started, suspend)},
		{"Wait", "Begin", "two runs of a resource would be under way", observe(started, edited)},
		{"ReleaseTheEnded", "LeaveTheSame", "pods of runs that are over would be held for ever", observe(endedWith(t, 0), over(v1alpha1.ReasonSucceeded))},
		{"ReleaseTheEnded", "Begin", "pods of earlier runs would be held until the next one ends", observe(endedWith(t, 0), over(v1alpha1.ReasonSucceeded), edited)},
		{"LeaveTheSame", "RefuseTheInvalid", "a run that went well would be called invalid when the rules change", observe(over(v1alpha1.ReasonSucceeded), invalid)},
		{"LeaveTheSame", "HoldTheSuspended", "suspending would hide how the last run ended", observe(over(v1alpha1.ReasonSucceeded), suspend)},
		{"LeaveTheSame", "Begin", "the same would run again and again", observe(over(v1alpha1.ReasonSucceeded))},
		{"RefuseTheInvalid", "HoldTheSuspended", "whoever suspends first would learn of the fault only when it is to run", observe(invalid, suspend)},
		{"RefuseTheInvalid", "Begin", "what the rules forbid would run", observe(invalid)},
		{"HoldTheSuspended", "Begin", "what is suspended would run", observe(suspend)},
	} {
		t.Run(c.first+" before "+c.second, func(t *testing.T) {
			for _, name := range []string{c.first, c.second} {
				r, _ := ruleNamed(t, name)
				if d := (Decision{Status: *c.seen.Status.DeepCopy()}); !r.apply(c.seen, &d) {
					t.Fatalf("%s does not apply, so this says nothing of the order", name)
				}
			}
			if d := Decide(c.seen); d.Rule != c.first {
				t.Errorf("%s decides, not %s: %s", d.Rule, c.first, c.because)
			}
		})
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
		"failed before":  observe(over(v1alpha1.ReasonCommandFailed)),
	}
}
