// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
)

// SecretName names a Secret in the resource's namespace.
type SecretName struct {
	// name is the name of the Secret.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`
	Name string `json:"name"`
}

// PodResources are requests and limits of the run's pod.
type PodResources struct {
	// requests are what a node must have left for the pod.
	// +optional
	// +kubebuilder:validation:MaxProperties=16
	Requests corev1.ResourceList `json:"requests,omitempty"`

	// limits are what the pod may use at most.
	// +optional
	// +kubebuilder:validation:MaxProperties=16
	Limits corev1.ResourceList `json:"limits,omitempty"`
}

// LabelValue is the value of a label.
//
// +kubebuilder:validation:MaxLength=63
// +kubebuilder:validation:Pattern=`^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$`
type LabelValue string

// AnnotationValue is the value of an annotation.
//
// +kubebuilder:validation:MaxLength=4096
type AnnotationValue string

// PodSettings say where the run's pod runs, and with how much. They don't decide what is executed: a
// change of them runs nothing, and counts for the next attempt.
type PodSettings struct {
	// resources are requests and limits of the container that does the work. What isn't named here is as
	// the operator's configuration has it, which can also bound what is asked for.
	// +optional
	Resources PodResources `json:"resources,omitzero"`

	// nodeSelector are labels of the nodes that may take the pod.
	// +optional
	// +kubebuilder:validation:MaxProperties=16
	NodeSelector map[string]LabelValue `json:"nodeSelector,omitempty"`

	// tolerations are taints of nodes that keep the pod away no longer.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	Tolerations []corev1.Toleration `json:"tolerations,omitempty"`

	// imagePullSecrets are Secrets with which the pod's images are pulled, in place of those of its
	// ServiceAccount. The images are those of the operator's configuration.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=8
	ImagePullSecrets []SecretName `json:"imagePullSecrets,omitempty"`

	// runtimeClassName is the RuntimeClass of the pod, such as one that isolates it in a virtual machine.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`
	RuntimeClassName string `json:"runtimeClassName,omitempty"`

	// priorityClassName is the PriorityClass of the pod, none of Kubernetes' own.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`
	// +kubebuilder:validation:XValidation:rule="!self.startsWith('system-')",message="must be none of Kubernetes' own classes, which are for what the cluster can't do without: name another PriorityClass"
	PriorityClassName string `json:"priorityClassName,omitempty"`

	// labels are set on the pod, beside the operator's own.
	// +optional
	// +kubebuilder:validation:MaxProperties=32
	Labels map[string]LabelValue `json:"labels,omitempty"`

	// annotations are set on the pod, beside the operator's own.
	// +optional
	// +kubebuilder:validation:MaxProperties=32
	Annotations map[string]AnnotationValue `json:"annotations,omitempty"`
}
