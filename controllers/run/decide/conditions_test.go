// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

func snapshot(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// kstatus says what tools make of the conditions: they look at Stalled and Reconciling first, for
// these are the ones that mean the same for every kind, and then at Ready.
func kstatus(s v1alpha1.RunStatus, generation int64) string {
	switch {
	case s.ObservedGeneration != generation:
		return "InProgress"
	case meta.IsStatusConditionTrue(s.Conditions, v1alpha1.ConditionReconciling):
		return "InProgress"
	case meta.IsStatusConditionTrue(s.Conditions, v1alpha1.ConditionStalled):
		return "Failed"
	case meta.IsStatusConditionTrue(s.Conditions, v1alpha1.ConditionReady):
		return "Current"
	}
	return "InProgress"
}

// shape is the conditions on one line, such as "Ready=True Finished=True".
func shape(s v1alpha1.RunStatus) string {
	var parts []string
	for _, kind := range []string{v1alpha1.ConditionReady, v1alpha1.ConditionReconciling, v1alpha1.ConditionStalled, v1alpha1.ConditionFinished} {
		if c := meta.FindStatusCondition(s.Conditions, kind); c != nil {
			parts = append(parts, kind+"="+string(c.Status))
		}
	}
	return strings.Join(parts, " ")
}

func TestConditionsOfEveryState(t *testing.T) {
	const (
		underWay = "Ready=Unknown Reconciling=True Finished=False"
		failed   = "Ready=False Stalled=True Finished=True"
		ready    = "Ready=True Finished=True"
		held     = "Ready=False Finished=False"
	)
	for name, c := range map[string]struct {
		seen    *Observation
		reason  string
		want    string
		kstatus string
	}{
		"a run begins":                                   {observe(), v1alpha1.ReasonPending, underWay, "InProgress"},
		"the Job has no pod yet":                         {observe(jobMade, after(brief)), v1alpha1.ReasonPending, underWay, "InProgress"},
		"the pod waits":                                  {observe(letGo, after(brief)), v1alpha1.ReasonPending, underWay, "InProgress"},
		"the pod is given up":                            {observe(letGo, after(time.Hour)), v1alpha1.ReasonPending, underWay, "InProgress"},
		"the command runs for a while":                   {observe(started, after(time.Hour+time.Minute)), v1alpha1.ReasonRunning, underWay, "InProgress"},
		"the command ended well":                         {observe(endedWith(t, 0)), v1alpha1.ReasonSucceeded, ready, "Current"},
		"the command failed":                             {observe(endedWith(t, 1)), v1alpha1.ReasonCommandFailed, failed, "Failed"},
		"the pod is gone":                                {observe(letGo, podsGone), v1alpha1.ReasonResultLost, failed, "Failed"},
		"no pod comes":                                   {observe(jobMade, after(time.Hour)), v1alpha1.ReasonPodRejected, failed, "Failed"},
		"the pod was changed":                            {observe(chosen, thePod(podSwapped)), v1alpha1.ReasonPodChanged, failed, "Failed"},
		"the Job's name is another's":                    {observe(queued, taken), v1alpha1.ReasonNameConflict, failed, "Failed"},
		"the spec changed before the Job was made":       {observe(queued, edited), v1alpha1.ReasonPending, underWay, "InProgress"},
		"the rules changed before the Job was made":      {observe(queued, invalid), v1alpha1.ReasonInvalidSpec, failed, "Failed"},
		"the spec can't be run":                          {observe(invalid), v1alpha1.ReasonInvalidSpec, failed, "Failed"},
		"the last run ended well, the spec is as it was": {observe(over(v1alpha1.ReasonSucceeded), relabelled), v1alpha1.ReasonSucceeded, ready, "Current"},
		"the last run failed, the spec is as it was":     {observe(over(v1alpha1.ReasonCommandFailed), relabelled), v1alpha1.ReasonCommandFailed, failed, "Failed"},
		"the resource is suspended before its first run": {observe(suspend), v1alpha1.ReasonSuspended, held, "InProgress"},
		"an edited resource is suspended":                {observe(over(v1alpha1.ReasonSucceeded), edited, suspend), v1alpha1.ReasonSuspended, held, "InProgress"},
	} {
		t.Run(name, func(t *testing.T) {
			d := Decide(c.seen)
			if got := shape(d.Status); got != c.want {
				t.Errorf("%s: got %s, want %s", d.Rule, got, c.want)
			}
			if got := kstatus(d.Status, c.seen.Generation); got != c.kstatus {
				t.Errorf("%s: kstatus says %s, want %s", d.Rule, got, c.kstatus)
			}
			for _, condition := range d.Status.Conditions {
				if condition.Reason != c.reason || condition.Message == "" || condition.ObservedGeneration != c.seen.Generation {
					t.Errorf("%s: got %+v, want the reason %s", d.Rule, condition, c.reason)
				}
			}
		})
	}
}

// Whoever waits for Finished must not be woken by the run before.
func TestNextRunTakesTheLastOnesEndBack(t *testing.T) {
	seen := observe(over(v1alpha1.ReasonCommandFailed))
	seen.Status = Decide(seen).Status
	edited(seen)
	d := Decide(seen)
	if got := shape(d.Status); !d.Begun || got != "Ready=Unknown Reconciling=True Finished=False" {
		t.Errorf("%s: got %s", d.Rule, got)
	}
}

func TestTransitionTimeIsThatOfTheChange(t *testing.T) {
	before := Decide(observe(jobMade, after(brief))).Status
	seen := observe(started)
	seen.Status.Conditions = before.Conditions
	seen.Now = noon.Add(time.Hour + time.Minute)
	for _, c := range Decide(seen).Status.Conditions {
		if !c.LastTransitionTime.Equal(new(metav1.NewTime(noon.Add(brief)))) {
			t.Errorf("%s is %s as before, but its transition time is now %s", c.Type, c.Status, c.LastTransitionTime)
		}
	}
}

func TestLongMessagesAreCut(t *testing.T) {
	for name, c := range map[string]struct {
		message string
		want    string
	}{
		"one that fits":                {strings.Repeat("x", maxMessage), strings.Repeat("x", maxMessage)},
		"one byte too many":            {strings.Repeat("x", maxMessage+1), strings.Repeat("x", maxMessage-3) + "…"},
		"a cut between two characters": {strings.Repeat("x", maxMessage-5) + "éé" + "xx", strings.Repeat("x", maxMessage-5) + "é…"},
		"a cut within two bytes":       {strings.Repeat("x", maxMessage-4) + "éé" + "xx", strings.Repeat("x", maxMessage-4) + "…"},
		"a cut within four bytes":      {strings.Repeat("x", maxMessage-6) + "😀😀", strings.Repeat("x", maxMessage-6) + "…"},
		"a cut in a row of four bytes": {strings.Repeat("😀", maxMessage), strings.Repeat("😀", (maxMessage-3)/4) + "…"},
	} {
		if got := shorten(c.message); got != c.want || len(got) > maxMessage || !utf8.ValidString(got) {
			t.Errorf("%s: got %d bytes that end with %q, want %d that end with %q", name, len(got), got[len(got)-8:], len(c.want), c.want[len(c.want)-8:])
		}
	}
}
