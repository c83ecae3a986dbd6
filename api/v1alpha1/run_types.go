// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Run is one run of a resource: what identifies it, where it has got to, what it came to.
type Run struct {
	// number counts the resource's runs, from 1.
	// +required
	Number int64 `json:"number"`

	// key is a hash of all that decides what is executed. Another key means another run.
	// +required
	Key string `json:"key"`

	// attempt counts the Jobs made for this run, from 1. There is another only after one that
	// provably never started.
	// +required
	Attempt int32 `json:"attempt"`

	// jobName is the name of the Job of this attempt.
	// +required
	JobName string `json:"jobName"`

	// podName is the name of the one pod that may execute the command.
	// +optional
	PodName string `json:"podName,omitempty"`

	// podUID is the UID of the one pod that may execute the command. It is written before the pod
	// is let go; no other pod of the Job ever is.
	// +optional
	PodUID types.UID `json:"podUID,omitempty"`

	// secretName is the name of the Secret that the output goes to, if it goes to one.
	// +optional
	SecretName string `json:"secretName,omitempty"`

	// queuedTime is when the run was decided on.
	// +required
	QueuedTime metav1.Time `json:"queuedTime"`

	// startTime is when the command was started.
	// +optional
	StartTime *metav1.Time `json:"startTime,omitempty"`

	// completionTime is when the command ended, or when the run was given up. Unset while the run
	// is under way.
	// +optional
	CompletionTime *metav1.Time `json:"completionTime,omitempty"`

	// reason says what the run came to: Succeeded, CommandFailed, TimedOut, ... Unset while the run
	// is under way.
	// +optional
	Reason string `json:"reason,omitempty"`

	// message says in words what the run came to. Unset while the run is under way.
	// +optional
	Message string `json:"message,omitempty"`

	// duration is how long the command ran, in words, for `kubectl get`.
	// +optional
	Duration string `json:"duration,omitempty"`

	// givenUp says why the attempt was given up before its command was started. Unset when it wasn't.
	// +optional
	GivenUp *GivenUp `json:"givenUp,omitempty"`

	// retryTime is when the next attempt at this run begins, after one that came to nothing. Unset
	// when there is none to come.
	// +optional
	RetryTime *metav1.Time `json:"retryTime,omitempty"`
}

// GivenUp says why an attempt was given up: when its pod is gone, nothing else says so.
type GivenUp struct {
	// reason is that of the conditions.
	// +required
	Reason string `json:"reason"`

	// message says it in words.
	// +required
	Message string `json:"message"`
}

// Ended says whether the attempt that the run stands at is over.
func (r *Run) Ended() bool { return r != nil && r.Reason != "" }

// MaxHistory is how many entries the history of a resource has at most.
const MaxHistory = 10

// PastRun is what one attempt at a run came to.
type PastRun struct {
	// number is the number of the run.
	// +required
	Number int64 `json:"number"`

	// attempt is the attempt at that run.
	// +required
	Attempt int32 `json:"attempt"`

	// reason says what it came to, as run.reason.
	// +required
	Reason string `json:"reason"`

	// exitCode is the exit code of the command, if it is known.
	// +optional
	ExitCode *int64 `json:"exitCode,omitempty"`

	// startTime is when the command was started, if it was.
	// +optional
	StartTime *metav1.Time `json:"startTime,omitempty"`

	// completionTime is when the command ended, or when the attempt was given up.
	// +required
	CompletionTime metav1.Time `json:"completionTime"`
}

// Retry says when a run that came to nothing is tried again, in a Job of its own. What may be tried
// again without being asked is only what provably never started: its image could not be pulled, no node
// took its pod, a quota was used up, its pod was deleted before it was let go.
type Retry struct {
	// limit is how often it is tried again at most, from 0 to 10. Default 3.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=10
	Limit *int32 `json:"limit,omitempty"`

	// backoff is how long after the end of the first attempt the second begins, from 1s to 1h; it
	// doubles with each attempt, up to 1h. Default 10s.
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`
	// +kubebuilder:validation:XValidation:rule="duration(self) >= duration('1s') && duration(self) <= duration('1h')",message="must be between 1s and 1h"
	Backoff *metav1.Duration `json:"backoff,omitempty"`
}

// RunStatus is the part of the status that all kinds share.
type RunStatus struct {
	// observedGeneration is the generation that the status was computed from; -1 before the first time.
	// +optional
	// +default=-1
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// conditions are Ready, Reconciling, Stalled and Finished.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// lastHandledRequest is the value of the annotation gcloud-operator.dev/requested-at that was
	// last acted on.
	// +optional
	LastHandledRequest string `json:"lastHandledRequest,omitempty"`

	// lastHandledReconcileAt is the value of the annotation reconcile.fluxcd.io/requestedAt that was
	// last acted on.
	// +optional
	LastHandledReconcileAt string `json:"lastHandledReconcileAt,omitempty"`

	// run is the newest run.
	// +optional
	Run *Run `json:"run,omitempty"`

	// history is what the last ten attempts came to, the newest first.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=10
	History []PastRun `json:"history,omitempty"`

	// resultHash is a hash of what the newest run brought that brought anything. It is the same when
	// the result is the same; what a command writes to stderr is not in it.
	// +optional
	ResultHash string `json:"resultHash,omitempty"`

	// lastChangedTime is when resultHash last became another.
	// +optional
	LastChangedTime *metav1.Time `json:"lastChangedTime,omitempty"`
}

// StoredPart is a part of some content that doesn't stand in the status.
type StoredPart struct {
	// name is the name of the ConfigMap, or the Secret, in the resource's namespace.
	// +required
	Name string `json:"name"`

	// key is the key in the ConfigMap's binaryData, or the Secret's data.
	// +required
	Key string `json:"key"`
}

// Stored describes the bytes of a stream or a file: how many there were, and where they are when
// they don't stand in the status as text.
type Stored struct {
	// bytes is how many bytes there were, those that were not kept included.
	// +required
	Bytes int64 `json:"bytes"`

	// sha256 is the hash of all of these bytes, in hex.
	// +required
	SHA256 string `json:"sha256"`

	// truncated is true when there was more than the operator keeps: the middle is missing, and
	// headBytes says where.
	// +optional
	Truncated bool `json:"truncated,omitempty"`

	// headBytes is how many of the kept bytes stand before the missing middle. Set when truncated.
	// +optional
	HeadBytes int64 `json:"headBytes,omitempty"`

	// base64 holds the kept bytes when they aren't text (valid UTF-8 without control characters
	// other than tab, newline and carriage return) and fit into the status.
	// +optional
	Base64 []byte `json:"base64,omitempty"`

	// secret holds the kept bytes when the output goes to a Secret; name and key in its data.
	// +optional
	Secret *StoredPart `json:"secret,omitempty"`

	// configMaps hold the kept bytes, in this order, when they don't fit into the status. The
	// status then has their beginning and their end only.
	// +optional
	// +listType=atomic
	ConfigMaps []StoredPart `json:"configMaps,omitempty"`
}
