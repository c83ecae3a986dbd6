// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	corev1apply "k8s.io/client-go/applyconfigurations/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	configv1alpha1 "github.com/gcloud-operator/gcloud-operator/api/config/v1alpha1"
)

const operatorDeployment = "gcloud-operator-manager"

// underConfiguration changes the configuration of the deployed operator, as its administrator would.
// What it returns is to be called to change it back.
func underConfiguration(t *testing.T, change func(*configv1alpha1.OperatorConfiguration)) (restore func()) {
	t.Helper()
	name, original := operatorConfiguration(t)
	var c configv1alpha1.OperatorConfiguration
	if err := yaml.UnmarshalStrict([]byte(original), &c); err != nil {
		t.Fatal(err)
	}
	change(&c)
	changed, err := yaml.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	reconfigureOperator(t, name, string(changed))
	return func() { reconfigureOperator(t, name, original) }
}

// operatorConfiguration returns the operator's configuration and the name of its ConfigMap.
func operatorConfiguration(t *testing.T) (name, text string) {
	t.Helper()
	d := &appsv1.Deployment{}
	if err := cluster.Get(t.Context(), types.NamespacedName{Namespace: operatorNamespace, Name: operatorDeployment}, d); err != nil {
		t.Fatal(err)
	}
	for _, v := range d.Spec.Template.Spec.Volumes {
		if v.ConfigMap == nil {
			continue
		}
		m := &corev1.ConfigMap{}
		if err := cluster.Get(t.Context(), types.NamespacedName{Namespace: operatorNamespace, Name: v.ConfigMap.Name}, m); err != nil {
			t.Fatal(err)
		}
		return m.Name, m.Data["config.yaml"]
	}
	t.Fatal("the operator mounts no configuration")
	return "", ""
}

// reconfigureOperator writes the configuration and has the operator start anew with it.
func reconfigureOperator(t *testing.T, name, text string) {
	t.Helper()
	m := corev1apply.ConfigMap(name, operatorNamespace).WithData(map[string]string{"config.yaml": text})
	// As who deployed it: so another deployment isn't refused, and puts right what a test left.
	if err := cluster.Apply(t.Context(), m, client.FieldOwner("kubectl"), client.ForceOwnership); err != nil {
		t.Fatal(err)
	}
	keepOperatorLogs(t)
	before := operatorPods(t)
	for i := range before {
		if err := cluster.Delete(t.Context(), &before[i]); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "the operator's new pods are there alone", func() bool {
		now := operatorPods(t)
		old := func(p corev1.Pod) bool {
			return slices.ContainsFunc(before, func(b corev1.Pod) bool { return b.UID == p.UID })
		}
		return len(now) == len(before) && !slices.ContainsFunc(now, old)
	})
	expectOperatorReady(t)
}

func operatorPods(t *testing.T) []corev1.Pod {
	t.Helper()
	pods := &corev1.PodList{}
	if err := cluster.List(t.Context(), pods, client.InNamespace(operatorNamespace), operatorLabels); err != nil {
		t.Fatal(err)
	}
	return pods.Items
}
