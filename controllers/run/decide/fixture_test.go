// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/jobspec"
	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

// The run was queued at noon; every test says what time it is now.
var noon = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

const (
	jobUID = types.UID("job-1")
	podUID = types.UID("pod-1")
)

type change = func(*Observation)

// observe returns what is seen at noon of a resource that was just made, changed in order.
func observe(changes ...change) *Observation {
	o := &Observation{
		Now:        noon,
		Owner:      jobspec.Owner{Kind: "GcloudRun", Namespace: "team", Name: "list", UID: "uid-1"},
		Generation: 1,
		Status:     v1alpha1.RunStatus{ObservedGeneration: -1},
		Key:        "key-1",
		Plan:       jobspec.Plan{Image: "gcloud:528", Argv: []string{"gcloud", "projects", "list"}, Timeout: 10 * time.Minute},
	}
	for _, c := range changes {
		c(o)
	}
	return o
}

func after(d time.Duration) change { return func(o *Observation) { o.Now = noon.Add(d) } }

func deleted(o *Observation) { o.Deleted = true }

func suspend(o *Observation) { o.Suspended = true }

func invalid(o *Observation) {
	o.Refusal = &Refusal{v1alpha1.ReasonInvalidSpec, "spec.command: --limit=5 is missing"}
}

func cancelled(o *Observation) { o.Cancel = "1" }

func hold(o *Observation) { o.Hold = true }

// isHeld is for a resource that the operator has seen, and holds.
func isHeld(o *Observation) { o.Status = Decide(o).Status }

// patient has what never started tried again, three times.
func patient(o *Observation) { o.Retry = Retry{Limit: 3, Backoff: 10 * time.Second} }

// again is for a run whose first attempt never started, and whose second begins ten minutes past noon.
func again(o *Observation) {
	over(v1alpha1.ReasonImagePullFailed)(o)
	patient(o)
	o.Status.Run.RetryTime = new(metav1.NewTime(noon.Add(10 * time.Minute)))
}

// overQuota is for a Job, or a pod, that the cluster has just refused to make.
func overQuota(o *Observation) { o.Rejection = `jobs.batch "x" is forbidden: exceeded quota: few` }

const imagePatience = 40 * time.Second

// sinceNoon is for a pod whose node has had it since noon.
func sinceNoon(o *Observation) {
	o.ImagePullPatience = imagePatience
	o.Pods[0].Status.StartTime = new(metav1.NewTime(noon))
}

// full is for a namespace in which as many runs are under way as may be.
func full(o *Observation) { o.Turn = Turn{Limit: 5, Running: 5} }

// behind is for one in which there is room for another, which others have waited for longer.
func behind(o *Observation) { o.Turn = Turn{Limit: 5, Running: 4, Behind: true} }

func taken(o *Observation) { o.Taken = "Job x" }

// edited is for a deciding field that has another value now.
func edited(o *Observation) { o.Key, o.Generation = "key-2", o.Generation+1 }

// relabelled is for an edit of what decides nothing.
func relabelled(o *Observation) { o.Generation++ }

// queued is for a first run that is decided on.
func queued(o *Observation) {
	run := &v1alpha1.Run{Number: 1, Key: "key-1", Attempt: 1, QueuedTime: metav1.NewTime(noon)}
	run.JobName = jobspec.AttemptOf(o.Owner, run).JobName()
	o.Status.Run = run
}

// jobMade is for a queued run whose Job is there.
func jobMade(o *Observation) {
	queued(o)
	o.Job = jobspec.Job(o.Plan, o.attempt())
	o.Job.UID, o.Job.CreationTimestamp = jobUID, metav1.NewTime(noon)
}

// jobGone takes the Job away again.
func jobGone(o *Observation) { o.Job = nil }

func jobEnded(kind batchv1.JobConditionType, message string) change {
	return func(o *Observation) {
		o.Job.Status.Conditions = append(o.Job.Status.Conditions, batchv1.JobCondition{
			Type: kind, Status: corev1.ConditionTrue, Message: message,
		})
	}
}

// podMade is for a Job whose pod is there, gated as it was born.
func podMade(o *Observation) {
	jobMade(o)
	pod(podUID, "list-x")(o)
}

// pod adds a pod of the Job, born a second after the one before.
func pod(uid types.UID, name string) change {
	return func(o *Observation) {
		p := corev1.Pod{ObjectMeta: *o.Job.Spec.Template.ObjectMeta.DeepCopy(), Spec: *o.Job.Spec.Template.Spec.DeepCopy()}
		p.Namespace, p.Name, p.UID = o.Owner.Namespace, name, uid
		p.CreationTimestamp = metav1.NewTime(noon.Add(time.Duration(len(o.Pods)) * time.Second))
		p.OwnerReferences = []metav1.OwnerReference{{Kind: "Job", Name: o.Job.Name, UID: o.Job.UID, Controller: new(true)}}
		o.Pods = append(o.Pods, p)
	}
}

// chosen is for a pod that is written down, and still gated.
func chosen(o *Observation) {
	podMade(o)
	o.Status.Run.PodName, o.Status.Run.PodUID = o.Pods[0].Name, o.Pods[0].UID
}

// letGo is for a chosen pod whose gate was taken off at noon.
func letGo(o *Observation) {
	chosen(o)
	o.Pods[0].Spec.SchedulingGates = nil
	o.Pods[0].Annotations[v1alpha1.StartBeforeAnnotation] = noon.Add(jobspec.StartWindow).Format(time.RFC3339)
}

// leftOver adds a pod of the Job that is not the chosen one, and so is never let go.
func leftOver(o *Observation) { pod("pod-2", "list-y")(o) }

// barren is for a Job without a pod that was made when its attempt was over.
func barren(o *Observation) {
	jobMade(o)
	over(v1alpha1.ReasonPodRejected)(o)
	o.PastJobs, o.Job = []batchv1.Job{*o.Job}, nil
}

// noneHeld is for pods of which none is held until its report is read.
func noneHeld(o *Observation) {
	for i := range o.Pods {
		podReleased(&o.Pods[i])
	}
}

// thePod changes the first pod.
func thePod(f func(*corev1.Pod)) change { return func(o *Observation) { f(&o.Pods[0]) } }

func podDeleted(p *corev1.Pod) { p.DeletionTimestamp = new(metav1.NewTime(noon)) }

// podOrphaned is for a pod whose Job was deleted without it.
func podOrphaned(p *corev1.Pod) { p.OwnerReferences = nil }

func podReleased(p *corev1.Pod) { p.Finalizers = nil }

func podSwapped(p *corev1.Pod) { p.Spec.Containers[0].Image = "evil" }

func podsGone(o *Observation) { o.Pods = nil }

func inState(state corev1.ContainerState) change {
	return thePod(func(p *corev1.Pod) {
		p.Spec.NodeName = "node-1"
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: jobspec.ContainerName, State: state}}
	})
}

// started is for a command that runs since one o'clock.
func started(o *Observation) {
	letGo(o)
	inState(corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(noon.Add(time.Hour))}})(o)
}

// endedWith is for a command that ended at two minutes past one, and reported.
func endedWith(t *testing.T, exitCode int) change {
	t.Helper()
	return reported(t, result.Report{Reason: result.Exited, ExitCode: exitCode})
}

// stopped is for a command that was stopped because its pod was asked to end.
func stopped(t *testing.T) change {
	t.Helper()
	return reported(t, result.Report{Reason: result.Terminated, ExitCode: 143})
}

// nobody is for a command that was not started, because there was nobody to act as.
func nobody(t *testing.T) change {
	t.Helper()
	return reported(t, result.Report{Reason: result.NoIdentity, ExitCode: result.NoExitCode})
}

func reported(t *testing.T, r result.Report) change {
	t.Helper()
	r.Run, r.StartedAt, r.FinishedAt = "uid-1/1/1", noon.Add(time.Hour), noon.Add(time.Hour+2*time.Minute)
	message, _, err := result.Encode(r, result.Limits{MessageBytes: result.DefaultMessageBytes})
	if err != nil {
		t.Fatal(err)
	}
	return func(o *Observation) {
		letGo(o)
		inState(corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: int32(r.ProcessExitCode()), Message: string(message)}})(o)
	}
}

// over is for a run that has ended with the reason, and is written down so.
func over(reason string) change {
	return func(o *Observation) {
		if o.Status.Run == nil {
			queued(o)
		}
		o.Status.Run.Reason, o.Status.Run.Message = reason, "what "+reason+" says"
		o.Status.Run.CompletionTime = new(metav1.NewTime(noon))
	}
}

// stranger adds a pod of an earlier resource of the same name, which holds its report.
func stranger(o *Observation) {
	o.Strangers = append(o.Strangers, corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace: o.Owner.Namespace, Name: "list-old", UID: "pod-0", Finalizers: []string{"batch.kubernetes.io/job-tracking", v1alpha1.ReportFinalizer},
	}})
}
