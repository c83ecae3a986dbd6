// SPDX-License-Identifier: Apache-2.0

package jobspec

import (
	"maps"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

// A sidecar outlives the command, and is a way into its pod: a mesh that injects one everywhere leaves
// runs out, unless their settings ask for it.
var (
	noSidecarLabels      = map[string]string{"sidecar.istio.io/inject": "false"}
	noSidecarAnnotations = map[string]string{"linkerd.io/inject": "disabled"}
)

// podMeta is the metadata of the pod. What the operator knows it by comes last, and wins.
func podMeta(p Plan, a Attempt) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Labels:      merge(noSidecarLabels, texts(p.Pod.Labels), Labels(a.Owner)),
		Annotations: merge(noSidecarAnnotations, texts(p.Pod.Annotations), a.annotations()),
		Finalizers:  []string{v1alpha1.ReportFinalizer},
	}
}

// place says where the pod runs.
func place(s *corev1.PodSpec, settings v1alpha1.PodSettings) {
	s.NodeSelector = texts(settings.NodeSelector)
	s.Tolerations = settings.Tolerations
	s.PriorityClassName = settings.PriorityClassName
	if settings.RuntimeClassName != "" {
		s.RuntimeClassName = new(settings.RuntimeClassName)
	}
	for _, secret := range settings.ImagePullSecrets {
		s.ImagePullSecrets = append(s.ImagePullSecrets, corev1.LocalObjectReference{Name: secret.Name})
	}
}

// Resources are what is asked for, and for the rest the defaults. A default gives way where it would make
// a request larger than its limit.
func Resources(defaults corev1.ResourceRequirements, asked v1alpha1.PodResources) corev1.ResourceRequirements {
	r := *defaults.DeepCopy()
	r.Requests, r.Limits = overlay(r.Requests, asked.Requests), overlay(r.Limits, asked.Limits)
	for name, request := range r.Requests {
		limit, bounded := r.Limits[name]
		if !bounded || request.Cmp(limit) <= 0 {
			continue
		}
		if _, ok := asked.Requests[name]; ok {
			r.Limits[name] = request
		} else {
			r.Requests[name] = limit
		}
	}
	return r
}

func overlay(list, over corev1.ResourceList) corev1.ResourceList {
	if list == nil && len(over) > 0 {
		list = corev1.ResourceList{}
	}
	maps.Copy(list, over)
	return list
}

func merge(parts ...map[string]string) map[string]string {
	all := map[string]string{}
	for _, part := range parts {
		maps.Copy(all, part)
	}
	return all
}

func texts[V ~string](values map[string]V) map[string]string {
	if len(values) == 0 {
		return nil
	}
	all := make(map[string]string, len(values))
	for key, value := range values {
		all[key] = string(value)
	}
	return all
}
