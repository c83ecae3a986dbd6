// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

// The operator is there again for the tests that follow, installed by its Helm chart.
func TestNothingHangsWhenATenantGoesOrTheOperatorIsUninstalledUnderLoad(t *testing.T) {
	bucket := serveObjects(t, map[string][]byte{"o": []byte("o"), hangs: []byte("never")})
	tenant := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "e2e-tenant-"}}
	must(t, cluster.Create(t.Context(), tenant))
	putUnderLoad(t, tenant.Name, bucket, 4)
	gated := []string{"gated-0", "gated-1", "gated-2", "gated-3"}
	forbid(t, "gates", "pods", byTheOperator+" && "+podOfAny(gated...)+
		" && size(oldObject.spec.?schedulingGates.orValue([])) > size(object.spec.?schedulingGates.orValue([]))")
	putUnderLoad(t, namespace, bucket, 8, gated...)

	since := time.Now()
	must(t, cluster.Delete(t.Context(), tenant))
	expectGone(t, tenant)
	t.Logf("the tenant's namespace went within %s", time.Since(since).Round(time.Second))

	refusal, err := exec.Command("../../bin/gcloud-operator", "release").CombinedOutput()
	if err == nil {
		t.Error("release did not fail, although the operator runs")
	}
	expectContains(t, "what release says", string(refusal), "the operator runs", "--replicas=0")

	values := chartValues(t)
	t.Cleanup(func() { installChart(t, values) })
	since = time.Now()
	out, err := undeploy()
	if err != nil {
		t.Fatalf("make undeploy: %v: %s", err, out)
	}
	t.Logf("the operator went within %s", time.Since(since).Round(time.Second))
	expectContains(t, "what was done", out, "Freed pod "+namespace+"/gated-", "Freed pod "+namespace+"/runs-", "Deleted Job "+namespace+"/gated-", "Deleted Job "+namespace+"/waits-")
	expectGone(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: operatorNamespace}})
	expectNothingOfTheOperator(t)
}

// putUnderLoad brings resources of a namespace to all states: some have ended, some run, some have gated
// pods, and for the rest the quota allows no pods.
func putUnderLoad(t *testing.T, in, bucket string, pods int, gated ...string) {
	t.Helper()
	quota := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: in, Name: "load"}, Spec: corev1.ResourceQuotaSpec{
		Hard: corev1.ResourceList{corev1.ResourcePods: *resource.NewQuantity(int64(pods+podsUnderWay(t, in)), resource.DecimalSI)},
	}}
	apply := func(name, command string) builder {
		b := gcloudRun(name, command).timeout(5 * time.Minute)
		b.Namespace = in
		return b.apply(t)
	}
	var ended []builder
	for i := range 3 {
		ended = append(ended, apply(fmt.Sprintf("ended-%d", i), "gcloud version --project=my-project"))
	}
	for _, b := range ended {
		b.finished(t)
	}
	must(t, cluster.Create(t.Context(), quota))
	t.Cleanup(func() { _ = cluster.Delete(context.Background(), quota) })
	for _, name := range gated {
		apply(name, "gcloud version --project=my-project").awaitPod(t)
	}
	var running []builder
	for i := range 4 {
		running = append(running, apply(fmt.Sprintf("runs-%d", i), "gcloud storage cat "+bucket+"/o "+bucket+"/"+hangs+" --project=my-project"))
	}
	for _, b := range running {
		eventually(t, "the command runs", func() bool { return b.current(t).Status.Run != nil && b.current(t).Status.Run.StartTime != nil })
	}
	for i := range 6 {
		apply(fmt.Sprintf("waits-%d", i), "gcloud version --project=my-project")
	}
}

// podsUnderWay is how many pods of other tests a quota of the namespace counts already.
func podsUnderWay(t *testing.T, in string) int {
	t.Helper()
	var pods corev1.PodList
	must(t, cluster.List(t.Context(), &pods, client.InNamespace(in)))
	n := 0
	for i := range pods.Items {
		if !over(&pods.Items[i]) {
			n++
		}
	}
	return n
}

// awaitPod waits until the pod of the resource's run is there.
func (b builder) awaitPod(t *testing.T) {
	t.Helper()
	eventually(t, "the pod is there", func() bool { g := b.current(t); return g.Status.Run != nil && g.Status.Run.PodUID != "" })
}

// expectNothingOfTheOperator checks that nothing of it is left, nor of its resources.
func expectNothingOfTheOperator(t *testing.T) {
	t.Helper()
	for _, kind := range []schema.GroupVersionKind{
		{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinitionList"},
		{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "ClusterRoleList"},
		{Group: "admissionregistration.k8s.io", Version: "v1", Kind: "ValidatingWebhookConfigurationList"},
	} {
		list := &metav1.PartialObjectMetadataList{}
		list.SetGroupVersionKind(kind)
		must(t, cluster.List(t.Context(), list))
		for _, o := range list.Items {
			if strings.Contains(o.Name, "gcloud-operator") {
				t.Errorf("%s is left in the %s", o.Name, kind.Kind)
			}
		}
	}
	var left []string
	t.Cleanup(func() {
		if len(left) > 0 {
			t.Logf("left are %q", left)
		}
	})
	eventually(t, "the pods of the runs are gone", func() bool { left = podsOfJobs(t); return len(left) == 0 })
}

// podsOfJobs are the operator's pods, without those that a test has taken from their Jobs: they are nobody's.
func podsOfJobs(t *testing.T) (found []string) {
	t.Helper()
	var pods corev1.PodList
	must(t, cluster.List(t.Context(), &pods, client.MatchingLabels{v1alpha1.ManagedByLabel: v1alpha1.ManagedByValue}))
	for i := range pods.Items {
		if p := &pods.Items[i]; metav1.GetControllerOf(p) != nil {
			found = append(found, fmt.Sprintf("%s/%s, %s, held by %v", p.Namespace, p.Name, p.Status.Phase, p.Finalizers))
		}
	}
	return found
}

func expectGone(t *testing.T, o client.Object) {
	t.Helper()
	eventually(t, o.GetName()+" is gone", func() bool {
		return apierrors.IsNotFound(cluster.Get(t.Context(), client.ObjectKeyFromObject(o), o))
	})
}

// chartValues are the values with which the Helm chart installs the operator as it is now.
func chartValues(t *testing.T) []byte {
	t.Helper()
	d := &appsv1.Deployment{}
	must(t, cluster.Get(t.Context(), client.ObjectKey{Namespace: operatorNamespace, Name: operatorDeployment}, d))
	_, text := operatorConfiguration(t)
	var configuration map[string]any
	must(t, yaml.Unmarshal([]byte(text), &configuration))
	if gcloud, ok := configuration["gcloud"].(map[string]any); ok && gcloud["runnerImage"] == nil {
		gcloud["runnerImage"] = "" // gcloud's image has the runner
	}
	values, err := yaml.Marshal(map[string]any{"image": d.Spec.Template.Spec.Containers[0].Image, "configuration": configuration})
	must(t, err)
	return values
}

// installChart installs the operator by its Helm chart.
func installChart(t *testing.T, values []byte) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "values.yaml")
	must(t, os.WriteFile(file, values, 0o600))
	script := exec.Command("bash", "-euo", "pipefail", "-c", `
		kubectl create namespace "$2"
		kubectl label namespace "$2" pod-security.kubernetes.io/enforce=restricted
		../../bin/chart template --chart=../../dist/chart --namespace="$2" --values="$1" | kubectl apply --server-side -f -
		kubectl rollout status deployment/gcloud-operator-manager --namespace="$2" --timeout=3m`, "install", file, operatorNamespace)
	if out, err := script.CombinedOutput(); err != nil {
		t.Errorf("installing the chart: %v: %s", err, out)
	}
}

// undeploy does what people do who installed the operator from its repository.
func undeploy() (output string, err error) {
	out, err := exec.Command("make", "--no-print-directory", "-C", "../..", "undeploy", "KUBECTL=kubectl", "OVERLAY=dist/devcluster").CombinedOutput()
	return string(out), err
}
