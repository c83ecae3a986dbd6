// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"os/exec"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

func TestARunThatTheClusterEndsSaysWhyAndKeepsWhatItPrinted(t *testing.T) {
	p := serveTopics(t)
	running := func(t *testing.T, b builder) builder {
		p.hold(b.Name)
		b.Spec.Command = describe(b.Name) + " --verbosity=debug"
		b.apply(t)
		p.awaitRunning(t, b.Name)
		return b
	}
	expectStopped := func(t *testing.T, b builder, reason string) {
		g := b.ended(t, 1)
		expectEnd(t, g, reason, 130)
		expectContains(t, "stderr", g.Status.Response.Stderr, "DEBUG: Running [gcloud.pubsub.topics.describe]")
		expectContains(t, "the message", messageOf(g), "may have acted")
		p.expectExecutions(t, b.Name, 1)
	}
	stories(t, map[string]func(*testing.T){
		"its pod is evicted, as `kubectl drain` does": func(t *testing.T) {
			b := running(t, gcloudRun("evicted", ""))
			must(t, cluster.SubResource("eviction").Create(t.Context(), b.pod(t), &policyv1.Eviction{}))
			expectStopped(t, b, v1alpha1.ReasonEvicted)
		},
		"its pod has to make room for one of a higher priority": func(t *testing.T) {
			ns := makeNamespace(t, nil)
			oneSlot(t, ns)
			b := running(t, gcloudRun("preempted", "").in(ns))
			temporary(t, importantPod(t, ns))
			expectStopped(t, b, v1alpha1.ReasonPreempted)
		},
		"it needs more memory than its limit": func(t *testing.T) {
			ns := makeNamespace(t, nil)
			mutatePods(t, ns, `[JSONPatch{op: "replace", path: "/spec/containers/0/resources/limits/memory", value: "24Mi"},
				JSONPatch{op: "add", path: "/spec/containers/0/resources/requests/memory", value: "24Mi"}]`)
			g := gcloudRun("memory", describe("memory")).in(ns).run(t)
			expectReason(t, g, v1alpha1.ReasonOutOfMemory)
			expectContains(t, "the message", messageOf(g), "raise the limit")
			p.expectExecutions(t, "memory", 0)
		},
	})
}

// slot is something that the node has one of.
const slot = "e2e.gcloud-operator.dev/slot"

// oneSlot has each container in the namespace need the node's one slot.
func oneSlot(t *testing.T, ns string) {
	t.Helper()
	node := theNode(t)
	patch := `{"status": {"capacity": {"` + slot + `": "1"}}}`
	must(t, cluster.Status().Patch(t.Context(), node, client.RawPatch(types.MergePatchType, []byte(patch))))
	eventually(t, "the node has a slot", func() bool {
		n := theNode(t).Status.Allocatable[slot]
		return n.Value() == 1
	})
	one := corev1.ResourceList{slot: resource.MustParse("1")}
	must(t, cluster.Create(t.Context(), &corev1.LimitRange{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "slots"},
		Spec:       corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{{Type: corev1.LimitTypeContainer, Default: one, DefaultRequest: one}}},
	}))
}

// importantPod is a pod of a priority that is higher than that of runs.
func importantPod(t *testing.T, ns string) *corev1.Pod {
	t.Helper()
	temporary(t, &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: ns}, Value: 1000})
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "important"},
		Spec: corev1.PodSpec{
			PriorityClassName:             ns,
			TerminationGracePeriodSeconds: new(int64(0)),
			Containers:                    []corev1.Container{{Name: "important", Image: "gcloud:528.0.0", Command: []string{"sleep", "1000"}}},
		},
	}
}

func theNode(t *testing.T) *corev1.Node {
	t.Helper()
	var nodes corev1.NodeList
	must(t, cluster.List(t.Context(), &nodes))
	return &nodes.Items[0]
}

// A taint is for the whole node, so these don't go on beside other tests.
func TestANodeThatIsTaintedTakesNoRunUntilItIsNotAnyMore(t *testing.T) {
	p := serveTopics(t)
	untaint := taint(t, corev1.TaintEffectNoSchedule)
	b, other := gcloudRun("tainted", describe("tainted")).apply(t), gcloudRun("tainted-cancelled", describe("tainted-cancelled")).apply(t)
	b.waitsFor(t, v1alpha1.ReasonUnschedulable, "No node takes the pod; make room", "untolerated taint")
	other.annotate(t, v1alpha1.CancelRunAnnotation, "1")
	g := other.ended(t, 1)
	expectReason(t, g, v1alpha1.ReasonCancelled)
	expectNeverStarted(t, g)

	untaint()
	expectReason(t, b.ended(t, 1), v1alpha1.ReasonSucceeded)
	p.expectExecutions(t, "tainted", 1)
	p.expectExecutions(t, "tainted-cancelled", 0)
}

func TestANodeThatIsEmptiedWithTheOperatorOnItLosesNoEnd(t *testing.T) {
	p := serveTopics(t)
	p.hold("emptied")
	b := gcloudRun("emptied", describe("emptied")+" --verbosity=debug").apply(t)
	p.awaitRunning(t, "emptied")
	pods := append(operatorPods(t), *b.pod(t))
	untaint := taint(t, corev1.TaintEffectNoExecute)
	eventually(t, "the command and the operator are stopped", func() bool {
		return !slices.ContainsFunc(pods, func(p corev1.Pod) bool { return len(processesOf(t, p.UID)) > 0 })
	})
	untaint()
	expectOperatorReady(t)
	g := b.ended(t, 1)
	expectEnd(t, g, v1alpha1.ReasonEvicted, 130)
	expectContains(t, "stderr", g.Status.Response.Stderr, "DEBUG: Running [gcloud.pubsub.topics.describe]")
	p.expectExecutions(t, "emptied", 1)
}

const taintKey = "e2e.gcloud-operator.dev/out"

// taint taints the node until the test ends, or the function that it returns is called.
func taint(t *testing.T, effect corev1.TaintEffect) (untaint func()) {
	t.Helper()
	node := theNode(t).Name
	kubectl(t, "taint", "node", node, taintKey+":"+string(effect))
	untaint = func() {
		_ = exec.CommandContext(context.WithoutCancel(t.Context()), "kubectl", "taint", "node", node, taintKey+"-").Run()
	}
	t.Cleanup(untaint)
	return untaint
}
