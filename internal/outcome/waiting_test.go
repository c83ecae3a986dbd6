// SPDX-License-Identifier: Apache-2.0

package outcome

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

const (
	noRoom = "0/3 nodes are available: 3 Insufficient memory."
	room   = "No node takes the pod; make room, add a node, or ask for less in spec.pod: "
	mend   = "The image gcloud:1 can't be pulled; correct its name in the operator's configuration, or let the nodes pull it: "
	lacks  = "The container needs what isn't there; make it, and the run goes on: "
)

func TestWhatAPodWaitsForIsTold(t *testing.T) {
	for name, c := range map[string]struct {
		pod    *corev1.Pod
		reason string
		want   string
	}{
		"the gate is still there":         {podWith(gate), v1alpha1.ReasonPending, "The pod was made"},
		"somebody else's gate is there":   {podWith(gateOf("kueue.x-k8s.io/admission"), unscheduled("SchedulingGated", "")), v1alpha1.ReasonPending, "The pod is held by the scheduling gate kueue.x-k8s.io/admission, which isn't the operator's"},
		"nobody has looked at it yet":     {podWith(unscheduled("SchedulingGated", "Scheduling is blocked due to non-empty scheduling gates")), v1alpha1.ReasonPending, "The container is being made"},
		"no node takes it":                {podWith(unscheduled("Unschedulable", noRoom)), v1alpha1.ReasonUnschedulable, room + noRoom},
		"no node takes it, without words": {podWith(unscheduled("Unschedulable", "")), v1alpha1.ReasonUnschedulable, room + "Unschedulable"},
		"the container is being made":     {podWith(command(waiting("ContainerCreating", ""))), v1alpha1.ReasonPending, "The container is being made"},
		"the container was made":          {podWith(command(waiting("", ""))), v1alpha1.ReasonPending, "The container is being made"},
		"init containers run":             {podWith(initContainer(runningState()), command(waiting("PodInitializing", ""))), v1alpha1.ReasonPending, "The container is being made"},
		"the image can't be pulled": {
			podWith(command(waiting("ErrImagePull", "not found"))), v1alpha1.ReasonImagePullFailed, mend + "ErrImagePull: not found",
		},
		"the image can't be pulled, without words": {
			podWith(command(waiting("ImagePullBackOff", ""))), v1alpha1.ReasonImagePullFailed, mend + "ImagePullBackOff",
		},
		"the runner's image can't be pulled": {
			podWith(initContainer(waiting("ErrImagePull", "not found")), command(waiting("PodInitializing", ""))), v1alpha1.ReasonImagePullFailed, mend + "ErrImagePull: not found",
		},
		"the image of something that was put beside it can't be pulled, and its own is": {
			podWith(command(waiting("ContainerCreating", "")), other("proxy", waiting("ErrImagePull", "not found"))), v1alpha1.ReasonImagePullFailed, mend + "ErrImagePull: not found",
		},
		"the image's signature isn't right": {
			podWith(command(waiting("SignatureValidationFailed", "no signature"))), v1alpha1.ReasonImagePullFailed, mend + "SignatureValidationFailed: no signature",
		},
		"a Secret is missing": {
			podWith(command(waiting("CreateContainerConfigError", `secret "key" not found`))), v1alpha1.ReasonInputMissing, lacks + `secret "key" not found`,
		},
		"a ConfigMap is missing": {
			podWith(command(waiting("CreateContainerConfigError", `configmap "c" not found`))), v1alpha1.ReasonInputMissing, lacks + `configmap "c" not found`,
		},
		"a key is missing": {
			podWith(command(waiting("CreateContainerConfigError", "couldn't find key k in Secret team/key"))), v1alpha1.ReasonInputMissing, lacks + "couldn't find key k in Secret team/key",
		},
		"the kubelet has not read a Secret yet": {
			podWith(command(waiting("CreateContainerConfigError", "failed to sync secret cache: timed out waiting for the condition"))), v1alpha1.ReasonPending,
			"The container waits: CreateContainerConfigError: failed to sync secret cache: timed out waiting for the condition",
		},
		"the container can't be made": {
			podWith(command(waiting("CreateContainerError", "context deadline exceeded"))), v1alpha1.ReasonPending, "The container waits: CreateContainerError: context deadline exceeded",
		},
	} {
		o := OfPod(c.pod, thisRun, nil, afterwards)
		if o.Phase != Waiting || o.Reason != c.reason || o.Message != c.want || o.NeverRan || o.Permanent {
			t.Errorf("%s: got %+v, want that it waits, %s: %q", name, o, c.reason, c.want)
		}
	}
}

func TestWaitingForAnImageIsOfNoUseWhereTheKubeletWillNotTry(t *testing.T) {
	for reason, want := range map[string]bool{
		"InvalidImageName": true, "ErrImageNeverPull": true, "ErrImagePull": false, "ImagePullBackOff": false, "RegistryUnavailable": false, "ImageInspectError": false,
	} {
		o := OfPod(podWith(command(waiting(reason, ""))), thisRun, nil, afterwards)
		if o.Reason != v1alpha1.ReasonImagePullFailed || o.Permanent != want {
			t.Errorf("%s: got %+v", reason, o)
		}
	}
}

func TestAnImageIsWaitedForSinceItCanHaveBeenAskedFor(t *testing.T) {
	at := func(minute int) metav1.Time {
		return metav1.NewTime(containerStarted.Add(time.Duration(minute) * time.Minute))
	}
	taken := func(minute int) func(*corev1.Pod) {
		return func(p *corev1.Pod) { p.Status.StartTime = new(at(minute)) }
	}
	reached := func(kind corev1.PodConditionType, status corev1.ConditionStatus, minute int) func(*corev1.Pod) {
		return withCondition(corev1.PodCondition{Type: kind, Status: status, LastTransitionTime: at(minute)})
	}
	bad := command(waiting("ErrImagePull", "not found"))
	for name, c := range map[string]struct {
		pod  *corev1.Pod
		want time.Time
	}{
		"nobody says when":                  {podWith(bad), time.Time{}},
		"the kubelet took the pod":          {podWith(bad, taken(1)), at(1).Time},
		"the pod's sandbox came later":      {podWith(bad, taken(1), reached(corev1.PodReadyToStartContainers, corev1.ConditionTrue, 2)), at(2).Time},
		"the pod's sandbox isn't there yet": {podWith(bad, taken(1), reached(corev1.PodReadyToStartContainers, corev1.ConditionFalse, 2)), at(1).Time},
		"the runner was put in last of all": {podWith(bad, taken(1), reached(corev1.PodReadyToStartContainers, corev1.ConditionTrue, 2), reached(corev1.PodInitialized, corev1.ConditionTrue, 3)), at(3).Time},
		"it was initialised before that":    {podWith(bad, taken(1), reached(corev1.PodReadyToStartContainers, corev1.ConditionTrue, 2), reached(corev1.PodInitialized, corev1.ConditionTrue, 1)), at(2).Time},
	} {
		if o := OfPod(c.pod, thisRun, nil, afterwards); !o.Since.Equal(c.want) {
			t.Errorf("%s: got %s, want %s", name, o.Since, c.want)
		}
	}
}
