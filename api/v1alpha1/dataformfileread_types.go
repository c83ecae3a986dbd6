// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ReadIdentity says as whom the Dataform API is asked.
//
// +kubebuilder:validation:AtMostOneOf=serviceAccountName;secretRef
type ReadIdentity struct {
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
}

// FileOutput says where else the file goes.
type FileOutput struct {
	// configMapName is the name of a ConfigMap that holds the file as it is, under the key
	// "contents", for pods to mount. The operator makes it, and replaces its contents when the file
	// changes; one that is there already and isn't the resource's is left alone. A file of more than
	// 1,048,576 bytes doesn't fit.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`
	ConfigMapName string `json:"configMapName"`
}

// DataformFileReadSpec says which file to read.
type DataformFileReadSpec struct {
	// workspace is the workspace's name:
	// projects/PROJECT/locations/LOCATION/repositories/REPOSITORY/workspaces/WORKSPACE.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="self.matches('^projects/([a-z][-a-z0-9:.]{4,61}[a-z0-9]|[0-9]{1,19})/locations/[a-z0-9][-a-z0-9]{0,62}/repositories/[A-Za-z0-9_][-A-Za-z0-9_.~]{0,127}/workspaces/[A-Za-z0-9_][-A-Za-z0-9_.~]{0,127}$')",message="must have the form projects/PROJECT/locations/LOCATION/repositories/REPOSITORY/workspaces/WORKSPACE"
	Workspace string `json:"workspace"`

	// path is the file's full path, relative to the root of the workspace, such as
	// definitions/orders.sqlx.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:XValidation:rule="!self.split('/').exists(e, e in ['', '.', '..'])",message="must be relative to the root of the workspace, without empty elements, '.', '..' or a slash at the end: write definitions/orders.sqlx"
	// +kubebuilder:validation:XValidation:rule="!self.matches('[\\\\p{Cc}\\\\p{Cf}\\\\\\\\]|%(?i:2e|2f|5c|25|[01][0-9a-f]|7f)')",message="must not have a backslash, control characters, or percent-encoded dots and slashes: write the path as it is"
	Path string `json:"path"`

	// revision is a Git revision: a commit, a branch or a tag. Default: the file as it is in the
	// workspace, with what is not committed.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:XValidation:rule="!self.startsWith('-') && !self.contains('..') && !self.matches('[\\\\s\\\\p{Cc}\\\\p{Cf}\\\\\\\\:?*\\\\[]')",message="must be one revision, a commit, a branch or a tag: no range, no leading -, no white space, and none of \\ : ? * ["
	Revision string `json:"revision,omitempty"`

	// output says where else the file goes.
	// +optional
	Output *FileOutput `json:"output,omitempty"`

	// interval reads again so long after the last end, from 1m to 8760h. Default: not again.
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`
	// +kubebuilder:validation:XValidation:rule="duration(self) >= duration('1m') && duration(self) <= duration('8760h')",message="must be between 1m and 8760h"
	Interval *metav1.Duration `json:"interval,omitempty"`

	// timeout is how long reading may take, with all that is tried again, from 1s to 1h. Default 2m.
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
	Identity ReadIdentity `json:"identity,omitzero"`

	// pod says where the run's pod runs, and with how much. It doesn't decide what is executed.
	// +optional
	Pod PodSettings `json:"pod,omitzero"`

	// suspend keeps new runs from starting. A run that is under way goes on.
	// +optional
	Suspend bool `json:"suspend,omitempty"`
}

// FileInfo describes the file that was read.
type FileInfo struct {
	// bytes is the size of the file.
	// +required
	Bytes int64 `json:"bytes"`

	// sha256 is the hash of the whole file, in hex.
	// +required
	SHA256 string `json:"sha256"`

	// text is true when the file is text: valid UTF-8 without control characters other than tab,
	// newline and carriage return.
	// +required
	Text bool `json:"text"`

	// truncated is true when the file has more than the operator keeps: the middle is missing, and
	// headBytes says where.
	// +optional
	Truncated bool `json:"truncated,omitempty"`

	// headBytes is how many of the kept bytes stand before the missing middle. Set when truncated.
	// +optional
	HeadBytes int64 `json:"headBytes,omitempty"`

	// configMaps hold the file, in this order, when it doesn't fit into the status.
	// +optional
	// +listType=atomic
	ConfigMaps []StoredPart `json:"configMaps,omitempty"`
}

// DataformFileReadStatus is what became of the read.
type DataformFileReadStatus struct {
	RunStatus `json:",inline"`

	// fileContents is the file, in base64, when it fits into the status; fileInfo says where it is
	// otherwise. An empty file has none. It stays that of the last run that read it when a later one
	// fails.
	// +optional
	FileContents []byte `json:"fileContents,omitempty"`

	// fileInfo has size and hash of the file, whether it is text, and where it is.
	// +optional
	FileInfo *FileInfo `json:"fileInfo,omitempty"`
}

// DataformFileRead reads a file of a Dataform workspace.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=dfread,categories=gcloud
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="BYTES",type=integer,JSONPath=`.status.fileInfo.bytes`
// +kubebuilder:printcolumn:name="CHANGED",type=date,JSONPath=`.status.lastChangedTime`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="PATH",type=string,JSONPath=`.spec.path`
// +kubebuilder:printcolumn:name="WORKSPACE",type=string,JSONPath=`.spec.workspace`,priority=1
type DataformFileRead struct {
	metav1.TypeMeta `json:",inline"`

	// metadata is the standard object metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// spec says which file to read.
	// +required
	Spec DataformFileReadSpec `json:"spec,omitzero"`

	// status is what became of it.
	// +optional
	// +default={"observedGeneration":-1}
	Status DataformFileReadStatus `json:"status,omitzero"`
}

// RunStatus returns the part of the status that all kinds share.
func (d *DataformFileRead) RunStatus() *RunStatus { return &d.Status.RunStatus }

// DataformFileReadList is a list of DataformFileReads.
//
// +kubebuilder:object:root=true
type DataformFileReadList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitzero"`
	Items           []DataformFileRead `json:"items"`
}
