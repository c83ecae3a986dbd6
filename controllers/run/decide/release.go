// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"slices"
	"strconv"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/jobspec"
	"github.com/gcloud-operator/gcloud-operator/internal/outcome"
)

func letGoOfTheDeleted(o *Observation, d *Decision) bool {
	if !o.Deleted {
		return false
	}
	d.Release = firstHeld(o.Pods)
	return true
}

func letGoOfThePredecessor(o *Observation, d *Decision) bool {
	d.Release = firstHeld(o.Strangers)
	d.OnlyIfNewest = d.Release != nil
	return d.Release != nil
}

// releaseTheEnded lets go of pods whose reports are read. One that isn't of the run that has ended may be
// of one that has begun since.
func releaseTheEnded(o *Observation, d *Decision) bool {
	d.Release = firstHeld(slices.DeleteFunc(slices.Clone(o.Pods), o.awaited))
	if d.Release == nil {
		return false
	}
	run := o.Status.Run
	d.OnlyIfNewest = run == nil || run.PodUID != d.Release.UID
	return true
}

// deleteTheLeftOver deletes the Job of a pod that waits for nothing: a controller with an old cache can
// make the Job of a run that has ended, and a Job can make a second pod.
func deleteTheLeftOver(o *Observation, d *Decision) bool {
	if slices.ContainsFunc(o.Pods, o.awaited) { // it may be the same Job's
		return false
	}
	for i := range o.Pods {
		pod := &o.Pods[i]
		if owner := metav1.GetControllerOf(pod); owner != nil && o.made(owner.Name, pod) && Gated(pod) && pod.DeletionTimestamp == nil {
			d.DeleteJob = &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: owner.Name, UID: owner.UID}}
			d.OnlyIfNewest = true
			return true
		}
	}
	for i := range o.PastJobs {
		if job := &o.PastJobs[i]; o.barren(job) {
			d.DeleteJob, d.OnlyIfNewest = job, true
			return true
		}
	}
	return false
}

// barren says whether the Job of an attempt that is over never had a pod: it was made by a controller that
// didn't know of the end.
func (o *Observation) barren(job *batchv1.Job) bool {
	s := job.Status
	if job.DeletionTimestamp != nil || FinishedJob(job) != nil || s.Active+s.Succeeded+s.Failed > 0 {
		return false
	}
	return !slices.ContainsFunc(o.Pods, func(p corev1.Pod) bool { return ownedBy(&p, job) })
}

// maxAttempts is how many a run has at most: spec.retry.limit is 10 at most.
const maxAttempts = 11

// made says whether the name is that of a Job of this resource, and of the run that the pod is of. Whoever
// may make pods can make one that looks like the resource's and names any Job as its owner.
func (o *Observation) made(job string, pod *corev1.Pod) bool {
	number, err := strconv.ParseInt(pod.Annotations[v1alpha1.RunAnnotation], 10, 64)
	if err != nil {
		return false
	}
	for attempt := range int32(maxAttempts) {
		if (jobspec.Attempt{Owner: o.Owner, Number: number, Attempt: attempt + 1}).JobName() == job {
			return true
		}
	}
	return false
}

// awaited says whether the pod's report may still come: its node doesn't answer, but may be back.
func (o *Observation) awaited(pod corev1.Pod) bool {
	run := o.Status.Run
	return run != nil && run.Reason == v1alpha1.ReasonNodeLost && run.PodUID == pod.UID && !outcome.Over(&pod)
}

func firstHeld(pods []corev1.Pod) *corev1.Pod {
	for i := range pods {
		if HoldsReport(&pods[i]) {
			return &pods[i]
		}
	}
	return nil
}
