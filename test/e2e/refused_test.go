// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

// Each obstacle is put into a namespace of its own. There, one run waits until it is taken away, and
// another is cancelled meanwhile.
func TestARunThatTheClusterLetsNoPodBeMadeForSaysWhyAndGoesOnOnceThatIsMended(t *testing.T) {
	p := serveTopics(t)
	tell := map[string]func(*testing.T){}
	for _, c := range []struct {
		name, topic    string
		reason, remedy string
		obstruct       func(t *testing.T, namespace string) (mend func())
	}{
		{"a quota of pods is used up", "pod-quota", v1alpha1.ReasonQuotaExceeded, "raise it", quotaOf("pods")},
		{"a quota of Jobs is used up", "job-quota", v1alpha1.ReasonQuotaExceeded, "raise it", quotaOf("count/jobs.batch")},
		{"its ServiceAccount isn't there", "account", v1alpha1.ReasonServiceAccountMissing, "make it, or name another in spec.identity", noAccount},
		{"Pod Security refuses what a mesh adds to its pod", "security", v1alpha1.ReasonPodRejected, "Pod Security level", mesh},
		{"a LimitRange refuses its resources", "limits", v1alpha1.ReasonPodRejected, "LimitRange of the namespace", smallLimit},
	} {
		tell[c.name] = func(t *testing.T) {
			ns := makeNamespace(t, nil)
			mend := c.obstruct(t, ns)
			run := func(topic string) builder {
				b := gcloudRun(topic, describe(topic)).in(ns)
				b.Spec.Identity.ServiceAccountName = "runs"
				return b.apply(t)
			}
			b, other := run(c.topic), run(c.topic+"-cancelled")
			b.waitsFor(t, c.reason, "No pod was made", c.remedy)
			other.annotate(t, v1alpha1.CancelRunAnnotation, "1")
			g := other.ended(t, 1)
			expectReason(t, g, v1alpha1.ReasonCancelled)
			expectNeverStarted(t, g)

			mend()
			expectReason(t, b.ended(t, 1), v1alpha1.ReasonSucceeded)
			p.expectExecutions(t, c.topic, 1)
			p.expectExecutions(t, c.topic+"-cancelled", 0)
			if left := leftOf(t, other); len(left) > 0 {
				t.Errorf("of the run that was cancelled there is still %v", left)
			}
		}
	}
	stories(t, tell)
}

// account makes the ServiceAccount of the runs.
func account(t *testing.T, ns string) {
	t.Helper()
	must(t, cluster.Create(t.Context(), &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "runs"}}))
}

func noAccount(t *testing.T, ns string) (mend func()) {
	return func() { account(t, ns) }
}

// obstacle makes an object that is in the way until it is deleted.
func obstacle(t *testing.T, ns string, o client.Object) (mend func()) {
	t.Helper()
	account(t, ns)
	o.SetNamespace(ns)
	o.SetName("obstacle")
	must(t, cluster.Create(t.Context(), o))
	return func() { remove(t, o) }
}

// quotaOf lets none of the resource be made.
func quotaOf(what corev1.ResourceName) func(*testing.T, string) func() {
	return func(t *testing.T, ns string) func() {
		quota := &corev1.ResourceQuota{Spec: corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{what: resource.MustParse("0")}}}
		mend := obstacle(t, ns, quota)
		eventually(t, "the quota is counted", func() bool {
			must(t, cluster.Get(t.Context(), client.ObjectKeyFromObject(quota), quota))
			return quota.Status.Hard != nil
		})
		return mend
	}
}

// smallLimit allows less memory than the operator's configuration asks for.
func smallLimit(t *testing.T, ns string) (mend func()) {
	return obstacle(t, ns, &corev1.LimitRange{Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{{
		Type: corev1.LimitTypeContainer, Max: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("64Mi")},
	}}}})
}

// mesh adds a container to the namespace's pods that may change their network, which the level of the
// namespace doesn't allow.
func mesh(t *testing.T, ns string) (mend func()) {
	account(t, ns)
	mutatePods(t, ns, `[JSONPatch{op: "add", path: "/spec/initContainers", value: [Object.spec.initContainers{
		name: "mesh", image: object.spec.containers[0].image, command: ["sh", "-c", "exit"],
		securityContext: Object.spec.initContainers.securityContext{
			capabilities: Object.spec.initContainers.securityContext.capabilities{add: ["NET_ADMIN"]}
		}
	}]}]`)
	kubectl(t, "label", "namespace", ns, "pod-security.kubernetes.io/enforce=restricted")
	return func() {
		kubectl(t, "label", "namespace", ns, "--overwrite", "pod-security.kubernetes.io/enforce=privileged")
	}
}

// mutatePods has the API server patch the namespace's pods when they are made, until the test ends.
func mutatePods(t *testing.T, ns, patch string) {
	t.Helper()
	temporary(t, &admissionv1.MutatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: ns},
		Spec: admissionv1.MutatingAdmissionPolicySpec{
			MatchConstraints: &admissionv1.MatchResources{ResourceRules: []admissionv1.NamedRuleWithOperations{{
				RuleWithOperations: admissionv1.RuleWithOperations{
					Operations: []admissionv1.OperationType{admissionv1.Create},
					Rule:       admissionv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"pods"}},
				},
			}}},
			Mutations: []admissionv1.Mutation{{
				PatchType: admissionv1.PatchTypeJSONPatch,
				JSONPatch: &admissionv1.JSONPatch{Expression: patch},
			}},
			ReinvocationPolicy: admissionv1.NeverReinvocationPolicy,
		},
	})
	temporary(t, &admissionv1.MutatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: ns},
		Spec: admissionv1.MutatingAdmissionPolicyBindingSpec{PolicyName: ns, MatchResources: &admissionv1.MatchResources{
			NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: ns}},
		}},
	})
	eventually(t, "the API server has the policy", func() bool {
		made := &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "probe"},
			Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "probe", Image: "none", Resources: corev1.ResourceRequirements{
				Limits: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("1Gi")},
			}}}},
		}
		plain := made.DeepCopy()
		must(t, cluster.Create(t.Context(), made, client.DryRunAll))
		return len(made.Spec.InitContainers) > 0 || !equality.Semantic.DeepEqual(made.Spec.Containers[0].Resources.Limits, plain.Spec.Containers[0].Resources.Limits)
	})
}
