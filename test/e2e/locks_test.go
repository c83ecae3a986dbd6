// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/controllers/run/decide"
)

// A kubelet starts a container again, in spite of restartPolicy Never, when the container is gone and
// the API server has not heard of it yet. Lock 3 holds that, and lock 4 where the disk is gone, too.
func TestWhatItsNodeHasLostIsNotExecutedAgain(t *testing.T) {
	reported, reportedCount := counted(t, "lost-reported")
	unreported, unreportedCount := counted(t, "lost-unreported")
	diskless, disklessCount := counted(t, "lost-diskless")
	allowStatus := forbid(t, "cut-off", "pods/status", podOfAny(unreported.Name, diskless.Name))

	unreported.apply(t)
	diskless.apply(t)
	eventually(t, "the cut off commands have been executed", func() bool {
		return unreportedCount.executions(t) == 1 && disklessCount.executions(t) == 1
	})
	reported.apply(t)
	eventually(t, "the API server hears that the other's container runs", func() bool { return containerRuns(reported.pod(t)) })
	t.Cleanup(func() { _ = startKubelet() })
	must(t, stopKubelet())
	eventually(t, "its command has been executed", func() bool { return reportedCount.executions(t) == 1 })

	for _, b := range []builder{unreported, diskless} {
		if statuses := b.pod(t).Status.ContainerStatuses; len(statuses) > 0 {
			t.Fatalf("%s isn't cut off: %+v", b.Name, statuses)
		}
	}
	must(t, losePod(reported.pod(t).UID))
	must(t, losePod(unreported.pod(t).UID))
	must(t, losePodAndDisk(diskless.pod(t).UID))
	passWindow(t, diskless.pod(t))
	allowStatus()
	must(t, startKubelet())

	expectReason(t, reported.finished(t), v1alpha1.ReasonResultLost)
	expectReason(t, unreported.finished(t), v1alpha1.ReasonResultLost)
	expectReason(t, diskless.finished(t), v1alpha1.ReasonStartWindowPassed)
	for _, b := range []builder{unreported, diskless} {
		if s := b.pod(t).Status.ContainerStatuses; s[0].RestartCount != 1 {
			t.Errorf("the kubelet did not start %s's container again: this shows nothing: %+v", b.Name, s)
		}
	}
	for _, c := range []counter{reportedCount, unreportedCount, disklessCount} {
		c.expectExecutions(t, 1)
	}
}

// passWindow lets the pod's start window end now, in place of waiting until it does.
func passWindow(t *testing.T, pod *corev1.Pod) {
	t.Helper()
	patch := fmt.Sprintf(`{"metadata":{"annotations":{%q:%q}}}`, v1alpha1.StartBeforeAnnotation, time.Now().UTC().Format(time.RFC3339))
	must(t, cluster.Patch(t.Context(), pod, client.RawPatch(types.MergePatchType, []byte(patch))))
}

func TestAPodThatIsDeletedWhileGatedIsNotReplacedAndNeverRuns(t *testing.T) {
	b, count := counted(t, "gated")
	b.Spec.Retry.Limit = new(int32(0))
	allow := forbid(t, "hold-gate", "pods", byTheOperator+" && "+podOfAny(b.Name))
	b.apply(t)
	eventually(t, "the pod is chosen", func() bool { return b.current(t).Status.Run != nil && b.current(t).Status.Run.PodName != "" })
	pod := b.pod(t)
	job := b.current(t).Status.Run.JobName

	if err := takeGateOff(t, pod, "00000000-0000-0000-0000-000000000000"); err == nil {
		t.Error("the gate of a pod with another UID was taken off")
	}
	must(t, cluster.Delete(t.Context(), pod))
	expectReason(t, b.finished(t), v1alpha1.ReasonNeverStarted)
	must(t, takeGateOff(t, pod, pod.UID)) // comes too late
	time.Sleep(time.Second)               // by then, the scheduler has given any other pod a node
	if p := b.pod(t); p.Spec.NodeName != "" {
		t.Errorf("a node took the pod: %s", p.Spec.NodeName)
	}
	allow()
	eventually(t, "the pod goes", func() bool { return b.pod(t) == nil })
	if pods := podsOfJob(t, job); len(pods) > 0 {
		t.Errorf("the Job has another pod: %+v", pods)
	}
	count.expectExecutions(t, 0)
}

func takeGateOff(t *testing.T, pod *corev1.Pod, uid types.UID) error {
	t.Helper()
	patch := fmt.Sprintf(`{"metadata":{"uid":%q},"spec":{"schedulingGates":[{"name":%q,"$patch":"delete"}]}}`, uid, v1alpha1.SchedulingGate)
	return cluster.Patch(t.Context(), pod.DeepCopy(), client.RawPatch(types.StrategicMergePatchType, []byte(patch)))
}

// The Job controller knows its pods by their labels, and makes another when it misses one.
func TestAPodThatLosesItsLabelsIsReplacedByOneThatIsNeverLetGo(t *testing.T) {
	b, count := counted(t, "unlabelled")
	b.apply(t)
	eventually(t, "the container runs", func() bool { return containerRuns(b.pod(t)) })
	first := b.pod(t)
	kubectl(t, "label", "pod", first.Name, "controller-uid-", "batch.kubernetes.io/controller-uid-", "job-name-", "batch.kubernetes.io/job-name-")

	var second []corev1.Pod
	eventually(t, "the Job has another pod", func() bool {
		second = podsOfJob(t, b.current(t).Status.Run.JobName)
		return len(second) == 1 && second[0].UID != first.UID
	})
	g := b.finished(t)
	expectEnd(t, g, v1alpha1.ReasonSucceeded, 0)
	expectReleased(t, g)
	if g.Status.Run.PodUID != first.UID {
		t.Errorf("the run's pod is another: %s, which was %s", g.Status.Run.PodUID, first.UID)
	}
	eventually(t, "the second pod is gone", func() bool {
		pods := podsOfJob(t, g.Status.Run.JobName)
		if len(pods) > 0 && !decide.Gated(&pods[0]) {
			t.Fatalf("the second pod was let go: %+v", pods)
		}
		return len(pods) == 0
	})
	count.expectExecutions(t, 1)
}

func podsOfJob(t *testing.T, job string) []corev1.Pod {
	t.Helper()
	var pods corev1.PodList
	must(t, cluster.List(t.Context(), &pods, client.InNamespace(namespace), client.MatchingLabels{"batch.kubernetes.io/job-name": job}))
	return pods.Items
}

// containerRuns says whether the API server has heard that the pod's container runs.
func containerRuns(pod *corev1.Pod) bool {
	return pod != nil && len(pod.Status.ContainerStatuses) > 0 && pod.Status.ContainerStatuses[0].State.Running != nil
}
