// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/outcome"
)

// stopTheUnwanted deletes the Job, and so its pod. Whether the command was started meanwhile, and what
// it came to, only the pod can say.
func stopTheUnwanted(o *Observation, d *Decision) bool {
	run := o.current()
	if run == nil || run.PodUID == "" || o.Job == nil || o.Job.DeletionTimestamp != nil {
		return false
	}
	pod, why := o.chosen(), o.Unwanted()
	if pod == nil || why == nil || !Gated(pod) && !o.cancelled() {
		return false
	}
	setConditions(&d.Status, underWay(why.Reason, "The run is stopped: "+why.Message), o.Generation, o.Now)
	return deleteJob(o, d)
}

func giveUpTheLate(o *Observation, d *Decision) bool {
	run := o.current()
	if run == nil {
		return false
	}
	now := ending(o)
	if now.Phase != outcome.Waiting {
		return false
	}
	if run.PodUID == "" {
		return giveUpThePodless(o, d, now)
	}
	pod := o.chosen()
	if pod == nil || pod.DeletionTimestamp != nil {
		return false
	}
	late := o.Now.After(startBefore(pod).Add(lateness))
	switch {
	case late && o.Job == nil && orphaned(pod):
		end(o, d, outcome.Abandoned())
		return true
	case o.Job == nil: // it was given up, and the garbage collector is on its way
		return false
	case !late && !o.hopeless(now):
		return false
	}
	if run = d.Status.Run; run.GivenUp != nil {
		d.DeleteJob = o.Job
	} else {
		// First why, for the pod forgets it on its way out.
		run.GivenUp = &v1alpha1.GivenUp{Reason: now.Reason, Message: shorten(now.Message)}
	}
	setConditions(&d.Status, underWay(run.GivenUp.Reason, "Given up: "+run.GivenUp.Message), o.Generation, o.Now)
	return true
}

// giveUpThePodless ends a run that the cluster lets no pod be made for.
func giveUpThePodless(o *Observation, d *Decision, now outcome.Outcome) bool {
	if o.suspended() {
		return false
	}
	since := o.Status.Run.QueuedTime.Time
	if o.Job != nil {
		since = podExpected(o.Job)
	}
	if !o.Now.After(since.Add(patience)) {
		return false
	}
	reason, message := now.Reason, now.Message
	if o.Rejection == "" {
		reason = v1alpha1.ReasonPodRejected
		message = "no pod was made for the Job, and no event says why: see to the cluster's Job controller"
	}
	end(o, d, outcome.NotLetGo(reason, message))
	return deleteJob(o, d)
}

// hopeless says whether a pod that waits need not be waited for until its window is over.
func (o *Observation) hopeless(now outcome.Outcome) bool {
	if now.Reason == v1alpha1.ReasonImagePullFailed && !now.Since.IsZero() && o.Now.After(now.Since.Add(o.ImagePullPatience)) {
		return true
	}
	return now.Permanent
}

func deleteJob(o *Observation, d *Decision) bool {
	d.DeleteJob, d.OnlyIfNewest = o.Job, true
	return true
}

// startBefore is the time before which the pod must have started its command. A pod that has no
// such time never starts it.
func startBefore(pod *corev1.Pod) time.Time {
	at, err := time.Parse(time.RFC3339, pod.Annotations[v1alpha1.StartBeforeAnnotation])
	if err != nil {
		return pod.CreationTimestamp.Time
	}
	return at
}
