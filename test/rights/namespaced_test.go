// SPDX-License-Identifier: Apache-2.0

package rights

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/yaml"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	webhookv1alpha1 "github.com/gcloud-operator/gcloud-operator/internal/webhook/v1alpha1"
)

// overlay is config/namespaced, as it would be applied.
type overlay []unstructured.Unstructured

func buildOverlay(t *testing.T) overlay {
	t.Helper()
	build := exec.CommandContext(t.Context(), "go", "tool", "-modfile=hack/tools/go.mod", "kustomize", "build", "config/namespaced")
	build.Dir = "../.."
	text, err := build.Output()
	must(t, err)
	var objects overlay
	for _, document := range bytes.Split(text, []byte("\n---\n")) {
		var o unstructured.Unstructured
		must(t, yaml.Unmarshal(document, &o.Object))
		objects = append(objects, o)
	}
	return objects
}

// of reads those objects of the overlay that are of a kind.
func of[T any](t *testing.T, all overlay, kind string) []T {
	t.Helper()
	var found []T
	for _, o := range all {
		if o.GetKind() != kind {
			continue
		}
		var object T
		must(t, runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &object))
		found = append(found, object)
	}
	return found
}

// namespaces are those that the operator is told to work in.
func (all overlay) namespaces(t *testing.T) []string {
	t.Helper()
	for _, arg := range of[appsv1.Deployment](t, all, "Deployment")[0].Spec.Template.Spec.Containers[0].Args {
		if list, ok := strings.CutPrefix(arg, "--namespaces="); ok {
			return strings.Split(list, ",")
		}
	}
	t.Fatal("the operator is told of no namespaces")
	return nil
}

func TestTheNamespacedOperatorIsBoundInItsNamespacesAndNowhereElse(t *testing.T) {
	all := buildOverlay(t)
	want := all.namespaces(t)
	var bound []string
	for _, b := range of[rbacv1.RoleBinding](t, all, "RoleBinding") {
		if b.RoleRef.Kind == "ClusterRole" && b.RoleRef.Name == "gcloud-operator-manager" {
			bound = append(bound, b.Namespace)
		}
	}
	if !slices.Equal(bound, want) {
		t.Errorf("its role is bound in %q, want %q", bound, want)
	}
	for _, b := range of[rbacv1.ClusterRoleBinding](t, all, "ClusterRoleBinding") {
		if !slices.Contains([]string{"gcloud-operator-webhook-trust", "gcloud-operator-metrics-auth"}, b.RoleRef.Name) {
			t.Errorf("%s is bound in all namespaces", b.RoleRef.Name)
		}
	}
	for _, w := range of[admissionv1.ValidatingWebhookConfiguration](t, all, "ValidatingWebhookConfiguration")[0].Webhooks {
		if got := w.NamespaceSelector.MatchExpressions; len(got) != 1 || got[0].Key != "kubernetes.io/metadata.name" || got[0].Operator != "In" || !slices.Equal(got[0].Values, want) {
			t.Errorf("%s is asked about %v, want %q", w.Name, got, want)
		}
	}
}

// It is installed as config/namespaced has it, policies too; only the webhook is here, and not in a pod.
func TestTheNamespacedOperatorWorksInItsNamespacesAndNowhereElse(t *testing.T) {
	all := buildOverlay(t)
	tenants := all.namespaces(t)
	for _, name := range append([]string{"elsewhere"}, tenants...) {
		namespace(t, name)
	}
	port := freePort(t)
	all.install(t, port)
	o := newOperator(t, "gcloud-operator-system", "gcloud-operator-manager", tenants...)
	expectRights(t, o)

	ignored := gcloudRun("ignored")
	ignored.Namespace = "elsewhere"
	ignored.Spec.Command = "gcloud auth list --project=p" // nobody says that it is forbidden, or runs it
	must(t, cluster.Create(t.Context(), ignored))
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	mgr, stopped := start(ctx, t, o, port)
	must(t, cluster.Create(t.Context(), inTenant(o, heldPod())))
	other := *o
	other.tenants = tenants[1:]
	for name, s := range map[string]struct {
		scenario scenario
		in       *operator
	}{
		"a GcloudRun":           {scenario{apply(withSource(gcloudRun("run"))), apply(source("s")), ended(&v1alpha1.GcloudRun{}, "run", 1)}, o},
		"one in another of its": {scenario{apply(withSecret(gcloudRun("run"))), ended(&v1alpha1.GcloudRun{}, "run", 1), kept("ran\n")}, &other},
		"a DocumentFetch":       {scenario{apply(documentFetch("run")), ended(&v1alpha1.DocumentFetch{}, "run", 1)}, o},
		"a DataformFileRead":    {scenario{apply(withCopy(dataformFileRead("run"))), ended(&v1alpha1.DataformFileRead{}, "run", 1)}, o},
	} {
		patient, cancel := context.WithTimeout(ctx, patience)
		if !s.scenario.play(patient, s.in) {
			t.Errorf("%s did not come to its end within %s", name, patience)
		}
		cancel()
	}
	refused := gcloudRun("refused")
	refused.Namespace, refused.Spec.Command = tenants[0], ignored.Spec.Command
	if err := cluster.Create(t.Context(), refused); !apierrors.IsInvalid(err) {
		t.Errorf("a forbidden command wasn't refused: %v", err)
	}
	must(t, cluster.Get(t.Context(), client.ObjectKeyFromObject(ignored), ignored))
	if ignored.Status.ObservedGeneration > 0 || ignored.Status.Run != nil {
		t.Errorf("what isn't in its namespaces has the status %+v", ignored.Status)
	}

	expectNarrowCache(t, mgr.GetCache(), tenants)
	expectEachJobAdmitted(t, o)

	stop()
	must(t, <-stopped)
	if !(scenario{free, released}).play(t.Context(), o) {
		t.Error("what it held was not freed")
	}
	if refused := o.refused.all(); len(refused) > 0 {
		t.Errorf("the operator may not do %q", refused)
	}
}

// expectRights checks that the operator may do what it has to in its namespaces, and nothing of that elsewhere.
func expectRights(t *testing.T, o *operator) {
	t.Helper()
	for right, rule := range shipped(t) {
		may := func(namespace, name string) bool {
			return o.may(t, rule.APIGroups[0], rule.Verbs[0], rule.Resources[0], namespace, name)
		}
		name := ""
		if len(rule.ResourceNames) > 0 {
			name = rule.ResourceNames[0]
		}
		where := map[string][]string{inNamespaces: o.tenants, atHome: {o.home}, onCluster: {""}}[right.role]
		for _, namespace := range where {
			eventually(t, fmt.Sprintf("it may %s in %q", right, namespace), func() bool { return may(namespace, name) })
			if name != "" && may(namespace, "another") {
				t.Errorf("it may %s of another name", right)
			}
		}
		if may("elsewhere", name) && right.role != onCluster {
			t.Errorf("it may %s elsewhere", right)
		}
		if may("", name) && right.role != onCluster {
			t.Errorf("it may %s in the whole cluster", right)
		}
	}
}

// expectNarrowCache checks that the cache has only what the operator looks at, and of that what it needs.
func expectNarrowCache(t *testing.T, cache client.Reader, tenants []string) {
	t.Helper()
	var pods corev1.PodList
	must(t, cache.List(t.Context(), &pods))
	if len(pods.Items) == 0 {
		t.Error("the cache has no pods")
	}
	for _, p := range pods.Items {
		if p.Labels[v1alpha1.ManagedByLabel] != v1alpha1.ManagedByValue || p.ManagedFields != nil {
			t.Errorf("the cache has the pod %s/%s with the labels %v", p.Namespace, p.Name, p.Labels)
		}
	}
	var runs v1alpha1.GcloudRunList
	must(t, cache.List(t.Context(), &runs))
	for _, g := range runs.Items {
		if !slices.Contains(tenants, g.Namespace) || g.Status.Response != nil || g.ManagedFields != nil {
			t.Errorf("the cache has %s/%s with the response %v", g.Namespace, g.Name, g.Status.Response)
		}
	}
	if len(runs.Items) != len(tenants) {
		t.Errorf("the cache has %d GcloudRuns, want one in each of %q", len(runs.Items), tenants)
	}
}

// expectEachJobAdmitted checks that the policy for the operator's account refuses no Job that the operator makes.
func expectEachJobAdmitted(t *testing.T, o *operator) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "internal", "jobspec", "testdata", "*.yaml"))
	must(t, err)
	if len(files) == 0 {
		t.Error("there are no Jobs")
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		must(t, err)
		var job batchv1.Job // the last document; ConfigMaps go before it
		must(t, yaml.Unmarshal(text[bytes.LastIndex(text, []byte("\n---\n"))+1:], &job))
		job.Namespace = o.tenants[0]
		if err := o.api.Create(t.Context(), &job, client.DryRunAll); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// install makes what is in the overlay, with the webhook on a port of this machine.
func (all overlay) install(t *testing.T, port int) {
	t.Helper()
	for _, o := range all {
		if o.GetKind() == "ValidatingWebhookConfiguration" {
			reroute(t, &o, port)
		}
		if err := cluster.Create(t.Context(), &o); err != nil && !apierrors.IsAlreadyExists(err) {
			t.Fatal(err)
		}
		if o.GetKind() == "ValidatingWebhookConfiguration" {
			t.Cleanup(func() { _ = cluster.Delete(context.WithoutCancel(t.Context()), &o) })
		}
	}
}

// reroute has the API server ask the webhook on a port of this machine, in place of a service.
func reroute(t *testing.T, o *unstructured.Unstructured, port int) {
	t.Helper()
	webhooks, _, err := unstructured.NestedSlice(o.Object, "webhooks")
	must(t, err)
	for _, w := range webhooks {
		hook, _ := w.(map[string]any)
		path, _, err := unstructured.NestedString(hook, "clientConfig", "service", "path")
		must(t, err)
		hook["clientConfig"] = map[string]any{"url": fmt.Sprintf("https://localhost:%d%s", port, path)}
	}
	must(t, unstructured.SetNestedSlice(o.Object, webhooks, "webhooks"))
}

// start has all of the operator run, and returns its manager and what says how it ended.
func start(ctx context.Context, t *testing.T, o *operator, port int) (ctrl.Manager, <-chan error) {
	t.Helper()
	options := o.leading()
	options.WebhookServer = webhook.NewServer(webhook.Options{Host: "localhost", Port: port, TLSOpts: []func(*tls.Config){o.tlsConfig}})
	mgr, err := o.controllers(ctx, options)
	must(t, err)
	must(t, firstError(
		webhookv1alpha1.GcloudRunValidator{}.SetupWithManager(mgr),
		webhookv1alpha1.DocumentFetchValidator{}.SetupWithManager(mgr),
		webhookv1alpha1.DataformFileReadValidator{}.SetupWithManager(mgr),
		mgr.Add(o.certificates),
	))
	end := make(chan error, 1)
	go func() { end <- mgr.Start(ctx) }()
	return mgr, end
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "localhost:0")
	must(t, err)
	must(t, l.Close())
	return l.Addr().(*net.TCPAddr).Port
}
