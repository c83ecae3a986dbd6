// SPDX-License-Identifier: Apache-2.0

package jobspec

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

// list makes "cpu=1 memory=2Gi" a list of resources.
func list(text string) corev1.ResourceList {
	var l corev1.ResourceList
	for _, word := range strings.Fields(text) {
		name, amount, _ := strings.Cut(word, "=")
		if l == nil {
			l = corev1.ResourceList{}
		}
		l[corev1.ResourceName(name)] = resource.MustParse(amount)
	}
	return l
}

func words(l corev1.ResourceList) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(l)) {
		amount := l[name]
		all = append(all, fmt.Sprintf("%s=%s", name, amount.String()))
	}
	return strings.Join(all, " ")
}

func TestWhatIsAskedForGoesOverTheDefaults(t *testing.T) {
	for name, c := range map[string]struct{ requests, limits, wantRequests, wantLimits string }{
		"nothing is asked for":              {"", "", "cpu=100m memory=256Mi", "memory=1Gi"},
		"a limit":                           {"", "memory=4Gi", "cpu=100m memory=256Mi", "memory=4Gi"},
		"a request":                         {"memory=512Mi", "", "cpu=100m memory=512Mi", "memory=1Gi"},
		"a request takes its limit with it": {"memory=2Gi", "", "cpu=100m memory=2Gi", "memory=2Gi"},
		"a limit takes its request with it": {"", "memory=128Mi", "cpu=100m memory=128Mi", "memory=128Mi"},
		"both":                              {"memory=3Gi", "memory=4Gi", "cpu=100m memory=3Gi", "memory=4Gi"},
		"a device":                          {"nvidia.com/gpu=1", "nvidia.com/gpu=1", "cpu=100m memory=256Mi nvidia.com/gpu=1", "memory=1Gi nvidia.com/gpu=1"},
		"what has no default":               {"", "cpu=2", "cpu=100m memory=256Mi", "cpu=2 memory=1Gi"},
	} {
		defaults := corev1.ResourceRequirements{Requests: list("cpu=100m memory=256Mi"), Limits: list("memory=1Gi")}
		got := Resources(defaults, v1alpha1.PodResources{Requests: list(c.requests), Limits: list(c.limits)})
		if r, l := words(got.Requests), words(got.Limits); r != c.wantRequests || l != c.wantLimits {
			t.Errorf("%s: got %s, limited to %s", name, r, l)
		}
		if words(defaults.Requests) != "cpu=100m memory=256Mi" || words(defaults.Limits) != "memory=1Gi" {
			t.Fatalf("%s: the defaults have become %v", name, defaults)
		}
	}
}

func TestLabelsOfTheQueueAreOnTheJobAlone(t *testing.T) {
	p := plan(func(p *Plan) {
		p.JobLabels = map[string]string{v1alpha1.KueueQueueLabel: "team", v1alpha1.ManagedByLabel: "another"}
	})
	job := Job(p, attempt())
	if job.Labels[v1alpha1.KueueQueueLabel] != "team" || job.Labels[v1alpha1.ManagedByLabel] != v1alpha1.ManagedByValue {
		t.Errorf("the Job has the labels %v", job.Labels)
	}
	if _, ok := job.Spec.Template.Labels[v1alpha1.KueueQueueLabel]; ok {
		t.Error("Kueue would take the pod for one that it queues by itself")
	}
}

func TestResourcesWithoutDefaultsAreThoseThatAreAskedFor(t *testing.T) {
	got := Resources(corev1.ResourceRequirements{}, v1alpha1.PodResources{Requests: list("cpu=1")})
	if words(got.Requests) != "cpu=1" || got.Limits != nil {
		t.Errorf("got %+v", got)
	}
}
