// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"

	registrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

// forbid has the API server refuse the updates of a resource ("pods", "pods/status") for which the
// expression in CEL is true, until the test ends or the function that it returns is called.
func forbid(t *testing.T, name, resource, expression string) (allow func()) {
	t.Helper()
	probe := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name + "-probe"}}
	policy := refusal(name, resource, fmt.Sprintf("!(object.metadata.name == '%s' || %s)", probe.Name, expression))
	binding := &registrationv1.ValidatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: policy.Name},
		Spec: registrationv1.ValidatingAdmissionPolicyBindingSpec{
			PolicyName: policy.Name, ValidationActions: []registrationv1.ValidationAction{registrationv1.Deny},
		},
	}
	allow = func() {
		_ = cluster.Delete(context.Background(), binding)
		_ = cluster.Delete(context.Background(), policy)
	}
	t.Cleanup(allow)
	for _, o := range []client.Object{probe, policy, binding} {
		if err := cluster.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "the API server refuses updates", func() bool {
		changed := probe.DeepCopy()
		changed.Data = map[string]string{"a": "b"}
		return cluster.Update(t.Context(), changed, client.DryRunAll) != nil
	})
	return allow
}

// refusal is a policy for the tests' namespace. It is for ConfigMaps, too, which show when it has come
// into force.
func refusal(name, resource, valid string) *registrationv1.ValidatingAdmissionPolicy {
	update := func(resource string) registrationv1.NamedRuleWithOperations {
		return registrationv1.NamedRuleWithOperations{RuleWithOperations: registrationv1.RuleWithOperations{
			Operations: []registrationv1.OperationType{registrationv1.Update},
			Rule:       registrationv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{resource}},
		}}
	}
	return &registrationv1.ValidatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: namespace + "-" + name},
		Spec: registrationv1.ValidatingAdmissionPolicySpec{
			FailurePolicy: new(registrationv1.Fail),
			MatchConstraints: &registrationv1.MatchResources{
				NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": namespace}},
				ResourceRules:     []registrationv1.NamedRuleWithOperations{update(resource), update("configmaps")},
			},
			Validations: []registrationv1.Validation{{Expression: valid}},
		},
	}
}

// podOfAny is an expression that is true for the pods of these resources' runs.
func podOfAny(names ...string) string {
	return fmt.Sprintf("object.metadata.?annotations[?'%s'].orValue('') in ['GcloudRun/%s']",
		v1alpha1.OwnerAnnotation, strings.Join(names, "', 'GcloudRun/"))
}

// byTheOperator is an expression that is true for what the operator does.
const byTheOperator = "request.userInfo.username == '" + operatorAccount + "'"
