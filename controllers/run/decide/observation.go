// SPDX-License-Identifier: Apache-2.0

// Package decide says what a resource needs next. It is pure: the engine gathers an Observation,
// Decide returns a Decision, the engine carries it out.
package decide

import (
	"fmt"
	"hash/fnv"
	"math"
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

	// Interval is how long after the end of a run the same is run again; 0 for never.
	Interval time.Duration

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

	// Pods are the pods of the resource, of every run, as far as they still exist. Strangers are those
	// of an earlier resource of the same kind and name.
	Pods, Strangers []corev1.Pod

	// Log is what was found in the log of the run's pod, where its report points there.
	Log *outcome.Log
}

// Refusal says why a spec can't be run: a condition's reason, and what to do.
type Refusal struct {
	Reason, Message string
}

// current returns the run under way, or nil when none is.
func (o *Observation) current() *v1alpha1.Run {
	if o.Status.Run == nil || o.Status.Run.Ended() {
		return nil
	}
	return o.Status.Run
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

func finishedJob(job *batchv1.Job) *batchv1.JobCondition {
	for i := range job.Status.Conditions {
		c := &job.Status.Conditions[i]
		if (c.Type == batchv1.JobFailed || c.Type == batchv1.JobComplete) && c.Status == corev1.ConditionTrue {
			return c
		}
	}
	return nil
}
