// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/jobspec"
)

func tryAgain(o *Observation, d *Decision) bool {
	run := d.Status.Run
	if run == nil || run.RetryTime == nil || run.Key != o.Key {
		return false
	}
	if o.cancelled() {
		run.RetryTime, run.Reason, run.Message = nil, v1alpha1.ReasonCancelled, "cancelled before another attempt; the last ended with "+run.Reason+": "+run.Message
		if h := d.Status.History; len(h) > 0 && h[0].Number == run.Number {
			h[0].Reason = run.Reason
		}
		setConditions(&d.Status, stateOfEnd(run), o.Generation, o.Now)
		return true
	}
	if o.Refusal != nil || o.Suspended {
		return false
	}
	if d.After = run.RetryTime.Sub(o.Now); d.After > 0 {
		setConditions(&d.Status, stateOfEnd(run), o.Generation, o.Now)
		return true
	}
	d.After = 0
	queue(o, d, run.Number, run.Attempt+1)
	return true
}

func leaveTheSame(o *Observation, d *Decision) bool {
	run := o.Status.Run
	if run == nil || run.Key != o.Key || run.RetryTime != nil {
		return false
	}
	if o.Interval > 0 {
		if d.After = o.due().Sub(o.Now); d.After <= 0 {
			d.After = 0
			return false
		}
	}
	setConditions(&d.Status, stateOfEnd(run), o.Generation, o.Now)
	return true
}

func refuseTheInvalid(o *Observation, d *Decision) bool {
	if o.Refusal == nil {
		return false
	}
	// A request is handled by the refusal, so that nobody waits for more.
	d.Status.LastHandledRequest, d.Status.LastHandledReconcileAt = o.Request, o.ReconcileAt
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

// holdTheNew holds a resource that nobody has asked for here: the cluster may have been made anew from
// what it once ran. An annotation that it came with asks for nothing; only a change of it does.
func holdTheNew(o *Observation, d *Decision) bool {
	if !o.Hold || o.Status.Run != nil {
		return false
	}
	ready := meta.FindStatusCondition(o.Status.Conditions, v1alpha1.ConditionReady)
	seen := ready != nil && ready.Reason == v1alpha1.ReasonHeld
	if seen && (o.Request != o.Status.LastHandledRequest || o.ReconcileAt != o.Status.LastHandledReconcileAt) {
		return false
	}
	d.Status.LastHandledRequest, d.Status.LastHandledReconcileAt = o.Request, o.ReconcileAt
	setConditions(&d.Status, held(), o.Generation, o.Now)
	return true
}

func begin(o *Observation, d *Decision) bool {
	number := int64(1)
	if o.Status.Run != nil {
		number = o.Status.Run.Number + 1
	}
	queue(o, d, number, 1)
	return true
}

// queue writes down that an attempt is to be made.
func queue(o *Observation, d *Decision, number int64, attempt int32) {
	run := &v1alpha1.Run{Number: number, Key: o.Key, Attempt: attempt, QueuedTime: metav1.NewTime(o.Now), SecretName: o.Plan.OutputSecret}
	run.JobName = jobspec.AttemptOf(o.Owner, run).JobName()
	d.Status.Run, d.Begun = run, true
	d.Status.LastHandledRequest, d.Status.LastHandledReconcileAt = o.Request, o.ReconcileAt
	setConditions(&d.Status, underWay(v1alpha1.ReasonPending, "The run begins"), o.Generation, o.Now)
}
