// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	configv1alpha1 "github.com/gcloud-operator/gcloud-operator/api/config/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

var podPath = field.NewPath("spec", "pod")

// PodSettings checks what a resource asks for its pod. The API server would say much of it when the Job is
// made, which nobody sees who applies the resource.
func PodSettings(at *field.Path, limits configv1alpha1.Pods, s v1alpha1.PodSettings) field.ErrorList {
	errs := podResources(at.Child("resources"), limits.MaxResources, s.Resources)
	errs = append(errs, metav1validation.ValidateLabels(plain(s.NodeSelector), at.Child("nodeSelector"))...)
	for i, t := range s.Tolerations {
		errs = append(errs, toleration(at.Child("tolerations").Index(i), t)...)
	}
	errs = append(errs, metav1validation.ValidateLabels(plain(s.Labels), at.Child("labels"))...)
	errs = append(errs, reserved(at.Child("labels"), s.Labels)...)
	errs = append(errs, apivalidation.ValidateAnnotations(plain(s.Annotations), at.Child("annotations"))...)
	errs = append(errs, reserved(at.Child("annotations"), s.Annotations)...)
	return append(errs, priorityClass(at.Child("priorityClassName"), limits.AllowedPriorityClasses, s.PriorityClassName)...)
}

func podResources(at *field.Path, limit corev1.ResourceList, r v1alpha1.PodResources) field.ErrorList {
	errs := amounts(at.Child("requests"), limit, r.Requests)
	errs = append(errs, amounts(at.Child("limits"), limit, r.Limits)...)
	for _, name := range slices.Sorted(maps.Keys(r.Requests)) {
		request, at := r.Requests[name], at.Child("requests").Key(string(name))
		bound, ok := r.Limits[name]
		switch {
		case ok && request.Cmp(bound) > 0:
			errs = append(errs, field.Invalid(at, request.String(), "must be at most the limit of "+bound.String()))
		case !divisible(name) && len(resourceName(string(name))) == 0 && (!ok || request.Cmp(bound) != 0):
			errs = append(errs, field.Invalid(at, request.String(), "must be the same as its limit, for it can't be shared: write it into limits alone"))
		}
	}
	return errs
}

// divisible says whether a node may promise more of the resource than it has.
func divisible(name corev1.ResourceName) bool {
	return name == corev1.ResourceCPU || name == corev1.ResourceMemory || name == corev1.ResourceEphemeralStorage
}

// resourceName says why a container can't ask for a resource of that name.
func resourceName(name string) []string {
	faults := validation.IsQualifiedName(name)
	ofKubernetes := divisible(corev1.ResourceName(name)) || strings.HasPrefix(name, corev1.ResourceHugePagesPrefix)
	if len(faults) == 0 && !ofKubernetes && !strings.Contains(name, "/") {
		faults = []string{"must be cpu, memory, ephemeral-storage, hugepages-SIZE, or a resource with a domain, such as example.com/gpu"}
	}
	return faults
}

func amounts(at *field.Path, limit, asked corev1.ResourceList) field.ErrorList {
	var errs field.ErrorList
	for _, name := range slices.Sorted(maps.Keys(asked)) {
		amount, at := asked[name], at.Key(string(name))
		for _, fault := range resourceName(string(name)) {
			errs = append(errs, field.Invalid(at, shown(string(name)), fault))
		}
		if amount.Sign() < 0 {
			errs = append(errs, field.Invalid(at, amount.String(), "must not be negative"))
		}
		if most, ok := limit[name]; ok && amount.Cmp(most) > 0 {
			errs = append(errs, field.Invalid(at, amount.String(), "the operator's configuration lets a run ask for "+most.String()+" at most: write that, or ask who runs the operator"))
		}
	}
	return errs
}

func toleration(at *field.Path, t corev1.Toleration) field.ErrorList {
	var errs field.ErrorList
	invalid := func(name, value, fault string) {
		errs = append(errs, field.Invalid(at.Child(name), shown(value), fault))
	}
	if t.Key != "" {
		for _, fault := range validation.IsQualifiedName(t.Key) {
			invalid("key", t.Key, fault)
		}
	}
	switch t.Operator {
	case corev1.TolerationOpExists:
		if t.Value != "" {
			invalid("value", t.Value, "must not be set with the operator Exists: leave it out")
		}
	case corev1.TolerationOpEqual, "":
		if t.Key == "" {
			invalid("operator", string(t.Operator), "must be Exists where there is no key: name a key, or write Exists")
		}
		for _, fault := range validation.IsValidLabelValue(t.Value) {
			invalid("value", t.Value, fault)
		}
	default:
		invalid("operator", string(t.Operator), "must be Equal or Exists")
	}
	switch t.Effect {
	case "", corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute:
	default:
		invalid("effect", string(t.Effect), "must be NoSchedule, PreferNoSchedule or NoExecute, or left out")
	}
	if t.TolerationSeconds != nil && t.Effect != corev1.TaintEffectNoExecute {
		invalid("effect", string(t.Effect), "must be NoExecute where tolerationSeconds is set")
	}
	return errs
}

// reserved refuses the keys by which the operator and the Job controller know a pod.
func reserved[V ~string](at *field.Path, values map[string]V) field.ErrorList {
	var errs field.ErrorList
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if isReserved(key) {
			errs = append(errs, field.Forbidden(at.Key(key), "it is set by the operator or by the Job controller: leave it out"))
		}
	}
	return errs
}

func isReserved(key string) bool {
	switch key {
	case v1alpha1.ManagedByLabel, "job-name", "controller-uid":
		return true
	}
	domain, _, _ := strings.Cut(key, "/")
	return domain == v1alpha1.SchemeGroupVersion.Group || domain == "batch.kubernetes.io"
}

func priorityClass(at *field.Path, allowed []string, name string) field.ErrorList {
	switch {
	case name == "":
	case strings.HasPrefix(name, "system-"):
		return field.ErrorList{field.Invalid(at, name, "must be none of Kubernetes' own classes, which are for what the cluster can't do without: name another PriorityClass")}
	case len(allowed) > 0 && !slices.Contains(allowed, name):
		return field.ErrorList{field.NotSupported(at, name, allowed)}
	}
	return nil
}

// plain are the values without their type.
func plain[V ~string](values map[string]V) map[string]string {
	texts := make(map[string]string, len(values))
	for key, value := range values {
		texts[key] = string(value)
	}
	return texts
}
