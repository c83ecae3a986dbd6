// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	quantity "k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"

	configv1alpha1 "github.com/gcloud-operator/gcloud-operator/api/config/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/command"
)

func memory(amount string) corev1.ResourceList {
	return corev1.ResourceList{corev1.ResourceMemory: quantity.MustParse(amount)}
}

func tolerating(t corev1.Toleration) v1alpha1.PodSettings {
	return v1alpha1.PodSettings{Tolerations: []corev1.Toleration{t}}
}

func labelled(key string, value v1alpha1.LabelValue) v1alpha1.PodSettings {
	return v1alpha1.PodSettings{Labels: map[string]v1alpha1.LabelValue{key: value}}
}

func device(amount string) corev1.ResourceList {
	return corev1.ResourceList{"example.com/gpu": quantity.MustParse(amount)}
}

func asking(requests, limits corev1.ResourceList) v1alpha1.PodSettings {
	return v1alpha1.PodSettings{Resources: v1alpha1.PodResources{Requests: requests, Limits: limits}}
}

func TestSettingsOfThePodAreOnesThatTheClusterTakes(t *testing.T) {
	bounded := configv1alpha1.Pods{MaxResources: memory("4Gi"), AllowedPriorityClasses: []string{"batch", "low"}}
	own := func(key string) v1alpha1.PodSettings {
		return v1alpha1.PodSettings{Annotations: map[string]v1alpha1.AnnotationValue{key: "a"}}
	}
	nodes := func(key string, value v1alpha1.LabelValue) v1alpha1.PodSettings {
		return v1alpha1.PodSettings{NodeSelector: map[string]v1alpha1.LabelValue{key: value}}
	}
	for name, c := range map[string]struct {
		settings v1alpha1.PodSettings
		want     string // the field that is refused, and what is said of it; "" where nothing is
	}{
		"none":                            {v1alpha1.PodSettings{}, ""},
		"as much as may be":               {asking(memory("1Gi"), memory("4Gi")), ""},
		"another resource than is bound":  {asking(corev1.ResourceList{corev1.ResourceCPU: quantity.MustParse("64")}, nil), ""},
		"a limit over the cap":            {asking(nil, memory("4097Mi")), "spec.pod.resources.limits[memory]: lets a run ask for 4Gi at most"},
		"a request over the cap":          {asking(memory("5Gi"), nil), "spec.pod.resources.requests[memory]: lets a run ask for 4Gi at most"},
		"a request over its limit":        {asking(memory("2Gi"), memory("1Gi")), "spec.pod.resources.requests[memory]: at most the limit of 1Gi"},
		"less than nothing":               {asking(memory("-1"), nil), "spec.pod.resources.requests[memory]: must not be negative"},
		"a resource that isn't known":     {asking(nil, corev1.ResourceList{"gpu": quantity.MustParse("1")}), "spec.pod.resources.limits[gpu]: such as example.com/gpu"},
		"a device without a limit":        {asking(device("1"), nil), "spec.pod.resources.requests[example.com/gpu]: the same as its limit"},
		"less of a device than its limit": {asking(device("1"), device("2")), "spec.pod.resources.requests[example.com/gpu]: the same as its limit"},
		"a device":                        {asking(device("1"), device("1")), ""},
		"a limit of a device":             {asking(nil, device("1")), ""},
		"a resource of no name":           {asking(corev1.ResourceList{"a b": quantity.MustParse("1")}, nil), "spec.pod.resources.requests[a b]: must consist of"},

		"a choice of nodes":               {nodes("cloud.google.com/gke-spot", "true"), ""},
		"a choice by no label":            {nodes("a b", "true"), "spec.pod.nodeSelector: must consist of"},
		"a choice by a value of no label": {nodes("a", "b c"), "spec.pod.nodeSelector: a valid label"},

		"a toleration":                                     {tolerating(corev1.Toleration{Key: "a", Operator: corev1.TolerationOpEqual, Value: "b", Effect: corev1.TaintEffectNoSchedule}), ""},
		"a toleration of everything":                       {tolerating(corev1.Toleration{Operator: corev1.TolerationOpExists}), ""},
		"a toleration for a while":                         {tolerating(corev1.Toleration{Key: "a", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: new(int64(60))}), ""},
		"a toleration of nothing":                          {tolerating(corev1.Toleration{}), "spec.pod.tolerations[0].operator: must be Exists where there is no key"},
		"a toleration by an unknown operator":              {tolerating(corev1.Toleration{Key: "a", Operator: "In"}), "spec.pod.tolerations[0].operator: must be Equal or Exists"},
		"a toleration of an unknown effect":                {tolerating(corev1.Toleration{Key: "a", Effect: "NoRun"}), "spec.pod.tolerations[0].effect: must be NoSchedule"},
		"a toleration of existence and a value":            {tolerating(corev1.Toleration{Key: "a", Operator: corev1.TolerationOpExists, Value: "b"}), "spec.pod.tolerations[0].value: leave it out"},
		"a toleration for a while of what is not executed": {tolerating(corev1.Toleration{Key: "a", Operator: corev1.TolerationOpExists, TolerationSeconds: new(int64(60))}), "spec.pod.tolerations[0].effect: must be NoExecute"},

		"labels":                          {labelled("team", "shop"), ""},
		"a sidecar that is asked for":     {labelled("sidecar.istio.io/inject", "true"), ""},
		"a label that is none":            {labelled("-", "a"), "spec.pod.labels: must consist of"},
		"the operator's own label":        {labelled("app.kubernetes.io/managed-by", "me"), "spec.pod.labels[app.kubernetes.io/managed-by]: leave it out"},
		"the label of another's resource": {labelled("gcloud-operator.dev/owner-uid", "b"), "spec.pod.labels[gcloud-operator.dev/owner-uid]: leave it out"},
		"a label of the Job controller":   {labelled("batch.kubernetes.io/job-name", "b"), "spec.pod.labels[batch.kubernetes.io/job-name]: leave it out"},
		"its label of old":                {labelled("controller-uid", "b"), "spec.pod.labels[controller-uid]: leave it out"},
		"an annotation":                   {own("example.com/cost"), ""},
		"the operator's own annotation":   {own("gcloud-operator.dev/start-before"), "spec.pod.annotations[gcloud-operator.dev/start-before]: leave it out"},
		"the Job controller's annotation": {own("batch.kubernetes.io/job-completion-index"), "spec.pod.annotations[batch.kubernetes.io/job-completion-index]: leave it out"},
		"an annotation of no name":        {own("a b"), "spec.pod.annotations: must consist of"},

		"a priority class":                 {v1alpha1.PodSettings{PriorityClassName: "batch"}, ""},
		"a priority class that isn't free": {v1alpha1.PodSettings{PriorityClassName: "urgent"}, `spec.pod.priorityClassName: supported values: "batch", "low"`},
		"a priority class of Kubernetes":   {v1alpha1.PodSettings{PriorityClassName: "system-node-critical"}, "spec.pod.priorityClassName: name another PriorityClass"},
	} {
		t.Run(name, func(t *testing.T) {
			errs := PodSettings(field.NewPath("spec", "pod"), bounded, c.settings)
			at, fix, _ := strings.Cut(c.want, ": ")
			switch {
			case c.want == "" && len(errs) > 0:
				t.Errorf("refused: %v", errs)
			case c.want != "" && (len(errs) != 1 || errs[0].Field != at || !strings.Contains(errs[0].Detail, fix)):
				t.Errorf("got %v, want %s", errs, c.want)
			}
		})
	}
}

func TestSettingsOfThePodAreCheckedWithTheRestOfEachKind(t *testing.T) {
	bounded := configv1alpha1.Pods{MaxResources: memory("1Gi")}
	greedy := asking(nil, memory("2Gi"))
	_, ofCommand, _ := GcloudRun(command.Policy{}, bounded, resource(func(g *v1alpha1.GcloudRun) { g.Spec.Pod = greedy }))
	for kind, errs := range map[string]field.ErrorList{
		"GcloudRun":        ofCommand,
		"DocumentFetch":    DocumentFetch(bounded, &v1alpha1.DocumentFetch{Spec: v1alpha1.DocumentFetchSpec{Names: []string{documentExample}, Pod: greedy}}),
		"DataformFileRead": DataformFileRead(bounded, &v1alpha1.DataformFileRead{Spec: v1alpha1.DataformFileReadSpec{Workspace: workspace, Path: "a.sqlx", Pod: greedy}}),
	} {
		if len(errs) != 1 || errs[0].Field != "spec.pod.resources.limits[memory]" {
			t.Errorf("%s: got %v", kind, errs)
		}
	}
}
