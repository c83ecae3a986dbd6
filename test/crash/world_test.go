// SPDX-License-Identifier: Apache-2.0

package crash

import (
	"bytes"
	"slices"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gcloud-operator/gcloud-operator/internal/jobspec"
	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

// world plays the Job controller and the kubelet in one namespace, a turn at a time.
type world struct {
	t         *testing.T
	namespace string
	exitCode  int
	stdout    int            // how many bytes a command prints
	executed  map[string]int // by the argument that a command ends with
}

// turn makes the pods of Jobs, executes those that are let go, and takes away what is deleted.
func (w *world) turn() {
	var jobs batchv1.JobList
	var pods corev1.PodList
	w.must(api.List(w.t.Context(), &jobs, client.InNamespace(w.namespace)))
	w.must(api.List(w.t.Context(), &pods, client.InNamespace(w.namespace)))
	for i := range jobs.Items {
		w.makePod(&jobs.Items[i], pods.Items)
	}
	for i := range pods.Items {
		w.tend(&pods.Items[i], jobs.Items)
	}
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
		w.t.Fatal(err)
	}
}

func (w *world) makePod(job *batchv1.Job, pods []corev1.Pod) {
	if job.DeletionTimestamp != nil || slices.ContainsFunc(pods, func(p corev1.Pod) bool { return metav1.IsControlledBy(&p, job) }) {
		return
	}
	w.must(api.Create(w.t.Context(), &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			GenerateName: job.Name + "-", Namespace: job.Namespace, Labels: job.Spec.Template.Labels,
			Annotations: job.Spec.Template.Annotations, Finalizers: job.Spec.Template.Finalizers,
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(job, batchv1.SchemeGroupVersion.WithKind("Job"))},
		},
		Spec: *job.Spec.Template.Spec.DeepCopy(),
	}))
}

// tend does with a pod what the kubelet and the garbage collector do.
func (w *world) tend(pod *corev1.Pod, jobs []batchv1.Job) {
	orphaned := !slices.ContainsFunc(jobs, func(j batchv1.Job) bool { return metav1.IsControlledBy(pod, &j) && j.DeletionTimestamp == nil })
	gated, ended := len(pod.Spec.SchedulingGates) > 0, len(pod.Status.ContainerStatuses) > 0
	switch {
	case pod.DeletionTimestamp == nil && orphaned:
		w.must(api.Delete(w.t.Context(), pod, client.GracePeriodSeconds(0)))
	case pod.DeletionTimestamp == nil && !gated && !ended:
		w.execute(pod)
	}
}

func (w *world) execute(pod *corev1.Pod) {
	task := taskOf(w.t, pod)
	w.executed[task.Argv[len(task.Argv)-1]]++
	now := time.Now()
	report := result.Report{
		Run: task.Run, Reason: result.Exited, ExitCode: w.exitCode, StartedAt: now, FinishedAt: now,
		Stdout: stream(bytes.Repeat([]byte("x"), w.stdout)), Stderr: stream(nil),
	}
	message, _, err := result.Encode(report, result.Limits{MessageBytes: result.DefaultMessageBytes})
	w.must(err)
	pod.Spec.NodeName = "node"
	pod.Status.Phase = corev1.PodRunning
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: jobspec.ContainerName, State: corev1.ContainerState{
		Terminated: &corev1.ContainerStateTerminated{ExitCode: int32(report.ProcessExitCode()), Message: string(message), StartedAt: metav1.NewTime(now), FinishedAt: metav1.NewTime(now)},
	}}}
	w.must(api.Status().Update(w.t.Context(), pod))
}

func taskOf(t *testing.T, pod *corev1.Pod) result.Task {
	t.Helper()
	for _, v := range pod.Spec.Containers[0].Env {
		if v.Name == result.TaskEnv {
			task, err := result.DecodeTask(v.Value)
			if err != nil {
				t.Fatal(err)
			}
			return task
		}
	}
	t.Fatal("the pod has no task")
	return result.Task{}
}

func stream(data []byte) result.Stream {
	c := result.NewCapture(1 << 20)
	_, _ = c.Write(data) // never fails
	return c.Stream()
}
