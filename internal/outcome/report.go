// SPDX-License-Identifier: Apache-2.0

package outcome

import (
	"bytes"
	"fmt"
	"strings"
	"time"
	"unicode"

	corev1 "k8s.io/api/core/v1"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

// maxQuoted bounds what a message quotes of the command's stderr.
const maxQuoted = 1024

// ofContainer says how the run ended whose container has.
func ofContainer(pod *corev1.Pod, ended *corev1.ContainerStateTerminated, run string, log *Log, now time.Time) Outcome {
	o := judge(pod, ended, run, log)
	if o.Started.IsZero() && !o.NeverRan {
		o.Started = ended.StartedAt.Time
	}
	if o.Finished.IsZero() {
		o.Finished = ended.FinishedAt.Time
	}
	if endedByItself(o.Report) {
		return outOfMemory(ended, o)
	}
	if until := settled(pod, ended); unexplained(o) && now.Before(until) {
		return Outcome{Phase: Running, Reason: v1alpha1.ReasonRunning, Message: "The command has ended", Started: o.Started, Until: until}
	}
	return disrupted(pod, o)
}

// endedByItself says whether the runner came to an end that nobody asked for. Whatever became of its
// pod, then or later, is not the reason of such an end.
func endedByItself(r *result.Report) bool {
	if r == nil {
		return false
	}
	switch r.Reason {
	case "", result.Terminated, result.StoppedBeforeStart, result.FetchStopped:
		return false
	}
	return true
}

func judge(pod *corev1.Pod, ended *corev1.ContainerStateTerminated, run string, log *Log) Outcome {
	m, err := result.DecodeMessage(ended.Message)
	switch {
	case err != nil && rejected(pod):
		return refused(pod)
	case err != nil && neverCreated(container(pod)):
		return never(v1alpha1.ReasonNeverStarted, "the pod ended before its container was made ("+podDetail(pod)+")")
	case err != nil && neverExecuted(ended):
		return never(v1alpha1.ReasonNeverStarted, "the container could not be started: "+ended.Message)
	case err != nil:
		return lost(fmt.Sprintf("%v, and the container ended with exit code %d (%s)", err, ended.ExitCode, ended.Reason))
	case m.Report.Run != run:
		return lost("the pod's report is not this run's")
	case !m.Finished:
		return died(ended, m.Report)
	case !m.Report.Believed(run, ended.ExitCode):
		return lost(fmt.Sprintf("the pod's report does not go with the container's exit code %d", ended.ExitCode))
	case inClear(pod, m):
		return lost("the pod's report is in clear, where a sealed one was asked for")
	}
	return reported(m, log)
}

// died is for a container that ended after the command was started, and before there was a report.
func died(ended *corev1.ContainerStateTerminated, interim result.Report) Outcome {
	o := lost(fmt.Sprintf("the command was started, and its container ended without a report (exit code %d, %s)", ended.ExitCode, ended.Reason))
	if ended.Reason == oomKilled {
		o.Reason, o.Message = v1alpha1.ReasonOutOfMemory, "The container"+overLimit
	}
	o.Report, o.Started = &interim, interim.StartedAt
	return o
}

const (
	// oomKilled is the container's reason where any of its processes was killed for its memory.
	oomKilled = "OOMKilled"
	overLimit = " was killed for using more memory than its limit; it may have acted: look, raise the limit, then run it again"
	// sigkilled is the exit code of a command that was killed.
	sigkilled = 128 + 9
)

// outOfMemory is for a command that was killed alone, and whose runner lived to report it, as on a
// node with cgroup v1. A container counts as killed for its memory where another of its processes
// was, too: so a command that succeeded has.
func outOfMemory(ended *corev1.ContainerStateTerminated, o Outcome) Outcome {
	if ended.Reason != oomKilled || o.Reason != v1alpha1.ReasonCommandFailed {
		return o
	}
	if o.Report.ExitCode == sigkilled {
		o.Reason, o.Message = v1alpha1.ReasonOutOfMemory, "The command"+overLimit
		return o
	}
	o.Message += "; one of its processes was killed for using more memory than the container's limit"
	return o
}

// reported is for a report that is genuine.
func reported(m result.Message, log *Log) Outcome {
	report, missing := whole(m, log)
	o := Outcome{Phase: Ended, Report: &report, Sealed: m.Sealed, Started: report.StartedAt, Finished: report.FinishedAt}
	o.Reason, o.Message = reason(quotable(report, m.Sealed))
	o.NeverRan = report.Reason.NeverRan()
	if missing != "" {
		o.Message += "; " + missing
	}
	return o
}

// quotable is the report without what must not be quoted.
func quotable(r result.Report, sealed bool) result.Report {
	if sealed {
		r.Stderr = result.Stream{}
	}
	return r
}

// whole returns the report with as much in it as came through, and says what is missing.
func whole(m result.Message, log *Log) (report result.Report, missing string) {
	switch {
	case m.Body == result.Complete:
		return m.Report, ""
	case m.Trailer == nil && m.Body != result.Sealed:
		return m.Report, "what the command printed is lost: the termination message was cut"
	case log == nil:
		return m.Report, "what the command printed is not whole: its log was not read"
	case log.Err != nil:
		return m.Report, fmt.Sprintf("what the command printed is not whole: %v", log.Err)
	}
	return log.Report, ""
}

func reason(r result.Report) (reason, message string) {
	switch r.Reason {
	case result.Exited:
		return exited(r)
	case result.TimedOut:
		return v1alpha1.ReasonTimedOut, "The command was stopped when spec.timeout had passed; it may have acted" + quote(r)
	case result.Terminated:
		return v1alpha1.ReasonTerminated, "The command was stopped by a signal from outside; it may have acted" + quote(r)
	case result.StartWindowPassed:
		return v1alpha1.ReasonStartWindowPassed, "The pod came to start the command too late, and so did not: " + r.Message
	case result.AlreadyStarted, result.RunnerFailed:
		return v1alpha1.ReasonResultLost, r.Message + "; " + mayHaveActed
	case result.InputsMissing:
		return v1alpha1.ReasonInputMissing, r.Message
	case result.NoIdentity:
		return v1alpha1.ReasonIdentityNotReady, r.Message
	}
	if r.Reason.OfFetch() {
		return fetched(r)
	}
	if r.Reason.NeverRan() {
		return v1alpha1.ReasonNeverStarted, fmt.Sprintf("%s: %s", r.Reason, r.Message)
	}
	return v1alpha1.ReasonResultLost, fmt.Sprintf("%s: %s; %s", r.Reason, r.Message, mayHaveActed)
}

// fetched is for a run that read from an API: it has no exit code, and says itself what it came to.
func fetched(r result.Report) (reason, message string) {
	switch r.Reason {
	case result.Fetched:
		return v1alpha1.ReasonSucceeded, r.Message
	case result.FetchTimedOut:
		return v1alpha1.ReasonTimedOut, "spec.timeout had passed: " + r.Message
	case result.FetchStopped:
		return v1alpha1.ReasonTerminated, "The pod was asked to end: " + r.Message
	}
	return string(r.Reason), r.Message
}

func exited(r result.Report) (reason, message string) {
	if r.ExitCode == 0 {
		return v1alpha1.ReasonSucceeded, "The command ended with exit code 0" + warning(r.Stderr.Data)
	}
	return v1alpha1.ReasonCommandFailed, fmt.Sprintf("The command ended with exit code %d", r.ExitCode) + quote(r)
}

// quote returns the last error that the command printed, or its last line: the cause, most of the time.
func quote(r result.Report) string {
	lines := bytes.Split(bytes.TrimSpace(r.Stderr.Data), []byte("\n"))
	line := lines[len(lines)-1]
	for _, l := range lines {
		if bytes.HasPrefix(l, []byte("ERROR:")) {
			line = l
		}
	}
	if len(line) == 0 {
		return ""
	}
	return ": " + quotation(line)
}

// quotation returns the beginning of what the command printed, as text.
func quotation(b []byte) string {
	return strings.Map(shown, strings.ToValidUTF8(string(b[:min(len(b), maxQuoted)]), ""))
}

// shown drops control characters, such as those that colour, and what YAML can't hold.
func shown(r rune) rune {
	if unicode.IsControl(r) && r != '\t' || result.NotInYAML(r) {
		return -1
	}
	return r
}
