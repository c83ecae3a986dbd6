// SPDX-License-Identifier: Apache-2.0

package certificate

// What the certificate needs, and why.
//
// It lives in a Secret of the operator's own namespace. A create can't be bound to a name.
// +kubebuilder:rbac:groups="",namespace=gcloud-operator-system,resources=secrets,verbs=create
// +kubebuilder:rbac:groups="",namespace=gcloud-operator-system,resources=secrets,resourceNames=gcloud-operator-webhook-certificate,verbs=get;update
//
// The API server trusts the authority that stands in the webhook's configuration. It is the only right that
// no namespace can bound, and so a role of its own.
// +kubebuilder:rbac:roleName=webhook-trust,groups=admissionregistration.k8s.io,resources=validatingwebhookconfigurations,resourceNames=gcloud-operator-validating-webhook-configuration,verbs=get;patch
