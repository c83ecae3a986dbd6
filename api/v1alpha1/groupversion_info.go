// SPDX-License-Identifier: Apache-2.0

// Package v1alpha1 holds the resources of gcloud-operator: each is the Kubernetes form of one
// of Google's remote tools, and all of them share the life of a run.
//
// +kubebuilder:object:generate=true
// +groupName=gcloud-operator.dev
package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var (
	// SchemeGroupVersion is the group and version of the types in this package.
	SchemeGroupVersion = schema.GroupVersion{Group: "gcloud-operator.dev", Version: "v1alpha1"}

	// SchemeBuilder collects the functions that add this package's types to a scheme.
	SchemeBuilder = runtime.NewSchemeBuilder(addKnownTypes)

	// AddToScheme adds this package's types to a scheme.
	AddToScheme = SchemeBuilder.AddToScheme
)

func addKnownTypes(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(SchemeGroupVersion,
		&GcloudRun{}, &GcloudRunList{},
		&DocumentFetch{}, &DocumentFetchList{},
		&DataformFileRead{}, &DataformFileReadList{},
	)
	metav1.AddToGroupVersion(scheme, SchemeGroupVersion)
	return nil
}
