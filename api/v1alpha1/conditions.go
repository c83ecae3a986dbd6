// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Condition types. They follow kstatus, so that kubectl, Flux and Argo CD can judge a resource
// without knowing its kind.
const (
	// ConditionReady is True when the last run succeeded and no other is due, False when the last
	// run failed or the resource can't be run, and Unknown while a run is under way.
	ConditionReady = "Ready"

	// ConditionReconciling is present and True while a run is under way, and absent otherwise.
	ConditionReconciling = "Reconciling"

	// ConditionStalled is present and True when the run failed, or the spec can't be run: until
	// somebody acts, or spec.interval has passed, nothing more happens. It is absent otherwise.
	ConditionStalled = "Stalled"

	// ConditionFinished is True when the newest run has ended, however it ended, and False while
	// one is under way. It is the one to `kubectl wait` for.
	ConditionFinished = "Finished"
)

// Reasons of the conditions while nothing has ended yet.
const (
	// ReasonPending says that the run's Job or pod is being made, or waits for a node or an image.
	ReasonPending = "Pending"
	// ReasonJobSuspended says that somebody, such as Kueue, keeps the run's Job from getting a pod.
	ReasonJobSuspended = "JobSuspended"
	// ReasonQueued says that as many runs of the namespace are under way as the operator's configuration
	// allows, so that this one waits for its turn.
	ReasonQueued = "Queued"
	// ReasonRunning says that the command runs.
	ReasonRunning = "Running"
	// ReasonSuspended says that spec.suspend keeps the next run from starting.
	ReasonSuspended = "Suspended"
	// ReasonHeld says that the operator sees the resource for the first time, and is configured not to
	// run such resources until they are asked for.
	ReasonHeld = "Held"
)

// Reasons of the conditions when a run has ended, or can't begin. ImagePullFailed, Unschedulable,
// InputMissing and NodeLost also stand while a run is under way, and then say what it waits for.
const (
	// ReasonSucceeded says that the command ended with exit code 0.
	ReasonSucceeded = "Succeeded"
	// ReasonCommandFailed says that the command ended with another exit code. It may have acted.
	ReasonCommandFailed = "CommandFailed"
	// ReasonTimedOut says that the command was stopped after spec.timeout. It may have acted.
	ReasonTimedOut = "TimedOut"
	// ReasonCancelled says that the command was stopped because somebody asked for it. It may have
	// acted.
	ReasonCancelled = "Cancelled"
	// ReasonTerminated says that the command was stopped because somebody deleted its pod, or because
	// something in its container sent the signal. It may have acted.
	ReasonTerminated = "Terminated"
	// ReasonOutOfMemory says that the command, or its whole container, was killed for using more
	// memory than the limit. It may have acted.
	ReasonOutOfMemory = "OutOfMemory"
	// ReasonEvicted says that the pod was evicted: its node was drained, tainted, shut down, or ran out
	// of a resource. Where the command was started, it may have acted.
	ReasonEvicted = "Evicted"
	// ReasonPreempted says that the pod had to make room for one of a higher priority. Where the
	// command was started, it may have acted.
	ReasonPreempted = "Preempted"
	// ReasonNodeLost says that the pod's node doesn't answer, or is gone. The command may have acted,
	// and may still run there.
	ReasonNodeLost = "NodeLost"
	// ReasonNeverStarted says that the command was provably never started.
	ReasonNeverStarted = "NeverStarted"
	// ReasonStartWindowPassed says that the pod came to start the command too late, and so did not.
	// That an earlier start on a node that was lost since went unseen can't be ruled out, so it
	// isn't tried again by itself.
	ReasonStartWindowPassed = "StartWindowPassed"
	// ReasonImagePullFailed says that the image could not be pulled. The command was never started.
	ReasonImagePullFailed = "ImagePullFailed"
	// ReasonPodRejected says that a policy of the cluster let no pod be made. The command was never
	// started.
	ReasonPodRejected = "PodRejected"
	// ReasonQuotaExceeded says that a quota of the namespace let no pod be made. The command was never
	// started.
	ReasonQuotaExceeded = "QuotaExceeded"
	// ReasonServiceAccountMissing says that the ServiceAccount of the run isn't there. The command was
	// never started.
	ReasonServiceAccountMissing = "ServiceAccountMissing"
	// ReasonUnschedulable says that no node took the pod. The command was never started.
	ReasonUnschedulable = "Unschedulable"
	// ReasonResultLost says that the command was or may have been started, and that nobody can tell
	// how it ended. It is never started again by itself.
	ReasonResultLost = "ResultLost"
	// ReasonInputMissing says that a ConfigMap, a Secret or a key of one isn't there. Nothing was run.
	ReasonInputMissing = "InputMissing"
	// ReasonIdentityNotReady says that the metadata server gave no token for the pod's identity. Nothing
	// was run.
	ReasonIdentityNotReady = "IdentityNotReady"
	// ReasonNameConflict says that an object with the name that the run needs exists already, and
	// isn't the resource's.
	ReasonNameConflict = "NameConflict"
	// ReasonPodChanged says that somebody changed the pod before it was let go, so it was not.
	ReasonPodChanged = "PodChanged"
	// ReasonInvalidSpec says that the spec can't be run; the message says what to write instead.
	ReasonInvalidSpec = "InvalidSpec"
)
