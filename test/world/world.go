// SPDX-License-Identifier: Apache-2.0

// Package world plays what a real API server of a test has not: the Job controller, and the kubelet.
package world

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gcloud-operator/gcloud-operator/internal/jobspec"
	"github.com/gcloud-operator/gcloud-operator/internal/result"
	"github.com/gcloud-operator/gcloud-operator/internal/seal"
)

// World gives every Job a pod, and has every pod whose gate is off execute its task, which is to say that
// it counts it and reports.
type World struct {
	API client.Client
	// Pod changes the pod that is made for a Job, or returns nil for none; unset, it is as the Job says.
	Pod func(*corev1.Pod) *corev1.Pod
	// Stdout is what a command prints; unset, it tells the command's last word.
	Stdout func(argv []string) string
	// Kubelet is the node that pods are on, and has their logs; unset, they are on none, and have no logs.
	Kubelet *Kubelet
	Ran     Counter

	held sync.Map // namespaces
}

// Hold has nothing be executed in a namespace, or end there, until it is called with false.
func (w *World) Hold(namespace string, held bool) { w.held.Store(namespace, held) }

func (w *World) holds(namespace string) bool {
	held, _ := w.held.Load(namespace)
	return held == true
}

// Counter counts by task how often it was executed.
type Counter struct {
	mutex sync.Mutex
	tasks map[string]int
}

func (c *Counter) add(task string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.tasks == nil {
		c.tasks = map[string]int{}
	}
	c.tasks[task]++
}

// Of returns how often the tasks of a resource were executed, by run and attempt.
func (c *Counter) Of(o client.Object) map[string]int {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	counts := map[string]int{}
	for task, n := range c.tasks {
		if run, ok := strings.CutPrefix(task, string(o.GetUID())+"/"); ok {
			counts[run] = n
		}
	}
	return counts
}

// Turn keeps the world turning until the context ends.
func (w *World) Turn(ctx context.Context) {
	for ctx.Err() == nil {
		var jobs batchv1.JobList
		var pods corev1.PodList
		if w.API.List(ctx, &jobs) == nil && w.API.List(ctx, &pods) == nil {
			w.makePods(ctx, jobs.Items, pods.Items)
			w.runPods(ctx, jobs.Items, pods.Items)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func (w *World) makePods(ctx context.Context, jobs []batchv1.Job, pods []corev1.Pod) {
	for i := range jobs {
		job := &jobs[i]
		if job.DeletionTimestamp != nil || slices.ContainsFunc(pods, func(p corev1.Pod) bool { return metav1.IsControlledBy(&p, job) }) {
			continue
		}
		pod := podFor(job)
		if w.Pod != nil {
			pod = w.Pod(pod)
		}
		if pod != nil {
			_ = w.API.Create(ctx, pod) // the next turn tries again
		}
	}
}

// podFor is the pod that the Job controller makes.
func podFor(job *batchv1.Job) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			GenerateName:    job.Name + "-",
			Namespace:       job.Namespace,
			Labels:          job.Spec.Template.Labels,
			Annotations:     job.Spec.Template.Annotations,
			Finalizers:      job.Spec.Template.Finalizers,
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(job, batchv1.SchemeGroupVersion.WithKind("Job"))},
		},
		Spec: *job.Spec.Template.Spec.DeepCopy(),
	}
}

func (w *World) runPods(ctx context.Context, jobs []batchv1.Job, pods []corev1.Pod) {
	for i := range pods {
		p := &pods[i]
		switch {
		case len(p.Spec.SchedulingGates) > 0 || p.DeletionTimestamp != nil || w.holds(p.Namespace):
		case len(p.Status.ContainerStatuses) == 0:
			w.execute(ctx, p)
		default:
			w.finishJob(ctx, jobs, p)
		}
	}
}

// finishJob says of the pod's Job that it has ended, as the Job controller does.
func (w *World) finishJob(ctx context.Context, jobs []batchv1.Job, pod *corev1.Pod) {
	i := slices.IndexFunc(jobs, func(j batchv1.Job) bool { return metav1.IsControlledBy(pod, &j) })
	if i < 0 || len(jobs[i].Status.Conditions) > 0 {
		return
	}
	status := &jobs[i].Status
	status.StartTime, status.CompletionTime, status.Succeeded = new(metav1.Now()), new(metav1.Now()), 1
	for _, kind := range []batchv1.JobConditionType{batchv1.JobSuccessCriteriaMet, batchv1.JobComplete} {
		status.Conditions = append(status.Conditions, batchv1.JobCondition{Type: kind, Status: corev1.ConditionTrue})
	}
	_ = w.API.Status().Update(ctx, &jobs[i]) // the next turn tries again
}

// execute does what the runner does, as far as the controller can see.
func (w *World) execute(ctx context.Context, pod *corev1.Pod) {
	task := taskOf(pod)
	report := w.report(task)
	limits := result.Limits{MessageBytes: task.MessageBytes, LogBytes: task.LogBytes}
	if task.SealTo != "" {
		limits.Seal = must(seal.For(task.SealTo))
	}
	message, trailer, err := result.Encode(report, limits)
	if err != nil {
		panic(err)
	}
	if w.Kubelet != nil && w.Kubelet.take(ctx, w.API, pod, trailer) != nil {
		return // the next turn tries again
	}
	pod.Status.Phase = corev1.PodRunning
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{
		Name: jobspec.ContainerName,
		State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			ExitCode: int32(report.ProcessExitCode()), Reason: "Completed", Message: string(message),
			StartedAt: metav1.Now(), FinishedAt: metav1.Now(),
		}},
	}}
	if w.API.Status().Update(ctx, pod) == nil {
		w.Ran.add(task.Run)
	}
}

// report is what comes of a task: a command prints something, and what is fetched is there.
func (w *World) report(task result.Task) result.Report {
	r := result.Report{
		Run: task.Run, Reason: result.Exited, StartedAt: time.Now().Add(-time.Second), FinishedAt: time.Now(),
		Stdout: result.Whole(nil), Stderr: result.Whole(nil),
	}
	switch {
	case task.Fetch == nil && w.Stdout != nil:
		r.Stdout = result.Whole([]byte(w.Stdout(task.Argv)))
	case task.Fetch == nil:
		r.Stdout = result.Whole([]byte("ran " + task.Argv[len(task.Argv)-1] + "\n"))
	case task.Fetch.File != nil:
		r.Reason, r.ExitCode = result.Fetched, result.NoExitCode
		r.PackFile([]byte("file " + task.Fetch.File.Path + "\n"))
	default:
		r.Reason, r.ExitCode = result.Fetched, result.NoExitCode
		r.PackDocuments([]result.FetchedDocument{{Name: task.Fetch.Documents.Names[0], Content: new(result.Whole([]byte("text\n")))}})
	}
	return r
}

func taskOf(pod *corev1.Pod) result.Task {
	for _, v := range pod.Spec.Containers[0].Env {
		if v.Name == result.TaskEnv {
			return must(result.DecodeTask(v.Value))
		}
	}
	panic(fmt.Sprintf("pod %s has no task", pod.Name))
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
