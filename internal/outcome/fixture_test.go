// SPDX-License-Identifier: Apache-2.0

package outcome

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/jobspec"
	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

const thisRun = "6c1a7b2e/1/1"

// The container started at one, and ended at five past; the runner's own times are a second inside.
var (
	containerStarted = time.Date(2026, 7, 1, 13, 0, 0, 0, time.UTC)
	commandStarted   = containerStarted.Add(time.Second)
	commandFinished  = containerStarted.Add(5*time.Minute - time.Second)
	containerEnded   = containerStarted.Add(5 * time.Minute)
	// Nothing more is to be expected by then.
	afterwards = containerEnded.Add(time.Hour)
)

// podWith returns a pod that was let go and has no node yet, changed.
func podWith(changes ...func(*corev1.Pod)) *corev1.Pod {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "list-projects-x"},
		Status:     corev1.PodStatus{Phase: corev1.PodPending},
	}
	for _, change := range changes {
		change(pod)
	}
	return pod
}

func gate(p *corev1.Pod) { gateOf(v1alpha1.SchedulingGate)(p) }

func gateOf(name string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.SchedulingGates = append(p.Spec.SchedulingGates, corev1.PodSchedulingGate{Name: name})
	}
}

// beingDeleted has a pod deleted that has to end by the time at which the container started.
func beingDeleted(p *corev1.Pod) { p.DeletionTimestamp = new(metav1.NewTime(containerStarted)) }

func onNode(p *corev1.Pod) { p.Spec.NodeName = "node-1" }

func phase(phase corev1.PodPhase, reason, message string) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Status.Phase, p.Status.Reason, p.Status.Message = phase, reason, message }
}

// disrupt has the cluster say that it ends the pod.
func disrupt(reason, message string) func(*corev1.Pod) {
	return withCondition(corev1.PodCondition{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: reason, Message: message})
}

func withCondition(c corev1.PodCondition) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Status.Conditions = append(p.Status.Conditions, c) }
}

// nodeSilent is what the node controller makes of a pod that runs on a node that has stopped answering.
func nodeSilent(p *corev1.Pod) {
	p.Status.Conditions = append(p.Status.Conditions,
		corev1.PodCondition{Type: corev1.PodReady, Status: corev1.ConditionFalse},
		corev1.PodCondition{Type: corev1.ContainersReady, Status: corev1.ConditionTrue},
	)
}

func unscheduled(reason, message string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{
			Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: reason, Message: message,
		})
	}
}

func waiting(reason, message string) corev1.ContainerState {
	return corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}}
}

func runningState() corev1.ContainerState {
	return corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(containerStarted)}}
}

func ended(code int32, reason, message string) corev1.ContainerState {
	return corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
		ExitCode: code, Reason: reason, Message: message,
		StartedAt: metav1.NewTime(containerStarted), FinishedAt: metav1.NewTime(containerEnded),
	}}
}

// command puts the pod on a node, with its command's container in the state.
func command(state corev1.ContainerState) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		onNode(p)
		p.Status.ContainerStatuses = append(p.Status.ContainerStatuses, corev1.ContainerStatus{Name: jobspec.ContainerName, Image: "gcloud:1", State: state})
	}
}

func other(name string, state corev1.ContainerState) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Status.ContainerStatuses = append(p.Status.ContainerStatuses, corev1.ContainerStatus{Name: name, Image: "gcloud:1", State: state})
	}
}

// notFound is how the kubelet ends a container of which it knows nothing.
func notFound() corev1.ContainerState {
	return corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
		ExitCode: 137, Reason: "ContainerStatusUnknown", Message: "The container could not be located when the pod was terminated",
	}}
}

func initContainer(state corev1.ContainerState) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Status.InitContainerStatuses = append(p.Status.InitContainerStatuses, corev1.ContainerStatus{Name: "runner", Image: "gcloud:1", State: state})
	}
}

// report returns the report of a command that printed something and exited 0, changed.
func report(changes ...func(*result.Report)) result.Report {
	r := result.Report{
		Run:        thisRun,
		Reason:     result.Exited,
		StartedAt:  commandStarted,
		FinishedAt: commandFinished,
		Stdout:     stream("a\n"),
		Stderr:     stream(""),
	}
	for _, change := range changes {
		change(&r)
	}
	return r
}

func stream(text string) result.Stream {
	c := result.NewCapture(result.DefaultCaptureBytes)
	_, _ = c.Write([]byte(text)) // never fails
	return c.Stream()
}

func exit(code int) func(*result.Report) { return func(r *result.Report) { r.ExitCode = code } }

func stderr(text string) func(*result.Report) {
	return func(r *result.Report) { r.Stderr = stream(text) }
}

func ofRun(run string) func(*result.Report) { return func(r *result.Report) { r.Run = run } }

// because is for reports of what isn't a command's own end.
func because(reason result.Reason, message string) func(*result.Report) {
	return func(r *result.Report) {
		r.Reason, r.Message, r.ExitCode = reason, message, result.NoExitCode
	}
}

// much is output that does not compress into a termination message.
func much(r *result.Report) {
	random := rand.New(rand.NewPCG(1, 2))
	var text strings.Builder
	for range 20_000 {
		text.WriteByte(byte('!' + random.IntN(90)))
	}
	r.Stdout = stream(text.String())
}

// encoded returns what the runner writes: the termination message, and the end of the log.
func encoded(t *testing.T, r result.Report) (message string, trailer []byte) {
	t.Helper()
	m, trailer, err := result.Encode(r, result.Limits{
		MessageBytes: result.DefaultMessageBytes, LogBytes: result.DefaultLogBytes, Nonce: [result.NonceBytes]byte{7},
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(m), trailer
}

func message(t *testing.T, changes ...func(*result.Report)) string {
	t.Helper()
	m, _ := encoded(t, report(changes...))
	return m
}

// interim is the message that stands while the command runs.
func interim(run string) string {
	return string(result.Started(run, result.HashArgv([]string{"gcloud", "projects", "list"}), commandStarted))
}

// readLog reads what Incomplete asks for out of a log, as the engine does.
func readLog(t *testing.T, pod *corev1.Pod, log []byte) *Log {
	t.Helper()
	m := Incomplete(pod, thisRun)
	if m == nil || m.Trailer == nil {
		t.Fatal("the log isn't asked for")
	}
	r, err := result.DecodeTrailer(*m.Trailer, bytes.NewReader(slices.Concat([]byte("what the command printed\n"), log)))
	return &Log{Report: r, Err: err}
}
