// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/outcome"
)

func recordTheEnd(o *Observation, d *Decision) bool {
	if o.current() == nil {
		return false
	}
	result := ending(o)
	if result.Phase != outcome.Ended {
		return false
	}
	end(o, d, result)
	return true
}

// ending says how far the run under way has got, whether or not its pod was ever chosen.
func ending(o *Observation) outcome.Outcome {
	if o.Status.Run.PodUID == "" {
		if c := FinishedJob(o.Job); c != nil {
			return outcome.NotLetGo(v1alpha1.ReasonNeverStarted, "the Job ended before its pod was let go: "+c.Message)
		}
		return podless(o)
	}
	pod := o.chosen()
	switch {
	case pod == nil:
		return outcome.Gone()
	case orphaned(pod) && Gated(pod):
		return o.judged(outcome.NotLetGo(v1alpha1.ReasonNeverStarted, "the pod was taken from its Job before it was let go"))
	}
	return o.judged(outcome.OfPod(pod, o.attempt().Identity(), o.Log, o.Now))
}

// orphaned says whether the pod is no Job's: its Job was deleted without it, or it lost its labels. Such
// a pod isn't let go any more, even by a controller that hasn't heard of it; the pod of a Job that merely
// isn't there may be.
func orphaned(pod *corev1.Pod) bool { return metav1.GetControllerOf(pod) == nil }

// podless is for a run that has no pod yet.
func podless(o *Observation) outcome.Outcome {
	if o.suspended() {
		return o.inQueue()
	}
	if o.Rejection != "" {
		reason, message := outcome.NoPod(o.Rejection)
		return outcome.Outcome{Phase: outcome.Waiting, Reason: reason, Message: message}
	}
	return outcome.Outcome{Phase: outcome.Waiting, Reason: v1alpha1.ReasonPending, Message: "The Job was made"}
}

// correctTheLost records a report after all that came when its run was given up for lost.
func correctTheLost(o *Observation, d *Decision) bool {
	run := o.Status.Run
	if !run.Ended() || run.Reason != v1alpha1.ReasonNodeLost || o.chosen() == nil {
		return false
	}
	result := ending(o)
	if result.Phase != outcome.Ended || result.Report == nil {
		return false
	}
	end(o, d, result)
	return true
}

// judged is the outcome in the light of what people asked for.
func (o *Observation) judged(result outcome.Outcome) outcome.Outcome {
	why := o.Unwanted()
	switch {
	case result.Phase != outcome.Ended:
	case result.NeverRan && why != nil:
		result.Reason, result.Message = why.Reason, why.beforeTheStart()
	case result.NeverRan && o.Status.Run.GivenUp != nil:
		result.Reason, result.Message = o.Status.Run.GivenUp.Reason, o.Status.Run.GivenUp.Message
	case result.Reason == v1alpha1.ReasonTerminated && o.cancelled():
		result.Reason, result.Message = v1alpha1.ReasonCancelled, "The command was stopped, as the annotation "+v1alpha1.CancelRunAnnotation+" asks; it may have acted"
	case o.suspendedAway(result):
		result.Reason = v1alpha1.ReasonEvicted
		result.Message += "; its Job was suspended, as a queue does that needs the room"
	default:
		return result.WithSuccess(o.SuccessExitCodes)
	}
	return result
}

// end writes down how the attempt under way ended, and when there is another.
func end(o *Observation, d *Decision, result outcome.Outcome) {
	run := d.Status.Run
	run.Reason, run.Message = result.Reason, shorten(result.Message)
	run.CompletionTime = new(metav1.NewTime(o.Now))
	if !result.Finished.IsZero() {
		run.CompletionTime = new(metav1.NewTime(result.Finished))
	}
	if !result.Started.IsZero() {
		run.StartTime = new(metav1.NewTime(result.Started))
		run.Duration = run.CompletionTime.Sub(result.Started).Round(100 * time.Millisecond).String()
	}
	run.RetryTime = retryTime(o, result)
	remember(&d.Status, result)
	d.Outcome = &result
	s := stateOfEnd(run)
	if run.Key != o.Key {
		// What has ended is not what the spec asks for by now, so this is no end of that.
		s = underWay(v1alpha1.ReasonPending, fmt.Sprintf("Run %d ended with %s; the spec has changed since", run.Number, result.Reason))
	}
	setConditions(&d.Status, s, o.Generation, o.Now)
}

// remember puts the attempt that has just ended at the head of the history.
func remember(status *v1alpha1.RunStatus, result outcome.Outcome) {
	run := status.Run
	past := v1alpha1.PastRun{
		Number: run.Number, Attempt: run.Attempt, Reason: run.Reason, ExitCode: result.ExitCode(),
		StartTime: run.StartTime, CompletionTime: *run.CompletionTime,
	}
	if h := status.History; len(h) > 0 && h[0].Number == past.Number && h[0].Attempt == past.Attempt {
		h[0] = past
		return
	}
	status.History = slices.Insert(status.History, 0, past)
	status.History = status.History[:min(len(status.History), v1alpha1.MaxHistory)]
}

// maxBackoff is the longest that lies between two attempts.
const maxBackoff = time.Hour

// retryTime is when the next attempt begins; nil when there is none.
func retryTime(o *Observation, result outcome.Outcome) *metav1.Time {
	run := o.Status.Run
	if run.Key != o.Key || run.Attempt > o.Retry.Limit || !o.Retry.covers(result) {
		return nil
	}
	wait := min(o.Retry.Backoff<<(run.Attempt-1), maxBackoff)
	return new(metav1.NewTime(o.Now.Add(wait)))
}

// infrastructure are the ends that another attempt may mend, if the command was never started.
var infrastructure = []string{
	v1alpha1.ReasonNeverStarted, v1alpha1.ReasonImagePullFailed, v1alpha1.ReasonUnschedulable, v1alpha1.ReasonPodRejected,
	v1alpha1.ReasonQuotaExceeded, v1alpha1.ReasonServiceAccountMissing, v1alpha1.ReasonEvicted, v1alpha1.ReasonPreempted,
	v1alpha1.ReasonPodChanged, v1alpha1.ReasonIdentityNotReady,
}

func (r Retry) covers(result outcome.Outcome) bool {
	return result.NeverRan && slices.Contains(infrastructure, result.Reason) || slices.Contains(r.On, result.Reason)
}

// stateOfEnd is what the conditions say of a run whose attempt is over.
func stateOfEnd(run *v1alpha1.Run) state {
	switch {
	case run.RetryTime != nil:
		return underWay(run.Reason, fmt.Sprintf("Attempt %d ended with %s, the next begins at %s: %s", run.Attempt, run.Reason, run.RetryTime.UTC().Format(time.RFC3339), run.Message))
	case run.Reason == v1alpha1.ReasonSucceeded:
		return succeeded(run.Message)
	}
	return failed(run.Reason, run.Message)
}
