// SPDX-License-Identifier: Apache-2.0

package envtest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/jobspec"
	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

// world plays the Job controller and the kubelet: every Job gets a pod, and every pod whose gate is
// off executes its command, which is to say that it counts it and reports.
type world struct {
	api client.Client
	ran *counter
}

// counter counts by task how often a command was executed.
type counter struct {
	mutex sync.Mutex
	tasks map[string]int
}

func (c *counter) add(task string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.tasks[task]++
}

// of returns how often the commands of a resource were executed, by run and attempt.
func (c *counter) of(g *v1alpha1.GcloudRun) map[string]int {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	counts := map[string]int{}
	for task, n := range c.tasks {
		if run, ok := cutPrefix(task, string(g.UID)+"/"); ok {
			counts[run] = n
		}
	}
	return counts
}

func cutPrefix(s, prefix string) (string, bool) {
	if len(s) < len(prefix) || s[:len(prefix)] != prefix {
		return s, false
	}
	return s[len(prefix):], true
}

// turn keeps the world turning until the context ends.
func (w world) turn(ctx context.Context) {
	for ctx.Err() == nil {
		w.makePods(ctx)
		w.runPods(ctx)
		time.Sleep(10 * time.Millisecond)
	}
}

func (w world) makePods(ctx context.Context) {
	var jobs batchv1.JobList
	var pods corev1.PodList
	if w.api.List(ctx, &jobs) != nil || w.api.List(ctx, &pods) != nil {
		return
	}
	for i := range jobs.Items {
		job := &jobs.Items[i]
		if job.DeletionTimestamp != nil || slices.ContainsFunc(pods.Items, func(p corev1.Pod) bool { return metav1.IsControlledBy(&p, job) }) {
			continue
		}
		_ = w.api.Create(ctx, podFor(job)) // the next turn tries again
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

func (w world) runPods(ctx context.Context) {
	var pods corev1.PodList
	if w.api.List(ctx, &pods) != nil {
		return
	}
	for i := range pods.Items {
		p := &pods.Items[i]
		if len(p.Spec.SchedulingGates) > 0 || p.DeletionTimestamp != nil || len(p.Status.ContainerStatuses) > 0 {
			continue
		}
		w.execute(ctx, p)
	}
}

// execute does what the runner does, as far as the controller can see.
func (w world) execute(ctx context.Context, pod *corev1.Pod) {
	task := taskOf(pod)
	report := result.Report{
		Run: task.Run, Reason: result.Exited, StartedAt: time.Now().Add(-time.Second), FinishedAt: time.Now(),
		Stdout: stream("ran " + task.Argv[len(task.Argv)-1] + "\n"), Stderr: stream(""),
	}
	message, _, err := result.Encode(report, result.Limits{MessageBytes: result.DefaultMessageBytes})
	if err != nil {
		panic(err)
	}
	pod.Status.Phase = corev1.PodRunning
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{
		Name: jobspec.ContainerName,
		State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			ExitCode: int32(report.ProcessExitCode()), Reason: "Completed", Message: string(message),
			StartedAt: metav1.Now(), FinishedAt: metav1.Now(),
		}},
	}}
	if w.api.Status().Update(ctx, pod) == nil {
		w.ran.add(task.Run)
	}
}

func taskOf(pod *corev1.Pod) result.Task {
	for _, v := range pod.Spec.Containers[0].Env {
		if v.Name != result.TaskEnv {
			continue
		}
		task, err := result.DecodeTask(v.Value)
		if err != nil {
			panic(fmt.Sprintf("the pod's task can't be read: %v", err))
		}
		return task
	}
	panic("the pod has no task")
}

func stream(text string) result.Stream {
	c := result.NewCapture(1 << 20)
	if _, err := c.Write([]byte(text)); err != nil {
		panic(err)
	}
	return c.Stream()
}

// jsonText is for messages of tests.
func jsonText(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// jobName is the name of the Job of a resource's run and attempt.
func jobName(g *v1alpha1.GcloudRun, number int64, attempt int32) string {
	owner := jobspec.Owner{Kind: "GcloudRun", Namespace: g.Namespace, Name: g.Name, UID: g.UID}
	return jobspec.Attempt{Owner: owner, Number: number, Attempt: attempt}.JobName()
}
