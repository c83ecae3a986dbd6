// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

// precedence says of two rules that both apply to what is seen why the first must decide: what would go
// wrong the other way round.
type precedence struct {
	first, second string
	because       string
	seen          *Observation
}

func precedences(t *testing.T) []precedence {
	t.Helper()
	return []precedence{
		{"LetGoOfTheDeleted", "MakeTheJob", "a Job for a resource on its way out would act, and nobody would hear of it", observe(queued, deleted)},
		{"LetGoOfTheDeleted", "LetGoOfTheChosen", "a command would start for a resource on its way out", observe(chosen, deleted)},
		{"LetGoOfTheDeleted", "Begin", "a resource on its way out would begin a run", observe(deleted)},
		{"LetGoOfThePredecessor", "Wait", "the deletion of the earlier resource's pod would wait for this one's run", observe(started, stranger)},
		{"LetGoOfThePredecessor", "LeaveTheSame", "the earlier resource's pod would be held for ever", observe(over(v1alpha1.ReasonSucceeded), stranger)},
		{"LetGoOfThePredecessor", "Begin", "the earlier resource's pod would be held until this one's first run has ended", observe(stranger)},
		{"EndWhereTheNameIsTaken", "DropTheUnwanted", "nobody would learn that the name is another's", observe(queued, edited, taken)},
		{"EndWhereTheNameIsTaken", "MakeTheJob", "the Job would be made again and again, in vain", observe(queued, taken)},
		{"DropTheUnwanted", "HoldTheQueued", "whoever cancels a run that is suspended would wait for it to be resumed", observe(queued, cancelled, suspend)},
		{"DropTheUnwanted", "WaitForATurn", "a run that nobody wants would wait for its turn", observe(queued, cancelled, full)},
		{"HoldTheQueued", "WaitForATurn", "others would wait behind one that is suspended", observe(queued, suspend, full)},
		{"HoldTheQueued", "MakeTheJob", "a run would begin although its resource was suspended while it waited", observe(queued, suspend)},
		{"WaitForATurn", "MakeTheJob", "more runs would be under way than may be", observe(queued, full)},
		{"WaitForATurn", "GiveUpTheLate", "a run would be given up because others took long", observe(queued, full, after(time.Hour))},
		{"WaitForATurn", "Wait", "nobody would learn what the run waits for", observe(queued, full)},
		{"DropTheUnwanted", "MakeTheJob", "the Job would be the newest spec's, under the key of an older one", observe(queued, edited)},
		{"DropTheUnwanted", "ChooseThePod", "a pod would be chosen only to be given up", observe(podMade, cancelled)},
		{"DropTheUnwanted", "Wait", "the run of an older spec would wait for a pod that isn't let go", observe(jobMade, edited)},
		{"MakeTheJob", "Wait", "the Job would be waited for, and never made", observe(queued)},
		{"ChooseThePod", "RecordTheEnd", "the end of a Job whose pod is there would be taken for the end of a run that never started", observe(podMade, jobEnded(batchv1.JobFailed, ""))},
		{"ChooseThePod", "GiveUpTheLate", "a pod that came late would be given up for one that never came", observe(podMade, after(time.Hour))},
		{"ChooseThePod", "ReleaseTheEnded", "the pod's report would be let go before there is one", observe(podMade)},
		{"ChooseThePod", "Wait", "the pod would stay gated for ever", observe(podMade)},
		{"RecordTheEnd", "StopTheUnwanted", "the end of a command that was cancelled would wait for the end of its Job", observe(endedWith(t, 0), cancelled)},
		{"StopTheUnwanted", "LetGoOfTheChosen", "somebody else's image would run with the rights of the ServiceAccount", observe(chosen, thePod(podSwapped))},
		{"StopTheUnwanted", "GiveUpTheLate", "whoever cancels would read that no node took the pod", observe(letGo, cancelled, after(time.Hour))},
		{"StopTheUnwanted", "Wait", "a command that was cancelled would go on", observe(started, cancelled)},
		{"LetGoOfTheChosen", "GiveUpTheLate", "a pod would be given up because the operator was away", observe(chosen, after(time.Hour))},
		{"LetGoOfTheChosen", "Wait", "the pod would stay gated for ever", observe(chosen)},
		{"CorrectTheLost", "ReleaseTheEnded", "the report would go with its pod, now that it has come", observe(endedWith(t, 0), over(v1alpha1.ReasonNodeLost))},
		{"CorrectTheLost", "LeaveTheSame", "the result of a node that is back would stay lost", observe(endedWith(t, 0), over(v1alpha1.ReasonNodeLost))},
		{"RecordTheEnd", "Wait", "the end would never be written down", observe(endedWith(t, 0))},
		{"RecordTheEnd", "ReleaseTheEnded", "the pod, and with it the report, could go before it is written down", observe(endedWith(t, 0))},
		{"RecordTheEnd", "Begin", "another run would begin before this one's end is written down", observe(endedWith(t, 0), edited)},
		{"GiveUpTheLate", "Wait", "a run whose pod can't start would wait for ever", observe(jobMade, after(time.Hour))},
		{"Wait", "ReleaseTheEnded", "the report of a command that runs would be let go before there is one", observe(started)},
		{"Wait", "LeaveTheSame", "a run under way would be called failed", observe(started)},
		{"Wait", "RefuseTheInvalid", "a run under way would be forgotten when the rules change", observe(started, invalid)},
		{"Wait", "HoldTheSuspended", "a run under way would be forgotten when the resource is suspended", observe(started, suspend)},
		{"Wait", "Begin", "two runs of a resource would be under way", observe(started, edited)},
		{"ReleaseTheEnded", "LeaveTheSame", "pods of runs that are over would be held for ever", observe(endedWith(t, 0), over(v1alpha1.ReasonSucceeded))},
		{"ReleaseTheEnded", "Begin", "pods of earlier runs would be held until the next one ends", observe(endedWith(t, 0), over(v1alpha1.ReasonSucceeded), edited)},
		{"ReleaseTheEnded", "TryAgain", "the pod of an attempt would be held until the last one ends", observe(endedWith(t, 0), again)},
		{"ReleaseTheEnded", "DeleteTheLeftOver", "the pod of the run that is over would be held until the other is gone", observe(endedWith(t, 0), leftOver, over(v1alpha1.ReasonSucceeded))},
		{"DeleteTheLeftOver", "TryAgain", "the pod would be in the way of the next attempt's", observe(endedWith(t, 0), leftOver, noneHeld, again)},
		{"DeleteTheLeftOver", "LeaveTheSame", "the pod would wait for ever", observe(endedWith(t, 0), leftOver, noneHeld, over(v1alpha1.ReasonSucceeded))},
		{"DeleteTheLeftOver", "Begin", "the pod would wait until the next run has ended", observe(endedWith(t, 0), leftOver, noneHeld, over(v1alpha1.ReasonSucceeded), edited)},
		{"TryAgain", "Begin", "another attempt would be another run", observe(again, after(time.Hour))},
		{"LeaveTheSame", "RefuseTheInvalid", "a run that went well would be called invalid when the rules change", observe(over(v1alpha1.ReasonSucceeded), invalid)},
		{"LeaveTheSame", "HoldTheSuspended", "suspending would hide how the last run ended", observe(over(v1alpha1.ReasonSucceeded), suspend)},
		{"LeaveTheSame", "Begin", "the same would run again and again", observe(over(v1alpha1.ReasonSucceeded))},
		{"RefuseTheInvalid", "HoldTheSuspended", "whoever suspends first would learn of the fault only when it is to run", observe(invalid, suspend)},
		{"RefuseTheInvalid", "Begin", "what the rules forbid would run", observe(invalid)},
		{"HoldTheSuspended", "HoldTheNew", "whoever asks for a resource that is suspended would be told to ask for it", observe(suspend, hold)},
		{"HoldTheSuspended", "Begin", "what is suspended would run", observe(suspend)},
		{"HoldTheNew", "Begin", "a cluster made anew would do again what it once did", observe(hold)},
	}
}

func TestOrderOfTheRules(t *testing.T) {
	for _, p := range precedences(t) {
		t.Run(p.first+" before "+p.second, func(t *testing.T) {
			for _, name := range []string{p.first, p.second} {
				if !ruleNamed(t, name).wants(p.seen) {
					t.Fatalf("%s does not apply, so this says nothing of the order", name)
				}
			}
			if d := Decide(p.seen); d.Rule != p.first {
				t.Errorf("%s decides, not %s: %s", d.Rule, p.first, p.because)
			}
		})
	}
}

// Whoever adds a rule, or an observation that two rules apply to, says why the first decides.
func TestOrderOfTheRulesIsExplained(t *testing.T) {
	type pair struct{ first, second string }
	explained, firsts := map[pair]bool{}, map[string]bool{}
	seen := everySituation(t)
	for _, p := range precedences(t) {
		explained[pair{p.first, p.second}], firsts[p.first] = true, true
		seen[p.first+" before "+p.second] = p.seen
	}
	for _, c := range ruleCases(t) {
		seen[c.rule+"/"+c.when] = c.seen
	}
	for name, o := range seen {
		var wanting []string
		for _, r := range rules {
			if r.wants(o) {
				wanting = append(wanting, r.name)
			}
		}
		if len(wanting) > 1 && !explained[pair{wanting[0], wanting[1]}] {
			t.Errorf("%s: nobody says why %s comes before %s", name, wanting[0], wanting[1])
		}
	}
	for _, r := range rules[:len(rules)-1] {
		if !firsts[r.name] {
			t.Errorf("nobody says why %s comes before another rule", r.name)
		}
	}
}
