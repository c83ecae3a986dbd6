// SPDX-License-Identifier: Apache-2.0

package outcome

import (
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

// overdue is how long after its grace period a pod that is being deleted counts as one whose node
// doesn't answer.
const overdue = time.Minute

// whileRunning is for a pod whose container runs, as far as anybody knows.
func whileRunning(pod *corev1.Pod, now time.Time) Outcome {
	started := running(pod).StartedAt.Time
	if !silent(pod) {
		return Outcome{Phase: Running, Reason: v1alpha1.ReasonRunning, Message: "It runs", Started: started}
	}
	until := endOfPatience(pod)
	if !until.IsZero() && !now.Before(until) {
		return nodeLost("the pod was deleted, and its node doesn't answer", pod)
	}
	return Outcome{Phase: Running, Reason: v1alpha1.ReasonNodeLost, Message: "The pod's node doesn't answer: the command may still run there; see `kubectl describe node " +
		pod.Spec.NodeName + "`", Started: started, Until: until}
}

// whileWaiting is for a pod whose container was not started yet, as far as anybody knows. That its
// node doesn't answer is nowhere to be seen in such a pod, but in that it doesn't end.
func whileWaiting(pod *corev1.Pod, now time.Time) Outcome {
	o := waitingFor(pod)
	o.Until = endOfPatience(pod)
	if !o.Until.IsZero() && !now.Before(o.Until) {
		return nodeLost("the pod was deleted, and its node doesn't say that it has ended", pod)
	}
	return o
}

// silent says whether the node of a pod that runs has stopped answering. The node controller then
// takes Ready from the pod, with no reason, and nothing else; a kubelet has a reason when it does.
func silent(pod *corev1.Pod) bool {
	ready, containers := condition(pod, corev1.PodReady), condition(pod, corev1.ContainersReady)
	return ready != nil && ready.Status == corev1.ConditionFalse && ready.Reason == "" &&
		containers != nil && containers.Status == corev1.ConditionTrue
}

// endOfPatience is when a pod that is being deleted should have ended, and a while; zero when it
// isn't being deleted. The time of its deletion has the grace period in it.
func endOfPatience(pod *corev1.Pod) time.Time {
	if pod.DeletionTimestamp == nil {
		return time.Time{}
	}
	return pod.DeletionTimestamp.Add(overdue)
}

// nodeLost is for a pod of which nobody knows whether it has ended.
func nodeLost(message string, pod *corev1.Pod) Outcome {
	o := Outcome{Phase: Ended, Reason: v1alpha1.ReasonNodeLost, Message: message + "; the command may have acted, and may still run there: see to the node, look, then run it again"}
	if r := running(pod); r != nil {
		o.Started = r.StartedAt.Time
	}
	return o
}

// rejection is how the kubelet begins the message of a pod that it refused to take.
const rejection = "Pod was rejected: "

// rejected says whether the kubelet refused to take the pod.
func rejected(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodFailed && strings.HasPrefix(pod.Status.Message, rejection)
}

// refused is for a pod that the kubelet refused to take. That proves nothing: the kubelet leaves no
// more than its refusal in the status, not even what stood there before, and when it is started anew
// it looks at every pod again, and so refuses one that ran as well.
func refused(pod *corev1.Pod) Outcome {
	return lost("the node refused the pod, as it does with new ones, and when its kubelet is started anew also with those that run (" + podDetail(pod) + ")")
}
