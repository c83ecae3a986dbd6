// SPDX-License-Identifier: Apache-2.0

package outcome

import (
	"cmp"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

// What the kubelet writes into the reason of a pod that it ends itself, and PodGC into a condition.
const (
	podEvicted       = "Evicted"
	podPreempted     = "Preempting" // to make room for a critical pod
	podTooLate       = "DeadlineExceeded"
	podOfLostNode    = "NodeLost"
	deletedForNoNode = "DeletionByPodGC"
)

// settling is how long after its container's end a pod's own is waited for. The kubelet reports the
// former up to two seconds earlier, and why it ended the pod only with the latter.
const settling = 10 * time.Second

// settled is when nothing more is to be expected of the pod about the end of its container. Whoever
// deletes a pod says why before he does.
func settled(pod *corev1.Pod, ended *corev1.ContainerStateTerminated) time.Time {
	if over(pod) || pod.DeletionTimestamp != nil {
		return time.Time{}
	}
	return ended.FinishedAt.Add(settling)
}

// disrupted gives an outcome whose cause was outside the run the reason that the cluster had.
func disrupted(pod *corev1.Pod, o Outcome) Outcome {
	reason, why := disruption(pod)
	switch {
	case !unexplained(o):
	case reason == v1alpha1.ReasonTimedOut && o.NeverRan:
	case reason != "":
		o.Reason = reason
		o.Message += "; " + why
	case o.Reason == v1alpha1.ReasonTerminated && pod.DeletionTimestamp != nil:
		o.Message += "; its pod was deleted"
	}
	return o
}

// unexplained says whether the outcome doesn't say itself what caused it.
func unexplained(o Outcome) bool {
	switch o.Reason {
	case v1alpha1.ReasonTerminated, v1alpha1.ReasonResultLost, v1alpha1.ReasonNeverStarted:
		return true
	}
	return false
}

// disruption says why the cluster ended the pod, or nothing where it didn't.
func disruption(pod *corev1.Pod) (reason, why string) {
	if rejected(pod) {
		return "", ""
	}
	switch pod.Status.Reason {
	case podEvicted:
		return v1alpha1.ReasonEvicted, "its node evicted the pod: " + pod.Status.Message
	case podPreempted:
		return v1alpha1.ReasonPreempted, "its node ended the pod for a critical one: " + pod.Status.Message
	case podTooLate:
		return v1alpha1.ReasonTimedOut, "its node ended the pod at its deadline, which is later than spec.timeout"
	case podOfLostNode:
		return v1alpha1.ReasonNodeLost, "its node doesn't answer: " + pod.Status.Message
	}
	c := condition(pod, corev1.DisruptionTarget)
	if c == nil || c.Status != corev1.ConditionTrue {
		return "", ""
	}
	switch c.Reason {
	case corev1.PodReasonPreemptionByScheduler:
		return v1alpha1.ReasonPreempted, "its pod had to make room for one of a higher priority: " + cmp.Or(c.Message, c.Reason)
	case deletedForNoNode:
		return v1alpha1.ReasonNodeLost, "its node is gone"
	}
	return v1alpha1.ReasonEvicted, "its pod was evicted: " + cmp.Or(c.Message, c.Reason)
}
