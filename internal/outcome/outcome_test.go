// SPDX-License-Identifier: Apache-2.0

package outcome

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

func TestCommandThatRunsIsRunning(t *testing.T) {
	for name, pod := range map[string]*corev1.Pod{
		"its container runs":                         podWith(command(runningState()), phase(corev1.PodRunning, "", "")),
		"its container runs, and the pod is drained": podWith(command(runningState()), phase(corev1.PodRunning, "", ""), beingDeleted),
		"a sidecar has ended before it":              podWith(other("proxy", ended(0, "Completed", "")), command(runningState()), phase(corev1.PodRunning, "", "")),
		"a sidecar says that it has ended":           podWith(other("proxy", ended(0, "Completed", message(t))), command(runningState()), phase(corev1.PodRunning, "", "")),
	} {
		o := OfPod(pod, thisRun, nil, afterwards)
		if o.Phase != Running || o.Reason != v1alpha1.ReasonRunning || !o.Started.Equal(containerStarted) || o.NeverRan {
			t.Errorf("%s: got %+v", name, o)
		}
	}
}

func TestPodWithoutAReportOfItsOwn(t *testing.T) {
	for name, c := range map[string]struct {
		pod    *corev1.Pod
		reason string
		never  bool
		want   string
	}{
		"deleted while it was gated": {
			podWith(gate, beingDeleted), v1alpha1.ReasonNeverStarted, true, "the pod was deleted before it was let go",
		},
		"deleted while it was gated, and failed by the garbage collector": {
			podWith(gate, beingDeleted, phase(corev1.PodFailed, "", "")), v1alpha1.ReasonNeverStarted, true, "the pod was deleted before it was let go",
		},
		"deleted before a node took it": {
			podWith(beingDeleted), v1alpha1.ReasonUnschedulable, true, "the pod was deleted before a node took it",
		},
		"deleted while its image could not be pulled": {
			podWith(command(notFound()), phase(corev1.PodFailed, "", ""), beingDeleted),
			v1alpha1.ReasonNeverStarted, true, "the pod ended before its container was made (Failed)",
		},
		"deleted while the runner's image could not be pulled": {
			podWith(initContainer(notFound()), command(waiting("PodInitializing", "")), phase(corev1.PodFailed, "", ""), beingDeleted),
			v1alpha1.ReasonNeverStarted, true, "the pod ended before its container was started: PodInitializing",
		},
		"the deadline passed while its image could not be pulled": {
			podWith(command(waiting("ImagePullBackOff", "Back-off pulling image")), phase(corev1.PodFailed, "DeadlineExceeded", "too long")),
			v1alpha1.ReasonImagePullFailed, true, "the pod ended before its container was started: ImagePullBackOff: Back-off pulling image",
		},
		"the deadline passed while the runner's image could not be pulled": {
			podWith(initContainer(waiting("ErrImagePull", "no such image")), command(waiting("PodInitializing", "")), phase(corev1.PodFailed, "DeadlineExceeded", "too long")),
			v1alpha1.ReasonImagePullFailed, true, "the pod ended before its container was started: ErrImagePull: no such image",
		},
		"the deadline passed while its container was being made": {
			podWith(command(waiting("ContainerCreating", "")), phase(corev1.PodFailed, "DeadlineExceeded", "too long")),
			v1alpha1.ReasonNeverStarted, true, "the pod ended before its container was started: DeadlineExceeded: too long",
		},
		"the runner could not be put in": {
			podWith(initContainer(ended(1, "Error", "no space left on device")), command(waiting("PodInitializing", "")), phase(corev1.PodFailed, "", "")),
			v1alpha1.ReasonNeverStarted, true, `the pod ended before its container was started: init container "runner" ended with exit code 1: no space left on device`,
		},
		"the runner could not be put in, and nobody says why": {
			podWith(initContainer(ended(137, "OOMKilled", "")), command(waiting("PodInitializing", "")), phase(corev1.PodFailed, "", "")),
			v1alpha1.ReasonNeverStarted, true, `the pod ended before its container was started: init container "runner" ended with exit code 137: OOMKilled`,
		},
		"waiting to be started again, after it has run": {
			podWith(command(waiting("CrashLoopBackOff", "")), func(p *corev1.Pod) {
				p.Status.ContainerStatuses[0].LastTerminationState = ended(1, "Error", "")
			}, phase(corev1.PodFailed, "", "")),
			v1alpha1.ReasonResultLost, false, "the pod ended without a report (Failed); " + mayHaveActed,
		},
		"waiting, and yet started before": {
			podWith(command(waiting("ContainerCreating", "")), func(p *corev1.Pod) { p.Status.ContainerStatuses[0].RestartCount = 1 }, phase(corev1.PodFailed, "", "")),
			v1alpha1.ReasonResultLost, false, "the pod ended without a report (Failed); " + mayHaveActed,
		},
		"only the sidecar waits": {
			podWith(other("proxy", waiting("ImagePullBackOff", "")), phase(corev1.PodFailed, "", "")),
			v1alpha1.ReasonResultLost, false, "the pod ended without a report (Failed); " + mayHaveActed,
		},
		"succeeded, says the phase alone": {
			podWith(onNode, phase(corev1.PodSucceeded, "", "")),
			v1alpha1.ReasonResultLost, false, "the pod ended without a report (Succeeded); " + mayHaveActed,
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := OfPod(c.pod, thisRun, nil, afterwards)
			if o.Phase != Ended || o.Reason != c.reason || o.NeverRan != c.never || o.Message != c.want || o.Report != nil {
				t.Errorf("got %+v, want %s (never ran: %t): %q", o, c.reason, c.never, c.want)
			}
		})
	}
}

// The kubelet says of a container that it never made, and of one that it lost, that it couldn't find it.
func TestContainerThatLeftATraceMayHaveRun(t *testing.T) {
	for name, trace := range map[string]func(*corev1.ContainerStatus){
		"it has an ID":                    func(s *corev1.ContainerStatus) { s.ContainerID = "containerd://1" },
		"its image has one":               func(s *corev1.ContainerStatus) { s.ImageID = "sha256:1" },
		"it had an ID when it ended":      func(s *corev1.ContainerStatus) { s.State.Terminated.ContainerID = "containerd://1" },
		"it has been running":             func(s *corev1.ContainerStatus) { s.RestartCount = 1 },
		"it has ended before":             func(s *corev1.ContainerStatus) { s.LastTerminationState = notFound() },
		"it was started at some time":     func(s *corev1.ContainerStatus) { s.State.Terminated.StartedAt = metav1.NewTime(containerStarted) },
		"it ended, for no reason it says": func(s *corev1.ContainerStatus) { s.State.Terminated.Reason = "Error" },
	} {
		pod := podWith(command(notFound()), phase(corev1.PodFailed, "", ""), beingDeleted)
		trace(&pod.Status.ContainerStatuses[0])
		if o := OfPod(pod, thisRun, nil, afterwards); o.Phase != Ended || o.Reason != v1alpha1.ReasonResultLost || o.NeverRan {
			t.Errorf("%s: got %+v", name, o)
		}
	}
}

func TestContainerThatEndedWithoutAReport(t *testing.T) {
	for name, c := range map[string]struct {
		state   corev1.ContainerState
		reason  string
		never   bool
		want    string
		started time.Time
	}{
		"the runtime could not execute the runner": {
			ended(128, "StartError", `exec: "/runner": no such file`), v1alpha1.ReasonNeverStarted, true,
			`the container could not be started: exec: "/runner": no such file`, time.Time{},
		},
		"the runtime could not run the container": {
			ended(127, "ContainerCannotRun", "no space left"), v1alpha1.ReasonNeverStarted, true,
			"the container could not be started: no space left", time.Time{},
		},
		"the runtime says so of a container that has begun": {
			ended(128, "StartError", interim(thisRun)), v1alpha1.ReasonResultLost, false,
			"the command was started, and its container ended without a report (exit code 128, StartError); " + mayHaveActed, commandStarted,
		},
		"no message at all": {
			ended(137, "ContainerStatusUnknown", ""), v1alpha1.ReasonResultLost, false,
			"no termination message, and the container ended with exit code 137 (ContainerStatusUnknown); " + mayHaveActed, containerStarted,
		},
		"no message, and out of memory": {
			ended(137, "OOMKilled", ""), v1alpha1.ReasonResultLost, false,
			"no termination message, and the container ended with exit code 137 (OOMKilled); " + mayHaveActed, containerStarted,
		},
		"no message, and yet exit code 0": {
			ended(0, "Completed", ""), v1alpha1.ReasonResultLost, false,
			"no termination message, and the container ended with exit code 0 (Completed); " + mayHaveActed, containerStarted,
		},
		"a message that somebody else wrote": {
			ended(0, "Completed", "All went well"), v1alpha1.ReasonResultLost, false,
			"the termination message is damaged", containerStarted,
		},
		"the interim message, and the container killed": {
			ended(137, "Error", interim(thisRun)), v1alpha1.ReasonResultLost, false,
			"the command was started, and its container ended without a report (exit code 137, Error); " + mayHaveActed, commandStarted,
		},
		"the interim message, and the container killed for its memory": {
			ended(137, "OOMKilled", interim(thisRun)), v1alpha1.ReasonOutOfMemory, false,
			"more memory than its limit", commandStarted,
		},
		"the interim message of another run": {
			ended(137, "OOMKilled", interim("6c1a7b2e/1/2")), v1alpha1.ReasonResultLost, false,
			"the pod's report is not this run's; " + mayHaveActed, containerStarted,
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := OfPod(podWith(command(c.state)), thisRun, nil, afterwards)
			if o.Phase != Ended || o.Reason != c.reason || o.NeverRan != c.never || !strings.Contains(o.Message, c.want) {
				t.Errorf("got %+v, want %s (never ran: %t): %q", o, c.reason, c.never, c.want)
			}
			if !o.Started.Equal(c.started) || !o.Finished.Equal(containerEnded) {
				t.Errorf("got from %s to %s, want from %s to %s", o.Started, o.Finished, c.started, containerEnded)
			}
		})
	}
}

// The container's exit code is 0 or 1, and the API server gets the end when the container ends: the
// phase, which follows later, is of no matter.
func TestReportIsBelievedWhateverThePhase(t *testing.T) {
	for _, p := range []corev1.PodPhase{corev1.PodRunning, corev1.PodSucceeded, corev1.PodFailed, corev1.PodUnknown} {
		for _, reason := range []string{"Completed", "Error", "OOMKilled"} {
			o := OfPod(podWith(command(ended(0, reason, message(t))), phase(p, "", "")), thisRun, nil, afterwards)
			if o.Phase != Ended || o.Reason != v1alpha1.ReasonSucceeded || !o.Started.Equal(commandStarted) || !o.Finished.Equal(commandFinished) {
				t.Errorf("phase %s, container %s: got %+v", p, reason, o)
			}
		}
	}
}

func TestForgedReportsAreNotBelieved(t *testing.T) {
	success := message(t)
	for name, state := range map[string]corev1.ContainerState{
		"success, before the container was killed for its memory":   ended(137, "OOMKilled", success),
		"success, and the runner says that the command failed":      ended(1, "Error", success),
		"failure, and the runner says that the command succeeded":   ended(0, "Completed", message(t, exit(1))),
		"success of another resource's run":                         ended(0, "Completed", message(t, ofRun("ffff/1/1"))),
		"success of an earlier run":                                 ended(0, "Completed", message(t, ofRun("6c1a7b2e/0/1"))),
		"that nothing was started, before the container was killed": ended(137, "Error", message(t, because(result.InputsChanged, "x"))),
		"success, with a header that was written by hand":           ended(0, "Completed", strings.Replace(success, `"exit":0`, `"exit":0 `, 1)),
	} {
		pod := podWith(command(state))
		o := OfPod(pod, thisRun, nil, afterwards)
		if o.Phase != Ended || o.Reason != v1alpha1.ReasonResultLost || o.NeverRan || o.Report != nil {
			t.Errorf("%s: got %+v", name, o)
		}
		if Incomplete(pod, thisRun) != nil {
			t.Errorf("%s: its log is read", name)
		}
	}
}

func TestRunWithoutAPod(t *testing.T) {
	if o := Gone(); o.Phase != Ended || o.Reason != v1alpha1.ReasonResultLost || o.NeverRan {
		t.Errorf("a pod that was let go and is gone: got %+v", o)
	}
	if o := NotLetGo(v1alpha1.ReasonPodRejected, "no pod"); o.Phase != Ended || o.Reason != v1alpha1.ReasonPodRejected || !o.NeverRan || o.Message != "no pod" {
		t.Errorf("a pod that was never let go: got %+v", o)
	}
}
