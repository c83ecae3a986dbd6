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
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/test/judges"
)

func snapshot(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// judge says what tools make of the decided status.
func judge(t *testing.T, o *Observation, d Decision) judges.Verdict {
	t.Helper()
	all, err := judges.Load("../../../config")
	if err != nil {
		t.Fatal(err)
	}
	status, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&d.Status)
	if err != nil {
		t.Fatal(err)
	}
	verdict, err := all.Judge(&unstructured.Unstructured{Object: map[string]any{
		"apiVersion": v1alpha1.SchemeGroupVersion.String(), "kind": o.Owner.Kind,
		"metadata": map[string]any{"generation": o.Generation}, "status": status,
	}})
	if err != nil {
		t.Fatal(err)
	}
	return verdict
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
	verdicts := map[string]judges.Verdict{underWay: judges.UnderWay, failed: judges.Failed, ready: judges.Succeeded, held: judges.Waits}
	for name, c := range map[string]struct {
		seen   *Observation
		reason string
		want   string
	}{
		"a run begins":                                   {observe(), v1alpha1.ReasonPending, underWay},
		"the Job has no pod yet":                         {observe(jobMade, after(brief)), v1alpha1.ReasonPending, underWay},
		"the pod waits":                                  {observe(letGo, after(brief)), v1alpha1.ReasonPending, underWay},
		"the pod is given up":                            {observe(letGo, after(time.Hour)), v1alpha1.ReasonPending, underWay},
		"the command runs for a while":                   {observe(started, after(time.Hour+time.Minute)), v1alpha1.ReasonRunning, underWay},
		"the command ended well":                         {observe(endedWith(t, 0)), v1alpha1.ReasonSucceeded, ready},
		"the command failed":                             {observe(endedWith(t, 1)), v1alpha1.ReasonCommandFailed, failed},
		"the pod is gone":                                {observe(letGo, podsGone), v1alpha1.ReasonResultLost, failed},
		"no pod comes":                                   {observe(jobMade, after(time.Hour)), v1alpha1.ReasonPodRejected, failed},
		"the pod was changed":                            {observe(chosen, thePod(podSwapped)), v1alpha1.ReasonPodChanged, underWay},
		"the pod was changed, and its Job is gone":       {observe(chosen, thePod(podSwapped), thePod(podOrphaned), jobGone), v1alpha1.ReasonPodChanged, failed},
		"the run is cancelled while its command runs":    {observe(started, cancelled), v1alpha1.ReasonCancelled, underWay},
		"the run is cancelled before its pod is chosen":  {observe(jobMade, cancelled), v1alpha1.ReasonCancelled, failed},
		"the run is cancelled, and its gated pod goes":   {observe(chosen, cancelled, thePod(podDeleted), jobGone), v1alpha1.ReasonCancelled, failed},
		"no pod came, and another attempt is to come":    {observe(jobMade, patient, after(time.Hour)), v1alpha1.ReasonPodRejected, underWay},
		"another attempt is to come":                     {observe(again), v1alpha1.ReasonImagePullFailed, underWay},
		"another attempt is cancelled":                   {observe(again, cancelled), v1alpha1.ReasonCancelled, failed},
		"the resource is suspended between two attempts": {observe(again, suspend), v1alpha1.ReasonSuspended, held},
		"the operator holds what is new":                 {observe(hold), v1alpha1.ReasonHeld, held},
		"the Job's name is another's":                    {observe(queued, taken), v1alpha1.ReasonNameConflict, failed},
		"the spec changed before the Job was made":       {observe(queued, edited), v1alpha1.ReasonPending, underWay},
		"the rules changed before the Job was made":      {observe(queued, invalid), v1alpha1.ReasonInvalidSpec, failed},
		"the spec can't be run":                          {observe(invalid), v1alpha1.ReasonInvalidSpec, failed},
		"the last run ended well, the spec is as it was": {observe(over(v1alpha1.ReasonSucceeded), relabelled), v1alpha1.ReasonSucceeded, ready},
		"the last run failed, the spec is as it was":     {observe(over(v1alpha1.ReasonCommandFailed), relabelled), v1alpha1.ReasonCommandFailed, failed},
		"the resource is suspended before its first run": {observe(suspend), v1alpha1.ReasonSuspended, held},
		"an edited resource is suspended":                {observe(over(v1alpha1.ReasonSucceeded), edited, suspend), v1alpha1.ReasonSuspended, held},
	} {
		t.Run(name, func(t *testing.T) {
			d := Decide(c.seen)
			if got := shape(d.Status); got != c.want {
				t.Errorf("%s: got %s, want %s", d.Rule, got, c.want)
			}
			if got := judge(t, c.seen, d); got != verdicts[c.want] {
				t.Errorf("%s: tools say %+v, want %+v", d.Rule, got, verdicts[c.want])
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
