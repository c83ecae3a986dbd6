// SPDX-License-Identifier: Apache-2.0

package crash

import (
	"bytes"
	"slices"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/controllers/run/decide"
	"github.com/gcloud-operator/gcloud-operator/internal/jobspec"
	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

// world plays the Job controller and the kubelet in one namespace, a turn at a time.
type world struct {
	t         *testing.T
	namespace string
	clock     *clocktesting.FakePassiveClock
	careless  bool // nobody waits for the reports of pods
	podless   bool // no pods are made
	queue     bool // the first Job is suspended before it has a pod
	exitCode  int
	stdout    int            // how many bytes a command prints
	rivals    bool           // two controllers believe that they lead
	endless   bool           // commands run until their pods are asked to end
	ends      result.Reason  // how commands end that aren't stopped
	tardy     bool           // the first pod is asked to end before its command has started
	executed  map[string]int // by the argument that a command ends with
	attempts  map[string]int // the same by the attempt's identity
	changed   func(kind int) // looks at what has changed
}

// turn makes the pods of Jobs, executes those that are let go, and takes away what is deleted.
func (w *world) turn() {
	var j batchv1.JobList
	var p corev1.PodList
	w.must(api.List(w.t.Context(), &j, client.InNamespace(w.namespace)))
	w.must(api.List(w.t.Context(), &p, client.InNamespace(w.namespace)))
	for i := range j.Items {
		if !w.collect(&j.Items[i]) {
			w.enqueue(&j.Items[i])
			w.makePod(&j.Items[i], p.Items)
		}
	}
	for i := range p.Items {
		w.tend(&p.Items[i], j.Items)
	}
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
		w.t.Fatal(err)
	}
}

// wrote is for a write to an object of the kind.
func (w *world) wrote(kind int, err error) {
	w.t.Helper()
	w.must(err)
	w.changed(kind)
}

// collect deletes a Job whose owner is gone, as the garbage collector does.
func (w *world) collect(job *batchv1.Job) bool {
	owner := metav1.GetControllerOf(job)
	var g v1alpha1.GcloudRun
	err := api.Get(w.t.Context(), client.ObjectKey{Namespace: job.Namespace, Name: owner.Name}, &g)
	if err == nil && g.UID == owner.UID {
		return false
	}
	w.must(err)
	w.wrote(jobs, api.Delete(w.t.Context(), job, client.PropagationPolicy(metav1.DeletePropagationBackground)))
	return true
}

// enqueue suspends the first Job, as a queue does.
func (w *world) enqueue(job *batchv1.Job) {
	if w.queue {
		w.queue = false
		w.wrote(jobs, suspendJob(w.t.Context(), job, true))
	}
}

func (w *world) makePod(job *batchv1.Job, present []corev1.Pod) {
	if w.podless || *job.Spec.Suspend || job.DeletionTimestamp != nil || slices.ContainsFunc(present, func(p corev1.Pod) bool { return metav1.IsControlledBy(&p, job) }) {
		return
	}
	w.wrote(pods, api.Create(w.t.Context(), &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			GenerateName: job.Name + "-", Namespace: job.Namespace, Labels: job.Spec.Template.Labels,
			Annotations: job.Spec.Template.Annotations, Finalizers: job.Spec.Template.Finalizers,
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(job, batchv1.SchemeGroupVersion.WithKind("Job"))},
		},
		Spec: *job.Spec.Template.Spec.DeepCopy(),
	}))
}

// tend does with a pod what the kubelet, the garbage collector and the Job controller do.
func (w *world) tend(pod *corev1.Pod, present []batchv1.Job) {
	unwanted := !slices.ContainsFunc(present, func(j batchv1.Job) bool {
		return metav1.IsControlledBy(pod, &j) && j.DeletionTimestamp == nil && !*j.Spec.Suspend
	})
	gated, asked := len(pod.Spec.SchedulingGates) > 0, pod.DeletionTimestamp != nil
	switch {
	case !asked && unwanted:
		w.wrote(pods, api.Delete(w.t.Context(), pod, client.GracePeriodSeconds(0)))
	case gated || ended(pod):
	case running(pod) && asked:
		w.end(pod, result.Terminated, 143)
	case running(pod) && !w.endless:
		w.end(pod, w.ends, w.exitCode)
	case !running(pod) && !asked && w.tardy:
		w.tardy = false
		w.end(pod, result.StoppedBeforeStart, result.NoExitCode)
	case !running(pod) && !asked:
		w.start(pod)
	}
}

func running(pod *corev1.Pod) bool {
	return len(pod.Status.ContainerStatuses) > 0 && pod.Status.ContainerStatuses[0].State.Running != nil
}

func ended(pod *corev1.Pod) bool {
	return len(pod.Status.ContainerStatuses) > 0 && pod.Status.ContainerStatuses[0].State.Terminated != nil
}

// start binds the pod to a node and executes its command.
func (w *world) start(pod *corev1.Pod) {
	task := taskOf(w.t, pod)
	w.executed[task.Argv[len(task.Argv)-1]]++
	w.attempts[task.Run]++
	w.wrote(pods, api.SubResource("binding").Create(w.t.Context(), pod, &corev1.Binding{Target: corev1.ObjectReference{Kind: "Node", Name: "node"}}))
	w.must(api.Get(w.t.Context(), client.ObjectKeyFromObject(pod), pod))
	w.report(pod, corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(w.clock.Now())}})
}

func (w *world) end(pod *corev1.Pod, reason result.Reason, exitCode int) {
	if !decide.HoldsReport(pod) && !w.careless {
		w.t.Errorf("nothing holds pod %s until its report is read", pod.Name)
	}
	now := w.clock.Now()
	r := result.Report{
		Run: taskOf(w.t, pod).Run, Reason: reason, ExitCode: exitCode, StartedAt: now, FinishedAt: now,
		Stdout: stream(bytes.Repeat([]byte("x"), w.stdout)), Stderr: stream(nil),
	}
	message, _, err := result.Encode(r, result.Limits{MessageBytes: result.DefaultMessageBytes})
	w.must(err)
	w.report(pod, corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
		ExitCode: int32(r.ProcessExitCode()), Message: string(message), StartedAt: metav1.NewTime(now), FinishedAt: metav1.NewTime(now),
	}})
}

func (w *world) report(pod *corev1.Pod, state corev1.ContainerState) {
	pod.Status.Phase = corev1.PodRunning
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: jobspec.ContainerName, State: state}}
	w.wrote(pods, api.Status().Update(w.t.Context(), pod))
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
