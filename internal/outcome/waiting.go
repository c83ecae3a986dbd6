// SPDX-License-Identifier: Apache-2.0

package outcome

import (
	"cmp"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

// waitingFor says, for people, what a pod waits for whose command wasn't started yet.
func waitingFor(pod *corev1.Pod) string {
	if gated(pod) {
		return "The pod was made"
	}
	if c := condition(pod, corev1.PodScheduled); c != nil && c.Status == corev1.ConditionFalse {
		return fmt.Sprintf("No node takes the pod: %s", cmp.Or(c.Message, c.Reason))
	}
	if w := waitingState(pod); w != nil && w.Reason != "" && w.Reason != "ContainerCreating" && w.Reason != "PodInitializing" {
		return "The container waits: " + detail(w, pod)
	}
	return "The container is being made"
}

// waitingState returns what the first container that waits, waits for: the init containers' first.
func waitingState(pod *corev1.Pod) *corev1.ContainerStateWaiting {
	for _, statuses := range [][]corev1.ContainerStatus{pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses} {
		for _, s := range statuses {
			if s.State.Waiting != nil {
				return s.State.Waiting
			}
		}
	}
	return nil
}

// neverLeftWaiting says whether the command's container has never been anything but waiting.
func neverLeftWaiting(pod *corev1.Pod) bool {
	c := container(pod)
	return c != nil && c.State.Waiting != nil && c.LastTerminationState.Terminated == nil && c.RestartCount == 0
}

// reasonOf is the condition's reason for a run whose container never came to start.
func reasonOf(w *corev1.ContainerStateWaiting) string {
	switch w.Reason {
	case "ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "RegistryUnavailable", "ImageInspectError":
		return v1alpha1.ReasonImagePullFailed
	}
	return v1alpha1.ReasonNeverStarted
}

// cause says why a pod ended before its container was started. What the container waited for says it
// only of an image; else the init container that failed knows, or the pod, which may be evicted.
func cause(w *corev1.ContainerStateWaiting, pod *corev1.Pod) string {
	if reasonOf(w) == v1alpha1.ReasonImagePullFailed {
		return detail(w, pod)
	}
	for _, s := range pod.Status.InitContainerStatuses {
		if t := s.State.Terminated; t != nil && t.ExitCode != 0 {
			return fmt.Sprintf("init container %q ended with exit code %d: %s", s.Name, t.ExitCode, cmp.Or(t.Message, t.Reason))
		}
	}
	if pod.Status.Reason != "" {
		return podDetail(pod)
	}
	return detail(w, pod)
}

func detail(w *corev1.ContainerStateWaiting, pod *corev1.Pod) string {
	if w.Message != "" {
		return w.Reason + ": " + w.Message
	}
	return cmp.Or(w.Reason, podDetail(pod))
}

func podDetail(pod *corev1.Pod) string {
	text := cmp.Or(pod.Status.Reason, string(pod.Status.Phase))
	if pod.Status.Message != "" {
		text += ": " + pod.Status.Message
	}
	return text
}

func condition(pod *corev1.Pod, kind corev1.PodConditionType) *corev1.PodCondition {
	for i := range pod.Status.Conditions {
		if pod.Status.Conditions[i].Type == kind {
			return &pod.Status.Conditions[i]
		}
	}
	return nil
}
