// SPDX-License-Identifier: Apache-2.0

package outcome

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

func TestNodeThatDoesNotAnswer(t *testing.T) {
	ready := withCondition(corev1.PodCondition{Type: corev1.PodReady, Status: corev1.ConditionTrue})
	notReady := func(reason string) func(*corev1.Pod) {
		return withCondition(corev1.PodCondition{Type: corev1.PodReady, Status: corev1.ConditionFalse, Reason: reason})
	}
	containers := func(status corev1.ConditionStatus) func(*corev1.Pod) {
		return withCondition(corev1.PodCondition{Type: corev1.ContainersReady, Status: status})
	}
	runs, makes := command(runningState()), command(waiting("ContainerCreating", ""))
	inTime, late := containerStarted.Add(overdue-time.Second), containerStarted.Add(overdue)
	for name, c := range map[string]struct {
		pod    *corev1.Pod
		now    time.Time
		phase  Phase
		reason string
		until  time.Time
	}{
		"it answers":                                  {podWith(runs, ready, containers(corev1.ConditionTrue)), late, Running, v1alpha1.ReasonRunning, time.Time{}},
		"it has said nothing yet":                     {podWith(runs), late, Running, v1alpha1.ReasonRunning, time.Time{}},
		"the kubelet says that it isn't ready":        {podWith(runs, notReady("ContainersNotReady"), containers(corev1.ConditionFalse)), late, Running, v1alpha1.ReasonRunning, time.Time{}},
		"somebody's readiness gate isn't ready":       {podWith(runs, notReady("ReadinessGatesNotReady"), containers(corev1.ConditionTrue)), late, Running, v1alpha1.ReasonRunning, time.Time{}},
		"it doesn't":                                  {podWith(runs, nodeSilent), late, Running, v1alpha1.ReasonNodeLost, time.Time{}},
		"it doesn't, and the pod has some time left":  {podWith(runs, nodeSilent, beingDeleted), inTime, Running, v1alpha1.ReasonNodeLost, late},
		"it doesn't, and the pod should have ended":   {podWith(runs, nodeSilent, beingDeleted), late, Ended, v1alpha1.ReasonNodeLost, time.Time{}},
		"it answers, and the pod should have ended":   {podWith(runs, beingDeleted), late, Running, v1alpha1.ReasonRunning, time.Time{}},
		"the pod waits":                               {podWith(makes), late, Waiting, v1alpha1.ReasonPending, time.Time{}},
		"the pod waits, is deleted, and has time":     {podWith(makes, beingDeleted), inTime, Waiting, v1alpha1.ReasonPending, late},
		"the pod waits, is deleted, and doesn't end":  {podWith(makes, beingDeleted), late, Ended, v1alpha1.ReasonNodeLost, time.Time{}},
		"the pod was failed for the node, and ran":    {podWith(runs, byPodGC, beingDeleted, phase(corev1.PodFailed, "", "")), inTime, Ended, v1alpha1.ReasonNodeLost, time.Time{}},
		"the pod was failed for the node, and waited": {podWith(makes, byPodGC, beingDeleted, phase(corev1.PodFailed, "", "")), inTime, Ended, v1alpha1.ReasonNodeLost, time.Time{}},
		"the node is out of service, and the pod ran": {podWith(runs, beingDeleted, phase(corev1.PodFailed, "", "")), inTime, Ended, v1alpha1.ReasonNodeLost, time.Time{}},
		// What it says of its container may be old: only the kubelet knows that it starts nothing.
		"the node is out of service, and the pod waited":                 {podWith(makes, beingDeleted, phase(corev1.PodFailed, "", "")), inTime, Ended, v1alpha1.ReasonNodeLost, time.Time{}},
		"the node is out of service, and the image could not be pulled":  {podWith(command(waiting("ImagePullBackOff", "")), beingDeleted, phase(corev1.PodFailed, "", "")), inTime, Ended, v1alpha1.ReasonNodeLost, time.Time{}},
		"the node is out of service, and a sidecar had failed":           {podWith(failedSidecar, makes, beingDeleted, phase(corev1.PodFailed, "", "")), inTime, Ended, v1alpha1.ReasonNodeLost, time.Time{}},
		"the node controller has said so in the pod":                     {podWith(makes, phase(corev1.PodFailed, "NodeLost", "Node node-1 which was running pod x is unresponsive")), inTime, Ended, v1alpha1.ReasonNodeLost, time.Time{}},
		"the node controller has said so in a pod without any container": {podWith(onNode, phase(corev1.PodFailed, "NodeLost", "Node node-1 which was running pod x is unresponsive")), inTime, Ended, v1alpha1.ReasonNodeLost, time.Time{}},
	} {
		o := OfPod(c.pod, thisRun, nil, c.now)
		if o.Phase != c.phase || o.Reason != c.reason || !o.Until.Equal(c.until) || o.NeverRan {
			t.Errorf("%s: got %+v, want %s until %s", name, o, c.reason, c.until)
		}
		if o.Reason == v1alpha1.ReasonNodeLost && !strings.Contains(o.Message, "may") {
			t.Errorf("%s: got %q, which says nothing of the command", name, o.Message)
		}
	}
}

func failedSidecar(p *corev1.Pod) {
	p.Spec.InitContainers = append(p.Spec.InitContainers, corev1.Container{Name: "runner", RestartPolicy: new(corev1.ContainerRestartPolicyAlways)})
	initContainer(ended(1, "Error", ""))(p)
}
