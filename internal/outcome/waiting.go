// SPDX-License-Identifier: Apache-2.0

package outcome

import (
	"cmp"
	"fmt"
	"regexp"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

// waitingFor says what a pod waits for whose command wasn't started yet, and what to do about it.
func waitingFor(pod *corev1.Pod) Outcome {
	if gated(pod) {
		return pending("The pod was made")
	}
	if gates := pod.Spec.SchedulingGates; len(gates) > 0 {
		return pending("The pod is held by the scheduling gate " + gates[0].Name + ", which isn't the operator's")
	}
	if c := condition(pod, corev1.PodScheduled); c != nil && c.Status == corev1.ConditionFalse && c.Reason != corev1.PodReasonSchedulingGated {
		o := pending("No node takes the pod; make room, add a node, or ask for less in spec.pod: " + cmp.Or(c.Message, c.Reason))
		o.Reason = v1alpha1.ReasonUnschedulable
		return o
	}
	if s := waitingStatus(pod); s != nil && telling(s.State.Waiting) {
		return containerWaits(pod, s)
	}
	return pending("The container is being made")
}

func pending(message string) Outcome {
	return Outcome{Phase: Waiting, Reason: v1alpha1.ReasonPending, Message: message}
}

// containerWaits is for a container that waits for something in particular.
func containerWaits(pod *corev1.Pod, s *corev1.ContainerStatus) Outcome {
	o := pending("The container waits: " + detail(s.State.Waiting, pod))
	o.Since = waitsSince(pod)
	switch w := s.State.Waiting; {
	case reasonOf(w) == v1alpha1.ReasonImagePullFailed:
		o.Reason, o.Permanent = v1alpha1.ReasonImagePullFailed, hopeless(w)
		o.Message = fmt.Sprintf("The image %s can't be pulled; correct its name in the operator's configuration, or let the nodes pull it: %s", s.Image, detail(w, pod))
	case w.Reason == "CreateContainerConfigError" && missing.MatchString(w.Message):
		o.Reason = v1alpha1.ReasonInputMissing
		o.Message = "The container needs what isn't there; make it, and the run goes on: " + w.Message
	}
	return o
}

// missing is how the kubelet says which ConfigMap, Secret, or key of one isn't there.
var missing = regexp.MustCompile(`^(configmap|secret) ".*" not found$|^couldn't find key `)

// hopeless says whether the kubelet will not even try to pull the image again.
func hopeless(w *corev1.ContainerStateWaiting) bool {
	return w.Reason == "InvalidImageName" || w.Reason == "ErrImageNeverPull"
}

// waitsSince is the earliest that the container can have begun to wait for its image: the pod doesn't
// say when it was first asked for.
func waitsSince(pod *corev1.Pod) time.Time {
	var since time.Time
	if pod.Status.StartTime != nil {
		since = pod.Status.StartTime.Time
	}
	for _, kind := range []corev1.PodConditionType{corev1.PodReadyToStartContainers, corev1.PodInitialized} {
		if c := condition(pod, kind); c != nil && c.Status == corev1.ConditionTrue && c.LastTransitionTime.After(since) {
			since = c.LastTransitionTime.Time
		}
	}
	return since
}

// waitingStatus returns the container that waits, the init containers' first, and one that says for
// what before others; nil when none waits.
func waitingStatus(pod *corev1.Pod) *corev1.ContainerStatus {
	var first *corev1.ContainerStatus
	for _, statuses := range [][]corev1.ContainerStatus{pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses} {
		for i := range statuses {
			switch s := &statuses[i]; {
			case s.State.Waiting == nil:
			case telling(s.State.Waiting):
				return s
			case first == nil:
				first = s
			}
		}
	}
	return first
}

// telling says whether the container waits for something other than its turn.
func telling(w *corev1.ContainerStateWaiting) bool {
	return w.Reason != "" && w.Reason != "ContainerCreating" && w.Reason != "PodInitializing"
}

// reasonOf is the condition's reason for a run whose container never came to start.
func reasonOf(w *corev1.ContainerStateWaiting) string {
	switch w.Reason {
	case "ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "RegistryUnavailable", "SignatureValidationFailed", "ImageInspectError":
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
		if t := s.State.Terminated; t != nil && t.ExitCode != 0 && !neverCreated(&s) {
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
