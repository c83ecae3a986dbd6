// SPDX-License-Identifier: Apache-2.0

package result

// Reason is the runner's view of how a run ended.
type Reason string

// The command was started by the runner that reports.
const (
	// Exited: the command ended by itself, with whatever exit code, a signal of
	// its own making included.
	Exited Reason = "Exited"
	// TimedOut: the runner stopped the command after Task.Timeout.
	TimedOut Reason = "TimedOut"
	// Terminated: the runner was told by a signal to stop, and stopped the
	// command. Whether that was a cancellation, a drain or the command itself
	// signalling PID 1 only the controller can tell.
	Terminated Reason = "Terminated"
	// RunnerFailed: the runner itself failed after it had started the command;
	// how the command ended is not known.
	RunnerFailed Reason = "RunnerFailed"
)

// No process was started, and none had been before: the marker was not there
// and the start window was open.
const (
	// InputsChanged: the mounted input files are not those of Task.InputsSHA256.
	InputsChanged Reason = "InputsChanged"
	// InputsMissing: one of Task.SecretInputs is not mounted; its Secret, or the
	// key in it, doesn't exist.
	InputsMissing Reason = "InputsMissing"
	// InputsFailed: the input files could not be read or copied (disk full, …).
	InputsFailed Reason = "InputsFailed"
	// NoIdentity: the metadata server gave no token for the pod's identity.
	NoIdentity Reason = "NoIdentity"
	// CommandNotFound: Argv[0] is not on PATH. The exit code is 127, as a shell's.
	CommandNotFound Reason = "CommandNotFound"
	// NotExecutable: Argv[0] was found, but the system would not execute it.
	// The exit code is 126, as a shell's.
	NotExecutable Reason = "NotExecutable"
	// StoppedBeforeStart: the signal to stop came before the start.
	StoppedBeforeStart Reason = "StoppedBeforeStart"
)

// This runner started nothing, but another container of this pod has, or may have.
const (
	// AlreadyStarted: the marker stands, so an earlier container of this pod
	// started the command. What came of it is lost.
	AlreadyStarted Reason = "AlreadyStarted"
	// StartWindowPassed: the time of StartBeforeEnv is over, or it is missing.
	// The marker is not there, but it would not be either where a node came back
	// with an empty disk; so this proves nothing about an earlier start.
	StartWindowPassed Reason = "StartWindowPassed"
	// SetupFailed: the task can't be read, or the workspace, the marker or the
	// termination message can't be written.
	SetupFailed Reason = "SetupFailed"
)

// Ran reports whether the runner that reports has started the command's process.
func (r Reason) Ran() bool {
	switch r {
	case Exited, TimedOut, Terminated, RunnerFailed:
		return true
	}
	return false
}

// NeverRan reports whether it is certain that no process of this run was ever
// started, by this container or an earlier one of its pod: only then may it be
// tried again. Reasons for which neither Ran nor NeverRan holds are unknowns.
func (r Reason) NeverRan() bool {
	switch r {
	case InputsChanged, InputsMissing, InputsFailed, NoIdentity, CommandNotFound, NotExecutable, StoppedBeforeStart:
		return true
	}
	return false
}
