// SPDX-License-Identifier: Apache-2.0

package documentfetch

// What the controller may do with DocumentFetches, and why.
//
// It watches them, and writes their status. The rights on finalizers are what the API server asks of
// whoever makes an object that blocks its owner's deletion.
// +kubebuilder:rbac:groups=gcloud-operator.dev,resources=documentfetches,verbs=get;list;watch
// +kubebuilder:rbac:groups=gcloud-operator.dev,resources=documentfetches/status,verbs=patch
// +kubebuilder:rbac:groups=gcloud-operator.dev,resources=documentfetches/finalizers,verbs=update
