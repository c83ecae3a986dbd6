// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Two replicas of the operator are replaced one after the other, twice, while commands run.
func TestAnUpgradeInTheMiddleOfFiftyRunsLosesAndRepeatsNothing(t *testing.T) {
	expectReplicas(t, 2)
	const runs = 50
	resources, counters := make([]builder, runs), make([]counter, runs)
	for i := range runs {
		g, c := counted(t, fmt.Sprintf("upgrade-%02d", i))
		resources[i], counters[i] = g.apply(t), c
	}
	for _, i := range []int{runs / 10, runs / 2} {
		resources[i].finished(t)
		kubectl(t, "--namespace="+operatorNamespace, "rollout", "restart", "deployment/"+operatorDeployment)
		kubectl(t, "--namespace="+operatorNamespace, "rollout", "status", "deployment/"+operatorDeployment, "--timeout=3m")
	}
	for i, g := range resources {
		expectEnd(t, g.finished(t), "Succeeded", 0)
		counters[i].expectExecutions(t, 1)
	}
}

func expectReplicas(t *testing.T, want int32) {
	t.Helper()
	eventually(t, fmt.Sprintf("%d replicas of the operator are ready", want), func() bool {
		d := &appsv1.Deployment{}
		if err := cluster.Get(t.Context(), types.NamespacedName{Namespace: operatorNamespace, Name: operatorDeployment}, d); err != nil {
			t.Fatal(err)
		}
		return d.Status.ReadyReplicas == want
	})
}
