// SPDX-License-Identifier: Apache-2.0

package rights

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

// grace is how long a scenario is watched after the operator was refused something. A watch that is refused
// is made up for by listing again, but not so soon.
const grace = 500 * time.Millisecond

// With the shipped roles every scenario comes to its end, and nothing that the operator asks for is refused.
// Each right is one without which the scenario named here does not.
func TestTheOperatorHasEachRightThatItNeedsAndNoOther(t *testing.T) {
	all := shipped(t)
	makeWebhookConfiguration(t)
	for name := range scenarios {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := tenantOperator(t, all, right{})
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			if !scenarios[name].play(ctx, o) {
				t.Errorf("it did not come to its end within %s", patience)
			}
			if refused := o.refused.all(); len(refused) > 0 {
				t.Errorf("the operator may not do %q", refused)
			}
		})
	}
	for without := range all {
		t.Run("without "+without.String(), func(t *testing.T) {
			t.Parallel()
			scenario, ok := scenarios[needed[without]]
			if !ok {
				t.Fatalf("there is no scenario %q that needs it: take the right away, or add a scenario", needed[without])
			}
			expectBroken(t, scenario, tenantOperator(t, all, without))
		})
	}
	for name := range needed {
		if _, ok := all[name]; !ok {
			t.Errorf("no role has the right %s any more", name)
		}
	}
}

// expectBroken plays the scenario, in which the operator must be refused something, and which must not come to
// its end.
func expectBroken(t *testing.T, s scenario, o *operator) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	end := make(chan bool, 1)
	go func() { end <- s.play(ctx, o) }()
	eventually(t, "the operator is refused something", func() bool { return len(o.refused.all()) > 0 || len(end) > 0 })
	time.Sleep(grace)
	cancel()
	if <-end {
		t.Error("the scenario comes to its end without it")
	}
}

var operators atomic.Int64

// tenantOperator is an operator that works for one namespace.
func tenantOperator(t *testing.T, all rules, without right) *operator {
	t.Helper()
	n := operators.Add(1)
	o := newOperator(t, namespace(t, fmt.Sprintf("home-%d", n)), "manager", namespace(t, fmt.Sprintf("tenant-%d", n)))
	o.grant(t, all, without)
	t.Cleanup(func() { forget(o) })
	return o
}

// forget takes away what the world would look at in each of its turns.
func forget(o *operator) {
	ctx := context.Background()
	in := client.InNamespace(o.tenants[0])
	_ = cluster.DeleteAllOf(ctx, &batchv1.Job{}, in, client.PropagationPolicy(metav1.DeletePropagationBackground))
	var pods corev1.PodList
	_ = cluster.List(ctx, &pods, in)
	for i := range pods.Items {
		_ = cluster.Patch(ctx, &pods.Items[i], client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`)))
		_ = cluster.Delete(ctx, &pods.Items[i], client.GracePeriodSeconds(0))
	}
}

// makeWebhookConfiguration makes the webhook's configuration, which asks about nothing that there is.
func makeWebhookConfiguration(t *testing.T) {
	t.Helper()
	configuration := &admissionv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: webhookConfiguration},
		Webhooks: []admissionv1.ValidatingWebhook{{
			Name: "a.gcloud-operator.dev", SideEffects: new(admissionv1.SideEffectClassNone), AdmissionReviewVersions: []string{"v1"},
			ClientConfig: admissionv1.WebhookClientConfig{Service: &admissionv1.ServiceReference{Namespace: "home", Name: "webhook"}},
			Rules: []admissionv1.RuleWithOperations{{
				Operations: []admissionv1.OperationType{admissionv1.Create},
				Rule:       admissionv1.Rule{APIGroups: []string{"example.com"}, APIVersions: []string{"v1"}, Resources: []string{"nothings"}},
			}},
		}},
	}
	must(t, cluster.Create(t.Context(), configuration))
	t.Cleanup(func() { _ = cluster.Delete(context.WithoutCancel(t.Context()), configuration) })
}

// needed says for each right which scenario needs it.
var needed = func() map[right]string {
	m := map[right]string{}
	for scenario, rights := range map[string][]right{
		"a GcloudRun runs twice":        ofKind("gcloudruns"),
		"a DocumentFetch runs twice":    ofKind("documentfetches"),
		"a DataformFileRead runs twice": ofKind("dataformfilereads"),
	} {
		for _, r := range rights {
			m[r] = scenario
		}
	}
	for r, scenario := range map[right]string{
		{inNamespaces, "list", "jobs.batch"}:                            "a GcloudRun runs twice",
		{inNamespaces, "watch", "jobs.batch"}:                           "a GcloudRun runs twice",
		{inNamespaces, "create", "jobs.batch"}:                          "a GcloudRun runs twice",
		{inNamespaces, "get", "jobs.batch"}:                             "a Job has the name already",
		{inNamespaces, "delete", "jobs.batch"}:                          "a pod that was changed is stopped",
		{inNamespaces, "list", "pods"}:                                  "a GcloudRun runs twice",
		{inNamespaces, "watch", "pods"}:                                 "a GcloudRun runs twice",
		{inNamespaces, "patch", "pods"}:                                 "a GcloudRun runs twice",
		{inNamespaces, "get", "pods"}:                                   "a pod that was changed is stopped",
		{inNamespaces, "get", "pods/log"}:                               "output is too large for a message",
		{inNamespaces, "create", "configmaps"}:                          "input files are replaced",
		{inNamespaces, "delete", "configmaps"}:                          "input files are replaced",
		{inNamespaces, "list", "configmaps"}:                            "input files are replaced",
		{inNamespaces, "get", "configmaps"}:                             "an input file comes from a ConfigMap that changes",
		{inNamespaces, "watch", "configmaps"}:                           "an input file comes from a ConfigMap that changes",
		{inNamespaces, "patch", "configmaps"}:                           "a copy is kept for the next run to replace",
		{inNamespaces, "create", "secrets"}:                             "output goes to a Secret",
		{inNamespaces, "patch", "secrets"}:                              "output goes to a Secret",
		{inNamespaces, "list", "events"}:                                "no pod is made for a Job",
		{inNamespaces, "create", "events.events.k8s.io"}:                "a run's end is told",
		{atHome, "create", "secrets"}:                                   "the key for sealed output is made, and found again",
		{atHome, "get", "secrets " + reportKey}:                         "the key for sealed output is made, and found again",
		{atHome, "get", "secrets " + webhookSecret}:                     "the webhook is trusted",
		{atHome, "update", "secrets " + webhookSecret}:                  "the webhook's certificate is renewed",
		{atHome, "list", "pods"}:                                        "what is held is freed",
		{atHome, "create", "events"}:                                    "a replica leads, and gives that back",
		{atHome, "create", "leases.coordination.k8s.io"}:                "a replica leads, and gives that back",
		{atHome, "get", "leases.coordination.k8s.io " + leaderLease}:    "a replica leads, and gives that back",
		{atHome, "update", "leases.coordination.k8s.io " + leaderLease}: "a replica leads, and gives that back",
		{onCluster, "get", trustedConfiguration}:                        "the webhook is trusted",
		{onCluster, "patch", trustedConfiguration}:                      "the webhook is trusted",
	} {
		m[r] = scenario
	}
	return m
}()

const trustedConfiguration = "validatingwebhookconfigurations.admissionregistration.k8s.io " + webhookConfiguration

// ofKind are the rights that a kind of resource needs.
func ofKind(resources string) []right {
	group := "." + v1alpha1.SchemeGroupVersion.Group
	return []right{
		{inNamespaces, "get", resources + group}, {inNamespaces, "list", resources + group}, {inNamespaces, "watch", resources + group},
		{inNamespaces, "update", resources + "/finalizers" + group}, {inNamespaces, "patch", resources + "/status" + group},
	}
}
