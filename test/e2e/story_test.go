// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

// stories are tests that go on beside each other, since they mostly wait.
func stories(t *testing.T, tell map[string]func(*testing.T)) {
	t.Helper()
	for name, story := range tell {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			story(t)
		})
	}
}

// in puts the resource into another namespace.
func (b builder) in(namespace string) builder {
	b.Namespace = namespace
	return b
}

// makeNamespace makes a namespace that goes when the test ends, and waits until pods can be made there.
func makeNamespace(t *testing.T, labels map[string]string) string {
	t.Helper()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "e2e-", Labels: labels}}
	temporary(t, ns)
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: ns.Name, Name: "default"}}
	eventually(t, "the namespace has its ServiceAccount", func() bool {
		return cluster.Get(t.Context(), client.ObjectKeyFromObject(account), account) == nil
	})
	return ns.Name
}

// edit changes the resource as it is now.
func (b builder) edit(t *testing.T, change func(*v1alpha1.GcloudRun)) {
	t.Helper()
	g := b.current(t)
	before := g.DeepCopy()
	change(g)
	must(t, b.user.Patch(t.Context(), g, client.MergeFrom(before)))
}

// command gives the resource another command.
func (b builder) command(t *testing.T, command string) {
	t.Helper()
	b.edit(t, func(g *v1alpha1.GcloudRun) { g.Spec.Command = command })
}

func (b builder) annotate(t *testing.T, name, value string) {
	t.Helper()
	b.edit(t, func(g *v1alpha1.GcloudRun) { metav1.SetMetaDataAnnotation(&g.ObjectMeta, name, value) })
}

// ended waits until the run of that number has ended, and no other is to come.
func (b builder) ended(t *testing.T, number int64) *v1alpha1.GcloudRun {
	t.Helper()
	var g *v1alpha1.GcloudRun
	eventually(t, fmt.Sprintf("run %d of %s ends", number, b.Name), func() bool {
		g = b.current(t)
		return g.Status.Run != nil && g.Status.Run.Number == number && g.Status.ObservedGeneration == g.Generation &&
			meta.IsStatusConditionTrue(g.Status.Conditions, v1alpha1.ConditionFinished)
	})
	return g
}

// says waits until the conditions have the reason, and returns the resource as it is then.
func (b builder) says(t *testing.T, reason string) *v1alpha1.GcloudRun {
	t.Helper()
	var g *v1alpha1.GcloudRun
	eventually(t, b.Name+" says "+reason, func() bool {
		g = b.current(t)
		ready := meta.FindStatusCondition(g.Status.Conditions, v1alpha1.ConditionReady)
		return ready != nil && ready.Reason == reason
	})
	return g
}

// waitsFor waits until the resource says why its run, which is under way, doesn't get on, and returns it.
func (b builder) waitsFor(t *testing.T, reason string, parts ...string) *v1alpha1.GcloudRun {
	t.Helper()
	g := b.says(t, reason)
	if !meta.IsStatusConditionTrue(g.Status.Conditions, v1alpha1.ConditionReconciling) {
		t.Errorf("%s said it only when it was given up: %+v", b.Name, g.Status.Conditions)
	}
	expectContains(t, "the condition's message", messageOf(g), parts...)
	return g
}

func messageOf(g *v1alpha1.GcloudRun) string {
	return meta.FindStatusCondition(g.Status.Conditions, v1alpha1.ConditionReady).Message
}

// expectHistory checks the history: "2 Succeeded, 1 CommandFailed" are runs, "1.2 Succeeded" is the
// second attempt at the first.
func expectHistory(t *testing.T, g *v1alpha1.GcloudRun, want string) {
	t.Helper()
	var got []string
	for _, past := range g.Status.History {
		number := fmt.Sprint(past.Number)
		if past.Attempt > 1 {
			number += fmt.Sprintf(".%d", past.Attempt)
		}
		got = append(got, number+" "+past.Reason)
	}
	if history := strings.Join(got, ", "); history != want {
		t.Errorf("the history of %s is %q, want %q", g.Name, history, want)
	}
}

// expectNeverStarted checks that no pod was ever let go for the resource's run.
func expectNeverStarted(t *testing.T, g *v1alpha1.GcloudRun) {
	t.Helper()
	if g.Status.Run.StartTime != nil || g.Status.Response != nil && g.Status.Response.ExitCode != nil {
		t.Errorf("%s was started: %+v, %+v", g.Name, g.Status.Run, g.Status.Response)
	}
}

// temporary makes an object that goes when the test ends.
func temporary(t *testing.T, o client.Object) {
	t.Helper()
	must(t, cluster.Create(t.Context(), o))
	t.Cleanup(func() { remove(t, o) })
}

// remove deletes the object, which need not be there.
func remove(t *testing.T, o client.Object) {
	t.Helper()
	if err := cluster.Delete(context.WithoutCancel(t.Context()), o); err != nil && !apierrors.IsNotFound(err) {
		t.Fatal(err)
	}
}
