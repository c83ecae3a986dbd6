// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

// printed is what hanging commands have printed before they hang: more than gcloud keeps in its buffer.
var printed = strings.Repeat("printed before\n", 10_000)

// hanging returns a resource whose command prints something and then never ends by itself.
func hanging(t *testing.T, name, bucket string) builder {
	t.Helper()
	return gcloudRun(name, "gcloud storage cat "+bucket+"/o "+bucket+"/"+hangs+" --project=my-project").timeout(5 * time.Minute)
}

// awaitPrinted waits until what the command prints stands in its pod's log.
func (b builder) awaitPrinted(t *testing.T) {
	t.Helper()
	eventually(t, "the command has printed", func() bool {
		return containerRuns(b.pod(t)) && kubectl(t, "logs", b.pod(t).Name) != ""
	})
}

func TestAJobThatIsDeletedTakesItsPodButNotTheReport(t *testing.T) {
	b := hanging(t, "job-deleted", serveObjects(t, map[string][]byte{"o": []byte(printed), hangs: []byte("never")})).apply(t)
	b.awaitPrinted(t)
	pod := b.pod(t)
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: b.current(t).Status.Run.JobName}}
	must(t, cluster.Delete(t.Context(), job, client.PropagationPolicy(metav1.DeletePropagationBackground)))

	g := b.finished(t)
	expectReason(t, g, v1alpha1.ReasonTerminated)
	expectContains(t, "stdout", string(whole(t, g.Status.Response.Stdout, g.Status.Response.StdoutInfo)), printed)
	eventually(t, "the pod goes", func() bool {
		return apierrors.IsNotFound(cluster.Get(t.Context(), client.ObjectKeyFromObject(pod), pod))
	})
}

// The Job's own deadline would delete the pod, and the log with it.
func TestAPodThatItsDeadlineEndsKeepsMessageAndLogAlsoWhenItIsDeletedWhileHeld(t *testing.T) {
	b := hanging(t, "deadline", serveObjects(t, map[string][]byte{"o": []byte(printed), hangs: []byte("never")}))
	allow := forbid(t, "hold-report", "pods", byTheOperator+" && "+podOfAny(b.Name)+" && size(oldObject.spec.?schedulingGates.orValue([])) == 0")
	b.apply(t)
	b.awaitPrinted(t)
	pod := b.pod(t)
	must(t, cluster.Patch(t.Context(), pod, client.RawPatch(types.MergePatchType, []byte(`{"spec":{"activeDeadlineSeconds":1}}`))))
	g := b.finished(t)
	expectContains(t, "stdout", string(whole(t, g.Status.Response.Stdout, g.Status.Response.StdoutInfo)), printed)
	eventually(t, "the pod is over", func() bool { return b.pod(t).Status.Phase == corev1.PodFailed })
	if reason := b.pod(t).Status.Reason; reason != "DeadlineExceeded" {
		t.Errorf("it was %s that ended the pod", reason)
	}

	must(t, cluster.Delete(t.Context(), pod))
	time.Sleep(3 * time.Second) // the log of a pod that is deleted while it runs is gone after one
	held := b.pod(t)
	if held == nil || held.DeletionTimestamp == nil {
		t.Fatal("the pod isn't held")
	}
	message := held.Status.ContainerStatuses[0].State.Terminated.Message
	expectContains(t, "the log of the pod that is held", kubectl(t, "logs", pod.Name), printed)
	if message == "" {
		t.Error("its termination message is gone")
	}
	allow()
	eventually(t, "the pod goes", func() bool { return b.pod(t) == nil })
}
