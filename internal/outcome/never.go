// SPDX-License-Identifier: Apache-2.0

package outcome

import (
	corev1 "k8s.io/api/core/v1"
)

// statusUnknown is the kubelet's reason for a container that it can't find when it ends a pod.
const statusUnknown = "ContainerStatusUnknown"

// neverLeftWaiting says whether the command's container has never been anything but waiting, as far
// as its node has said.
func neverLeftWaiting(pod *corev1.Pod) bool {
	c := container(pod)
	return c != nil && c.State.Waiting != nil && c.LastTerminationState.Terminated == nil && c.RestartCount == 0
}

// endedByNode says whether it was the kubelet that ended a pod whose container waits: only the kubelet
// knows that it starts nothing any more. PodGC fails the pods of a node that it can't ask, and what
// such a pod says of its container may be old. The kubelet leaves a container waiting only in a pod
// that it ended for a reason, or before the init containers were done.
func endedByNode(pod *corev1.Pod) bool {
	if pod.Status.Reason != "" && pod.Status.Reason != podOfLostNode {
		return true
	}
	for _, s := range pod.Status.InitContainerStatuses {
		if s.State.Terminated != nil && s.State.Terminated.ExitCode != 0 && !sidecar(pod, s.Name) {
			return true
		}
	}
	return false
}

// sidecar says whether the init container is one that runs beside the command and is started again.
func sidecar(pod *corev1.Pod, name string) bool {
	for _, c := range pod.Spec.InitContainers {
		if c.Name == name {
			return c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways
		}
	}
	return false
}

// neverCreated says whether the kubelet ended the pod before it had made the container. It reports
// such a container as one that it couldn't find; of one that ran, something is left in the status.
func neverCreated(c *corev1.ContainerStatus) bool {
	ended := c.State.Terminated
	return ended.Reason == statusUnknown && ended.ContainerID == "" && ended.StartedAt.IsZero() && c.ContainerID == "" && c.ImageID == "" &&
		c.RestartCount == 0 && c.LastTerminationState.Terminated == nil
}

// neverExecuted says whether the container runtime failed to execute even the runner.
func neverExecuted(ended *corev1.ContainerStateTerminated) bool {
	return ended.Reason == "StartError" || ended.Reason == "ContainerCannotRun"
}
