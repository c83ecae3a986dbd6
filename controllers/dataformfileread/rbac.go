// SPDX-License-Identifier: Apache-2.0

package dataformfileread

// What the controller may do with DataformFileReads, and why.
//
// It watches them, and writes their status. The rights on finalizers are what the API server asks of
// whoever makes an object that blocks its owner's deletion.
// +kubebuilder:rbac:groups=gcloud-operator.dev,resources=dataformfilereads,verbs=get;list;watch
// +kubebuilder:rbac:groups=gcloud-operator.dev,resources=dataformfilereads/status,verbs=patch
// +kubebuilder:rbac:groups=gcloud-operator.dev,resources=dataformfilereads/finalizers,verbs=update
