// SPDX-License-Identifier: Apache-2.0

// Package outcome reads off a Job and its pod how far a run has got, or how it ended and why.
//
// It believes the runner's report, and nothing else, about the command: a Job can be Complete
// although its pod was deleted, and a container can be OOMKilled although the command went well.
package outcome

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/jobspec"
	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

// Phase is how far a run has got.
type Phase int

const (
	// Waiting says that the command hasn't been started, as far as anybody knows.
	Waiting Phase = iota
	// Running says that the command's container runs.
	Running
	// Ended says that the run is over: nothing of it runs, or ever will.
	Ended
)

// Outcome is how far a run has got, or how it ended.
type Outcome struct {
	Phase Phase
	// Reason and Message are those of the conditions.
	Reason, Message string
	// NeverRan is true when it is certain that the command was never started.
	NeverRan bool
	// Report is what the runner said, or as much of it as came through; nil when it said nothing.
	Report *result.Report
	// Sealed says that the report is for a Secret: nothing of what the command printed may stand
	// anywhere else.
	Sealed bool
	// Started and Finished are zero when they aren't known.
	Started, Finished time.Time
	// Since is the earliest that what the pod waits for can have begun, zero when it isn't known.
	Since time.Time
	// Permanent says that waiting longer is of no use.
	Permanent bool
	// Until is when the outcome becomes another although nobody reports anything; zero for never.
	Until time.Time
}

// Log is what was found of the report in the pod's log, or what was in a sealed one.
type Log struct {
	Report result.Report
	Err    error
}

// Incomplete returns the pod's message when there is more to its report: it is sealed, or the rest is
// in the log. It returns nil when the message is all there is.
func Incomplete(pod *corev1.Pod, run string) *result.Message {
	ended := terminated(pod)
	if ended == nil {
		return nil
	}
	m, err := result.DecodeMessage(ended.Message)
	if err != nil || !m.Finished || !m.Report.Believed(run, ended.ExitCode) || inClear(pod, m) {
		return nil
	}
	if m.Trailer == nil && m.Body != result.Sealed {
		return nil
	}
	return &m
}

// OfPod says how far the run has got, by now, whose one pod this is. Run is the identity of the
// attempt; log is what Incomplete asked for, nil when it asked for nothing.
func OfPod(pod *corev1.Pod, run string, log *Log, now time.Time) Outcome {
	if ended := terminated(pod); ended != nil {
		return ofContainer(pod, ended, run, log, now)
	}
	switch {
	case pod.DeletionTimestamp != nil && gated(pod):
		return disrupted(pod, never(v1alpha1.ReasonNeverStarted, "the pod was deleted before it was let go"))
	case pod.DeletionTimestamp != nil && pod.Spec.NodeName == "":
		return never(v1alpha1.ReasonUnschedulable, "the pod was deleted before a node took it")
	case over(pod):
		return disrupted(pod, ofPhase(pod))
	case running(pod) != nil:
		return whileRunning(pod, now)
	default:
		return whileWaiting(pod, now)
	}
}

// Leaving says whether the pod is being deleted while its command's container still runs.
func Leaving(pod *corev1.Pod) bool { return pod.DeletionTimestamp != nil && running(pod) != nil }

// Gone is the outcome of a run whose pod was let go and isn't there any more.
func Gone() Outcome {
	return lost("the pod is gone, and with it the report")
}

// Abandoned is the outcome of a run whose Job is gone, and whose pod nobody ends any more.
func Abandoned() Outcome {
	return lost("the Job is gone, and its pod waits: it will not start the command any more; delete the pod")
}

// NotLetGo is the outcome of a run whose pod was never let go, whatever became of it.
func NotLetGo(reason, message string) Outcome { return never(reason, message) }

// ofPhase is for a pod that is over and whose container left no trace of its own.
func ofPhase(pod *corev1.Pod) Outcome {
	waits := neverLeftWaiting(pod)
	switch {
	case rejected(pod):
		return refused(pod)
	case waits && endedByNode(pod):
		w := waitingStatus(pod).State.Waiting
		return never(reasonOf(w), "the pod ended before its container was started: "+cause(w, pod))
	case waits || running(pod) != nil:
		return nodeLost("the pod was declared failed without its node, which is gone or out of service", pod)
	}
	return lost("the pod ended without a report (" + podDetail(pod) + ")")
}

func never(reason, message string) Outcome {
	return Outcome{Phase: Ended, Reason: reason, Message: message, NeverRan: true}
}

// mayHaveActed is what there is to do about a command whose end is not its own.
const mayHaveActed = "the command may have acted: look, then run it again"

func lost(message string) Outcome {
	return Outcome{Phase: Ended, Reason: v1alpha1.ReasonResultLost, Message: message + "; " + mayHaveActed}
}

// Over says whether nothing more is to be expected of the pod.
func Over(pod *corev1.Pod) bool { return over(pod) || terminated(pod) != nil }

func over(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}

func gated(pod *corev1.Pod) bool {
	for _, gate := range pod.Spec.SchedulingGates {
		if gate.Name == v1alpha1.SchedulingGate {
			return true
		}
	}
	return false
}

// container returns the status of the container that executes the command, or nil.
func container(pod *corev1.Pod) *corev1.ContainerStatus {
	for i := range pod.Status.ContainerStatuses {
		if pod.Status.ContainerStatuses[i].Name == jobspec.ContainerName {
			return &pod.Status.ContainerStatuses[i]
		}
	}
	return nil
}

// terminated looks at the container, never at the pod's phase, which follows up to a second later.
func terminated(pod *corev1.Pod) *corev1.ContainerStateTerminated {
	if c := container(pod); c != nil {
		return c.State.Terminated
	}
	return nil
}

func running(pod *corev1.Pod) *corev1.ContainerStateRunning {
	if c := container(pod); c != nil {
		return c.State.Running
	}
	return nil
}
