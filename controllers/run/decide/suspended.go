// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/outcome"
)

// suspended says whether somebody, such as Kueue, keeps the Job of the run under way from having pods. The
// Job controller makes them only once it has written down that the Job was resumed.
func (o *Observation) suspended() bool {
	if o.Job == nil {
		return false
	}
	c := suspension(o.Job)
	return o.Job.Spec.Suspend != nil && *o.Job.Spec.Suspend || c != nil && c.Status == corev1.ConditionTrue
}

// podExpected is since when the Job should be getting its pod.
func podExpected(job *batchv1.Job) time.Time {
	since := job.CreationTimestamp.Time
	if c := suspension(job); c != nil && c.LastTransitionTime.After(since) {
		return c.LastTransitionTime.Time
	}
	return since
}

func suspension(job *batchv1.Job) *batchv1.JobCondition {
	for i := range job.Status.Conditions {
		if job.Status.Conditions[i].Type == batchv1.JobSuspended {
			return &job.Status.Conditions[i]
		}
	}
	return nil
}

// inQueue is for a run whose Job gets no pod for the time being. It may take as long as it takes.
func (o *Observation) inQueue() outcome.Outcome {
	message := "The Job " + o.Job.Name + " is suspended: it gets a pod when spec.suspend is taken back"
	if queue := o.Job.Labels[v1alpha1.KueueQueueLabel]; queue != "" {
		message = "The Job " + o.Job.Name + " waits in Kueue's queue " + queue + ": see the conditions of its Workload"
	}
	return outcome.Outcome{Phase: outcome.Waiting, Reason: v1alpha1.ReasonJobSuspended, Message: message}
}

// suspendedAway says whether the run ended as it did because its Job was suspended, and its pod so deleted.
func (o *Observation) suspendedAway(result outcome.Outcome) bool {
	return o.suspended() && (result.Reason == v1alpha1.ReasonTerminated || result.NeverRan && result.Reason == v1alpha1.ReasonNeverStarted)
}
