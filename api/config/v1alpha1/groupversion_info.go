// SPDX-License-Identifier: Apache-2.0

// Package v1alpha1 holds the operator's own configuration: what the administrator of a cluster
// decides, and no tenant can.
//
// +kubebuilder:object:generate=true
// +groupName=config.gcloud-operator.dev
package v1alpha1

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// SchemeGroupVersion is the group and version of the types in this package.
var SchemeGroupVersion = schema.GroupVersion{Group: "config.gcloud-operator.dev", Version: "v1alpha1"}

// Kind is the kind of the operator's configuration file.
const Kind = "OperatorConfiguration"
