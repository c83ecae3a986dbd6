// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// DocumentIdentity says as whom the Developer Knowledge API is asked.
//
// +kubebuilder:validation:AtMostOneOf=serviceAccountName;secretRef;apiKeySecretRef
type DocumentIdentity struct {
	// serviceAccountName is the Kubernetes ServiceAccount, in the resource's namespace, that the
	// run's pod uses. With Workload Identity Federation for GKE it decides which Google identity the
	// run has. Default: the namespace's ServiceAccount "default".
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`
	ServiceAccountName string `json:"serviceAccountName,omitempty"`

	// secretRef names the key of a service account, or the configuration of a federated identity, in
	// JSON.
	// +optional
	SecretRef *KeyRef `json:"secretRef,omitempty"`

	// apiKeySecretRef names an API key. It is sent in a header, and appears nowhere else.
	// +optional
	APIKeySecretRef *KeyRef `json:"apiKeySecretRef,omitempty"`
}

// DocumentFetchSpec says which documents to fetch.
type DocumentFetchSpec struct {
	// names are the documents: documents/ and the URI without https://, such as
	// documents/docs.cloud.google.com/storage/docs/creating-buckets.
	// +required
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=20
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=500
	// +kubebuilder:validation:items:XValidation:rule="self.startsWith('documents/') && !self.contains('://')",message="must be documents/ and the document's URI without https://: write documents/docs.cloud.google.com/storage/docs/creating-buckets"
	// +kubebuilder:validation:items:XValidation:rule="!self.split('/').exists(e, e in ['', '.', '..'])",message="must not have empty elements, '.', '..' or a slash at the end"
	// +kubebuilder:validation:items:XValidation:rule="!self.matches('[?#\\\\s\\\\\\\\]|%(?i:2e|2f|5c|25|[01][0-9a-f]|7f)')",message="must not have a query, a fragment, white space, a backslash, or percent-encoded dots and slashes"
	Names []string `json:"names"`

	// view is how much of each document is fetched: DOCUMENT_VIEW_CONTENT, the default, or
	// DOCUMENT_VIEW_FULL, or DOCUMENT_VIEW_BASIC for no content.
	// +optional
	// +kubebuilder:validation:Enum=DOCUMENT_VIEW_BASIC;DOCUMENT_VIEW_CONTENT;DOCUMENT_VIEW_FULL
	View string `json:"view,omitempty"`

	// interval fetches again so long after the last end, from 1m to 8760h. Only what has changed is
	// fetched. Default: not again.
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`
	// +kubebuilder:validation:XValidation:rule="duration(self) >= duration('1m') && duration(self) <= duration('8760h')",message="must be between 1m and 8760h"
	Interval *metav1.Duration `json:"interval,omitempty"`

	// timeout is how long fetching may take, with all that is tried again, from 1s to 1h. Default 2m.
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`
	// +kubebuilder:validation:XValidation:rule="duration(self) >= duration('1s') && duration(self) <= duration('1h')",message="must be between 1s and 1h"
	Timeout *metav1.Duration `json:"timeout,omitempty"`

	// retry says when a run that came to nothing is tried again.
	// +optional
	Retry Retry `json:"retry,omitzero"`

	// identity says as whom the API is asked. Default: the ServiceAccount "default".
	// +optional
	Identity DocumentIdentity `json:"identity,omitzero"`

	// pod says where the run's pod runs, and with how much. It doesn't decide what is executed.
	// +optional
	Pod PodSettings `json:"pod,omitzero"`

	// suspend keeps new runs from starting. A run that is under way goes on.
	// +optional
	Suspend bool `json:"suspend,omitempty"`
}

// FetchedDocument is what came of one name.
type FetchedDocument struct {
	// name is the name as spec.names has it.
	// +required
	Name string `json:"name"`

	// uri is where people read the document.
	// +optional
	URI string `json:"uri,omitempty"`

	// content is the document in Markdown, when it fits into the status; configMaps say where it is
	// otherwise.
	// +optional
	Content string `json:"content,omitempty"`

	// description is the document's own.
	// +optional
	Description string `json:"description,omitempty"`

	// title is the document's own.
	// +optional
	Title string `json:"title,omitempty"`

	// dataSource is the site that the document is from.
	// +optional
	DataSource string `json:"dataSource,omitempty"`

	// updateTime is when content or metadata last changed, as the API says it (RFC 3339).
	// +optional
	UpdateTime string `json:"updateTime,omitempty"`

	Stored `json:",inline"`

	// lastChangedTime is when a fetch first brought this content.
	// +optional
	LastChangedTime *metav1.Time `json:"lastChangedTime,omitempty"`

	// error is why the last run did not bring the document. Unless it was not found, content and the
	// fields beside it are those of an earlier run, if there was one.
	// +optional
	Error *ReadError `json:"error,omitempty"`
}

// DocumentFetchStatus is what became of the fetch.
type DocumentFetchStatus struct {
	RunStatus `json:",inline"`

	// documents are the documents, in the order of spec.names.
	// +optional
	// +listType=map
	// +listMapKey=name
	Documents []FetchedDocument `json:"documents,omitempty"`

	// fetched says how many documents the last run found, of how many, such as 19/20.
	// +optional
	Fetched string `json:"fetched,omitempty"`
}

// DocumentFetch fetches documents of Google's developer documentation.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=documentfetches,shortName=docfetch,categories=gcloud
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="FETCHED",type=string,JSONPath=`.status.fetched`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="DURATION",type=string,JSONPath=`.status.run.duration`
// +kubebuilder:printcolumn:name="NAMES",type=string,JSONPath=`.spec.names`,priority=1
type DocumentFetch struct {
	metav1.TypeMeta `json:",inline"`

	// metadata is the standard object metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// spec says which documents to fetch.
	// +required
	Spec DocumentFetchSpec `json:"spec,omitzero"`

	// status is what became of it.
	// +optional
	// +default={"observedGeneration":-1}
	Status DocumentFetchStatus `json:"status,omitzero"`
}

// RunStatus returns the part of the status that all kinds share.
func (d *DocumentFetch) RunStatus() *RunStatus { return &d.Status.RunStatus }

// DocumentFetchList is a list of DocumentFetches.
//
// +kubebuilder:object:root=true
type DocumentFetchList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitzero"`
	Items           []DocumentFetch `json:"items"`
}
