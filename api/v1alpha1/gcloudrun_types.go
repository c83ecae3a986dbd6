// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// KeyRef names a key of a ConfigMap or a Secret in the resource's namespace.
type KeyRef struct {
	// name is the name of the ConfigMap or the Secret.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`
	Name string `json:"name"`

	// key is the key in it.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[-._a-zA-Z0-9]+$`
	Key string `json:"key"`
}

// ContentsSource says where the contents of an input file come from.
//
// +kubebuilder:validation:ExactlyOneOf=configMapKeyRef;secretKeyRef
type ContentsSource struct {
	// configMapKeyRef is a key of a ConfigMap. A change of its value is a change of the spec: it runs
	// the command again.
	// +optional
	ConfigMapKeyRef *KeyRef `json:"configMapKeyRef,omitempty"`

	// secretKeyRef is a key of a Secret. It is mounted into the pod as it is, and linked to where the
	// command expects it; the operator never reads it. So a change of its value runs nothing.
	// +optional
	SecretKeyRef *KeyRef `json:"secretKeyRef,omitempty"`
}

// InputFile is a file that is there before the command starts.
//
// +kubebuilder:validation:AtMostOneOf=contents;contentsFrom
type InputFile struct {
	// path is where the file is, relative to the working directory. Folders are made. No "..", no
	// leading "/", no shell expansion.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="!self.startsWith('/') && !self.startsWith('..') && !self.split('/').exists(e, e in ['', '.', '..'])",message="must be a path relative to the working directory, without '..', '.' or empty elements: write folder/file.yaml"
	Path string `json:"path"`

	// contents is the text of the file, at most 1,048,576 bytes; all files of a run together fit
	// into one request to the API server. `kubectl apply --server-side` takes objects of more than
	// 262,144 bytes.
	// +optional
	// +kubebuilder:validation:MaxLength=1048576
	Contents string `json:"contents,omitempty"`

	// contentsFrom says where the contents come from, in place of contents. What isn't there is
	// InputMissing; the command runs once the ConfigMap is, but of a Secret only when it is asked for again.
	// +optional
	ContentsFrom *ContentsSource `json:"contentsFrom,omitempty"`
}

// Output says where the command's output goes.
type Output struct {
	// secretName is the name of a Secret that the operator makes, in the resource's namespace, and
	// that goes with the resource. All the command prints and writes goes there, and nowhere else:
	// not to the status, and not to the pod's log. The status has sizes and hashes. At most about
	// 1 MiB is kept.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`
	SecretName string `json:"secretName,omitempty"`
}

// CommandRetry says when a run of a command is tried again.
type CommandRetry struct {
	Retry `json:",inline"`

	// reasons names what is tried again although the command ran, and may have acted: CommandFailed, an
	// exit code that is no success. It is for commands that may be repeated. Default: nothing.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=1
	// +kubebuilder:validation:items:Enum=CommandFailed
	Reasons []string `json:"reasons,omitempty"`
}

// GcloudRunSpec says which command to run, and how.
type GcloudRunSpec struct {
	// project is the project that pays and whose quota is used: projects/PROJECT_ID or
	// projects/PROJECT_NUMBER. It is not the --project flag of the command.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:XValidation:rule="self.matches('^projects/([a-z][-a-z0-9:.]{4,61}[a-z0-9]|[0-9]{1,19})$')",messageExpression="'must be projects/PROJECT_ID or projects/PROJECT_NUMBER' + (self.startsWith('projects/') ? '' : ': write projects/' + self)",message="must be projects/PROJECT_ID or projects/PROJECT_NUMBER"
	Project string `json:"project"`

	// command is the whole command line, beginning with gcloud. No shell sees it: quotes group
	// words, a backslash before a line's end continues the line, and everything else is plain text.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=16384
	Command string `json:"command"`

	// inputFiles are there, in the working directory, before the command starts.
	// +optional
	// +listType=map
	// +listMapKey=path
	// +kubebuilder:validation:MaxItems=64
	InputFiles []InputFile `json:"inputFiles,omitempty"`

	// outputFiles selects, by glob relative to the working directory, the files that come back into
	// the status. "*" and "?" stop at "/", "**" doesn't. Default: every regular file that is new or
	// changed after the command ran.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=256
	OutputFiles []string `json:"outputFiles,omitempty"`

	// output says where the output goes. Default: into the status.
	// +optional
	Output Output `json:"output,omitzero"`

	// timeout is how long the command may run, from 1s to 24h; then it is stopped, and what it
	// printed up to there is kept. Default 10m.
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`
	// +kubebuilder:validation:XValidation:rule="duration(self) >= duration('1s') && duration(self) <= duration('24h')",message="must be between 1s and 24h"
	Timeout *metav1.Duration `json:"timeout,omitempty"`

	// interval runs the same command again so long after the last end, from 1m to 8760h. It is for
	// commands that only read, or that may be repeated. Default: not again.
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`
	// +kubebuilder:validation:XValidation:rule="duration(self) >= duration('1m') && duration(self) <= duration('8760h')",message="must be between 1m and 8760h"
	Interval *metav1.Duration `json:"interval,omitempty"`

	// successExitCodes are the exit codes of the command that count as success, from 0 to 255. Default:
	// 0 alone. Where it is set, 0 counts only if it is named.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:Minimum=0
	// +kubebuilder:validation:items:Maximum=255
	SuccessExitCodes []int32 `json:"successExitCodes,omitempty"`

	// retry says when a run that came to nothing is tried again.
	// +optional
	Retry CommandRetry `json:"retry,omitzero"`

	// identity says as whom the command acts. Default: the ServiceAccount "default".
	// +optional
	Identity Identity `json:"identity,omitzero"`

	// pod says where the run's pod runs, and with how much. It doesn't decide what is executed.
	// +optional
	Pod PodSettings `json:"pod,omitzero"`

	// suspend keeps new runs from starting. A run that is under way goes on.
	// +optional
	Suspend bool `json:"suspend,omitempty"`
}

// Response is what the command answered.
type Response struct {
	// run is the number of the run that this is the response of.
	// +required
	Run int64 `json:"run"`

	// exitCode is the exit code of the command; 128 and the signal's number when a signal ended it.
	// Unset when it isn't known.
	// +optional
	ExitCode *int64 `json:"exitCode,omitempty"`

	// stdout is what the command wrote to its standard output, if that is text. When it is too
	// large for the status, this is its beginning and its end; stdoutInfo says where the whole is.
	// +optional
	Stdout string `json:"stdout"`

	// stderr is what the command wrote to its standard error, likewise.
	// +optional
	Stderr string `json:"stderr"`

	// redacted is how many tokens and private keys were replaced by [redacted] in what the command
	// printed and wrote.
	// +optional
	Redacted int64 `json:"redacted,omitempty"`

	// stdoutInfo has size and hash of stdout, and where it is when it doesn't stand in stdout.
	// +optional
	StdoutInfo Stored `json:"stdoutInfo,omitzero"`

	// stderrInfo has size and hash of stderr, and where it is when it doesn't stand in stderr.
	// +optional
	StderrInfo Stored `json:"stderrInfo,omitzero"`
}

// OutputFile is a file that the command wrote.
type OutputFile struct {
	// path is relative to the working directory.
	// +required
	Path string `json:"path"`

	// contents is the file's text, as response.stdout.
	// +optional
	Contents string `json:"contents"`

	Stored `json:",inline"`
}

// LeftOutFile is a file that was selected and yet not kept.
type LeftOutFile struct {
	// path is relative to the working directory.
	// +required
	Path string `json:"path"`

	// bytes is the size of the file, when known.
	// +optional
	Bytes int64 `json:"bytes,omitempty"`

	// reason says why it was not kept.
	// +required
	Reason string `json:"reason"`
}

// GcloudRunStatus is what became of the command.
type GcloudRunStatus struct {
	RunStatus `json:",inline"`

	// argv are the words that are executed, as the command line was parsed.
	// +optional
	// +listType=atomic
	Argv []string `json:"argv,omitempty"`

	// response is what the command answered: the one that has ended last.
	// +optional
	Response *Response `json:"response,omitempty"`

	// outputFiles are the files that the command wrote.
	// +optional
	// +listType=map
	// +listMapKey=path
	OutputFiles []OutputFile `json:"outputFiles,omitempty"`

	// leftOutFiles are files that were selected and yet not kept, and why.
	// +optional
	// +listType=atomic
	LeftOutFiles []LeftOutFile `json:"leftOutFiles,omitempty"`
}

// GcloudRun runs one gcloud command and holds what came of it.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=grun,categories=gcloud
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="EXIT",type=integer,JSONPath=`.status.response.exitCode`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="DURATION",type=string,JSONPath=`.status.run.duration`
// +kubebuilder:printcolumn:name="PROJECT",type=string,JSONPath=`.spec.project`
// +kubebuilder:printcolumn:name="COMMAND",type=string,JSONPath=`.spec.command`,priority=1
type GcloudRun struct {
	metav1.TypeMeta `json:",inline"`

	// metadata is the standard object metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// spec says which command to run, and how.
	// +required
	Spec GcloudRunSpec `json:"spec,omitzero"`

	// status is what became of it.
	// +optional
	// +default={"observedGeneration":-1}
	Status GcloudRunStatus `json:"status,omitzero"`
}

// RunStatus returns the part of the status that all kinds share.
func (g *GcloudRun) RunStatus() *RunStatus { return &g.Status.RunStatus }

// GcloudRunList is a list of GcloudRuns.
//
// +kubebuilder:object:root=true
type GcloudRunList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitzero"`
	Items           []GcloudRun `json:"items"`
}
