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
)

// jobSuspended is for a Job that somebody has suspended, and whose controller has written that down.
func jobSuspended(o *Observation) {
	o.Job.Spec.Suspend = new(true)
	o.Job.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobSuspended, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(noon)}}
}

// jobResumed is for one that was resumed at that time after noon, and whose controller knows.
func jobResumed(at time.Duration) change {
	return func(o *Observation) {
		o.Job.Spec.Suspend = new(false)
		o.Job.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobSuspended, Status: corev1.ConditionFalse, LastTransitionTime: metav1.NewTime(noon.Add(at))}}
	}
}

// jobResumedUnseen is for one that was resumed, which its controller has not written down.
func jobResumedUnseen(o *Observation) {
	jobSuspended(o)
	o.Job.Spec.Suspend = new(false)
}

func TestARunWhoseJobIsSuspendedIsInNoHurry(t *testing.T) {
	for name, c := range map[string]struct {
		seen *Observation
		rule string
	}{
		"a Job that waits for a day":               {observe(jobMade, jobSuspended, after(24*time.Hour)), "Wait"},
		"one that its controller hasn't looked at": {observe(jobMade, func(o *Observation) { o.Job.Spec.Suspend = new(true) }, after(time.Hour)), "Wait"},
		"one that is resumed, unseen":              {observe(jobMade, jobResumedUnseen, after(time.Hour)), "Wait"},
		"one that was just resumed":                {observe(jobMade, jobResumed(time.Hour), after(time.Hour+time.Minute)), "Wait"},
		"one that no pod comes of then":            {observe(jobMade, jobResumed(time.Hour), after(time.Hour+3*time.Minute)), "GiveUpTheLate"},
		"a pod that is about to go":                {observe(podMade, jobSuspended), "Wait"},
		"a pod that comes after all":               {observe(podMade, jobResumed(0)), "ChooseThePod"},
		"a chosen pod that is about to go":         {observe(chosen, jobSuspended), "Wait"},
		"a chosen pod of a resumed Job":            {observe(chosen, jobResumed(0)), "LetGoOfTheChosen"},
		"somebody cancels it":                      {observe(jobMade, jobSuspended, cancelled, after(time.Hour)), "DropTheUnwanted"},
		"somebody edits it":                        {observe(jobMade, jobSuspended, edited, after(time.Hour)), "DropTheUnwanted"},
	} {
		if d := Decide(c.seen); d.Rule != c.rule {
			t.Errorf("%s: got the rule %s, want %s", name, d.Rule, c.rule)
		}
	}
}

func TestASuspendedRunSaysWhatItWaitsFor(t *testing.T) {
	queued := func(o *Observation) { o.Plan.JobLabels = map[string]string{v1alpha1.KueueQueueLabel: "team-queue"} }
	for want, seen := range map[string]*Observation{
		"is suspended: it gets a pod when spec.suspend": observe(jobMade, jobSuspended, after(time.Minute)),
		"waits in Kueue's queue team-queue":             observe(queued, jobMade, jobSuspended, after(time.Minute)),
	} {
		d := Decide(seen)
		ready := meta.FindStatusCondition(d.Status.Conditions, v1alpha1.ConditionReady)
		if ready.Reason != v1alpha1.ReasonJobSuspended || !strings.Contains(ready.Message, want) || d.Writes() {
			t.Errorf("got %s: %s, want %q", ready.Reason, ready.Message, want)
		}
		if seen.Podless() {
			t.Error("it asks for events that say why there is no pod")
		}
	}
}

func TestARunWhosePodGoesWithTheSuspensionIsEvicted(t *testing.T) {
	for name, c := range map[string]struct {
		seen   *Observation
		reason string
		again  bool
	}{
		"before it was let go":               {observe(patient, chosen, jobSuspended, thePod(podDeleted)), v1alpha1.ReasonEvicted, true},
		"while its command ran":              {observe(patient, stopped(t), jobSuspended), v1alpha1.ReasonEvicted, false},
		"when its command had ended":         {observe(endedWith(t, 0), jobSuspended), v1alpha1.ReasonSucceeded, false},
		"while somebody else cancelled it":   {observe(stopped(t), jobSuspended, cancelled), v1alpha1.ReasonCancelled, false},
		"which nobody suspended, in truth":   {observe(stopped(t)), v1alpha1.ReasonTerminated, false},
		"which was resumed by the end of it": {observe(stopped(t), jobResumed(time.Minute)), v1alpha1.ReasonTerminated, false},
	} {
		run := Decide(c.seen).Status.Run
		if run.Reason != c.reason || (run.RetryTime != nil) != c.again {
			t.Errorf("%s: got %s (%s), again at %v", name, run.Reason, run.Message, run.RetryTime)
		}
		if c.reason == v1alpha1.ReasonEvicted && !strings.Contains(run.Message, "its Job was suspended") {
			t.Errorf("%s: the message is %q", name, run.Message)
		}
	}
}
