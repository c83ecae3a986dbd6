// SPDX-License-Identifier: Apache-2.0

// Package decide says what a resource needs next. It is pure: the engine gathers an Observation,
// Decide returns a Decision, the engine carries it out.
package decide

import (
	"fmt"
	"hash/fnv"
	"math"
	"strconv"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/jobspec"
	"github.com/gcloud-operator/gcloud-operator/internal/outcome"
)

// Observation is all that a decision depends on.
type Observation struct {
	Now time.Time

	// Owner is the resource, Generation its metadata.generation, Deleted whether it is being deleted.
	Owner      jobspec.Owner
	Generation int64
	Deleted    bool
	Suspended  bool
	Status     v1alpha1.RunStatus

	// Newest says that the resource is as the API server just answered, and not from the cache.
	Newest bool

	// Interval is how long after the end of a run the same is run again; 0 for never.
	Interval time.Duration

	// Hold says that a resource which was never run waits until it is asked for.
	Hold bool

	// Cancel is the number of the run that is to be cancelled, as users write it.
	Cancel string

	// SuccessExitCodes are those that count as success; none for 0 alone.
	SuccessExitCodes []int32

	// Retry says which ends are tried again.
	Retry Retry

	// ImagePullPatience is how long an image that can't be pulled is tried again.
	ImagePullPatience time.Duration

	// Request and ReconcileAt are the values of the annotations that run the same spec again; where
	// an annotation is missing, the value that was handled last.
	Request, ReconcileAt string

	// Plan is what the spec asks for, and Key the key of that; Refusal says why it can't be run.
	Plan    jobspec.Plan
	Key     string
	Refusal *Refusal

	// Job is the Job of the run under way, or nil. Taken says which object with a name that the run
	// needs is another's: "Job x".
	Job   *batchv1.Job
	Taken string

	// Turn says what the run under way, which has no Job yet, has to wait for.
	Turn Turn

	// Unwatched says that the run's pod makes no events any more: it has lost the operator's label.
	Unwatched bool

	// Rejection is what the cluster said when it refused to make the run's Job, or its pod.
	Rejection string

	// PastJobs are the Jobs of attempts that are over, when the newest run is, as far as they still exist.
	PastJobs []batchv1.Job

	// Pods are the pods of the resource, of every run, as far as they still exist. Strangers are those
	// of an earlier resource of the same kind and name.
	Pods, Strangers []corev1.Pod

	// Log is what was found in the log of the run's pod, where its report points there.
	Log *outcome.Log
}

// Turn is what a run waits for where only so many runs of a namespace may be under way.
type Turn struct {
	// Limit is how many may; 0 for as many as there are.
	Limit int
	// Running are under way. Behind says that others have waited longer for what is free.
	Running int
	Behind  bool
}

// Refusal says why a spec can't be run: a condition's reason, and what to do.
type Refusal struct {
	Reason, Message string
}

// beforeTheStart is what is told of a run that it ended before the command was started.
func (r *Refusal) beforeTheStart() string {
	if r.Reason == v1alpha1.ReasonCancelled { // which may also be of a command that ran
		return "The command was never started: " + r.Message
	}
	return r.Message
}

// Retry says which ends are tried again, how often, and how long after the first; then twice as long
// after each. What provably never started is always among them.
type Retry struct {
	Limit   int32
	Backoff time.Duration
	// On are the reasons of other ends.
	On []string
}

// Unwanted says why the run under way is not to be let go; nil when it is. That a gate is there still,
// only the API server can say.
func (o *Observation) Unwanted() *Refusal {
	run := o.current()
	switch {
	case run == nil:
		return nil
	case o.cancelled():
		return &Refusal{v1alpha1.ReasonCancelled, "the annotation " + v1alpha1.CancelRunAnnotation + " asks for it"}
	case run.Key != o.Key:
		return &Refusal{v1alpha1.ReasonNeverStarted, "the spec was changed before the command was started"}
	case o.Refusal != nil:
		return o.Refusal
	}
	return o.changed()
}

// changed says what in the gated pod is not as the plan has it: somebody who may edit pods could have
// it run something else.
func (o *Observation) changed() *Refusal {
	pod := o.chosen()
	if pod == nil || !Gated(pod) {
		return nil
	}
	if what := jobspec.Changed(&jobspec.Job(o.Plan, o.attempt()).Spec.Template, pod); what != "" {
		return &Refusal{v1alpha1.ReasonPodChanged, "the pod was changed before it was let go, and so was not: " + what}
	}
	return nil
}

// cancelled says whether the newest run is to be cancelled.
func (o *Observation) cancelled() bool {
	return o.Status.Run != nil && o.Cancel == strconv.FormatInt(o.Status.Run.Number, 10)
}

// current returns the run under way, or nil when none is.
func (o *Observation) current() *v1alpha1.Run {
	if o.Status.Run == nil || o.Status.Run.Ended() {
		return nil
	}
	return o.Status.Run
}

// jobless says whether the next thing that the run under way needs is a Job.
func (o *Observation) jobless() bool {
	run := o.current()
	return run != nil && o.Job == nil && run.PodUID == "" && o.Rejection == ""
}

func (o *Observation) attempt() jobspec.Attempt {
	return jobspec.AttemptOf(o.Owner, o.Status.Run)
}

// chosen returns the one pod that the run under way may execute in, or nil when it isn't there.
func (o *Observation) chosen() *corev1.Pod {
	for i := range o.Pods {
		if o.Pods[i].UID == o.Status.Run.PodUID {
			return &o.Pods[i]
		}
	}
	return nil
}

// due is when the interval has passed since the last run's end, and up to a tenth of it more: what was
// applied together shall not be due together for ever. The tenth is fixed by resource and run.
func (o *Observation) due() time.Time {
	h := fnv.New32a()
	_, _ = fmt.Fprintf(h, "%s/%d", o.Owner.UID, o.Status.Run.Number)
	jitter := time.Duration(float64(o.Interval) / 10 * float64(h.Sum32()) / math.MaxUint32)
	return o.Status.Run.CompletionTime.Add(o.Interval + jitter)
}

// candidate returns a pod of the run's Job that could be chosen: the oldest that isn't being deleted.
func (o *Observation) candidate() *corev1.Pod {
	var oldest *corev1.Pod
	for i := range o.Pods {
		p := &o.Pods[i]
		if o.Job == nil || !ownedBy(p, o.Job) || p.DeletionTimestamp != nil {
			continue
		}
		if oldest == nil || p.CreationTimestamp.Before(&oldest.CreationTimestamp) {
			oldest = p
		}
	}
	return oldest
}

// Podless says whether the Job of the run under way has no pod although one should be there by now.
func (o *Observation) Podless() bool {
	return o.Job != nil && !o.suspended() && o.candidate() == nil && o.Now.Sub(podExpected(o.Job)) >= brief
}

func ownedBy(pod *corev1.Pod, job *batchv1.Job) bool {
	for _, ref := range pod.OwnerReferences {
		if ref.UID == job.UID {
			return true
		}
	}
	return false
}

// Gated says whether the pod still has the gate that it was born with.
func Gated(pod *corev1.Pod) bool {
	for _, gate := range pod.Spec.SchedulingGates {
		if gate.Name == v1alpha1.SchedulingGate {
			return true
		}
	}
	return false
}

// HoldsReport says whether the pod carries the finalizer that keeps its report.
func HoldsReport(pod *corev1.Pod) bool {
	for _, f := range pod.Finalizers {
		if f == v1alpha1.ReportFinalizer {
			return true
		}
	}
	return false
}

// FinishedJob returns the condition that says that the Job has ended; nil when it has not.
func FinishedJob(job *batchv1.Job) *batchv1.JobCondition {
	if job == nil {
		return nil
	}
	for i := range job.Status.Conditions {
		c := &job.Status.Conditions[i]
		if (c.Type == batchv1.JobFailed || c.Type == batchv1.JobComplete) && c.Status == corev1.ConditionTrue {
			return c
		}
	}
	return nil
}
