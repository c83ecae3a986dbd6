// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Identity says as whom a command acts at Google Cloud.
//
// +kubebuilder:validation:XValidation:rule="!has(self.secretRef) || !has(self.serviceAccountName) && !has(self.workloadIdentityFederation)",message="secretRef says by itself as whom the command acts: write either secretRef alone, or serviceAccountName and workloadIdentityFederation without it"
type Identity struct {
	// serviceAccountName is the Kubernetes ServiceAccount, in the resource's namespace, that the
	// run's pod uses. With Workload Identity Federation it decides which Google identity the run has.
	// Default: the namespace's ServiceAccount "default".
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`
	ServiceAccountName string `json:"serviceAccountName,omitempty"`

	// workloadIdentityFederation exchanges a token of the ServiceAccount for one of Google's. It is for
	// clusters other than GKE, which does so by itself.
	// +optional
	WorkloadIdentityFederation *WorkloadIdentityFederation `json:"workloadIdentityFederation,omitempty"`

	// secretRef names the key of a service account, or the configuration of a federated identity, in
	// JSON. It is mounted into the pod as it is; the operator never reads it. So a change of its value
	// runs nothing.
	// +optional
	SecretRef *KeyRef `json:"secretRef,omitempty"`

	// impersonateServiceAccount is the email of a Google service account that the command acts as in
	// the end, beside any of the other fields: these say who has to have the role
	// roles/iam.serviceAccountTokenCreator on it.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9][-a-z0-9.]*@([-a-z0-9]+[.])+gserviceaccount[.]com$')",message="must be the email of one service account: write NAME@PROJECT_ID.iam.gserviceaccount.com"
	ImpersonateServiceAccount string `json:"impersonateServiceAccount,omitempty"`
}

// WorkloadIdentityFederation says who exchanges a token of the run's ServiceAccount for one of Google's.
type WorkloadIdentityFederation struct {
	// provider is the full name of the provider of a workload identity pool, with the project's number:
	// projects/NUMBER/locations/global/workloadIdentityPools/POOL/providers/PROVIDER. The token's
	// audience is https://iam.googleapis.com/ and this name, which providers take by default.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^projects/[0-9]+/locations/global/workloadIdentityPools/[-a-z0-9]+/providers/[-a-z0-9]+$')",message="must be the full name of a provider, with the project's number: write projects/NUMBER/locations/global/workloadIdentityPools/POOL/providers/PROVIDER"
	Provider string `json:"provider"`
}
