// SPDX-License-Identifier: Apache-2.0

package outcome

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

func TestEveryReasonOfTheRunnerHasItsOwn(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*result.Report)
		reason string
		never  bool
		want   string
	}{
		"the command ended well":                     {exit(0), v1alpha1.ReasonSucceeded, false, "The command ended with exit code 0"},
		"the command was killed":                     {exit(137), v1alpha1.ReasonCommandFailed, false, "The command ended with exit code 137"},
		"the command failed":                         {exit(2), v1alpha1.ReasonCommandFailed, false, "The command ended with exit code 2"},
		"a signal of its own ended the command":      {exit(139), v1alpha1.ReasonCommandFailed, false, "The command ended with exit code 139"},
		"the timeout passed":                         {because(result.TimedOut, ""), v1alpha1.ReasonTimedOut, false, "The command was stopped when spec.timeout had passed; it may have acted"},
		"the pod was asked to end":                   {because(result.Terminated, ""), v1alpha1.ReasonTerminated, false, "The command was stopped by a signal from outside; it may have acted"},
		"the runner failed after the start":          {because(result.RunnerFailed, "reading a pipe"), v1alpha1.ReasonResultLost, false, "reading a pipe; " + mayHaveActed},
		"somebody changed the inputs":                {because(result.InputsChanged, "a.txt"), v1alpha1.ReasonNeverStarted, true, "InputsChanged: a.txt"},
		"the inputs could not be copied":             {because(result.InputsFailed, "disk full"), v1alpha1.ReasonNeverStarted, true, "InputsFailed: disk full"},
		"nobody is there to act as":                  {because(result.NoIdentity, "HTTP 403"), v1alpha1.ReasonIdentityNotReady, true, "HTTP 403"},
		"the image has no gcloud":                    {because(result.CommandNotFound, "gcloud"), v1alpha1.ReasonNeverStarted, true, "CommandNotFound: gcloud"},
		"gcloud can't be executed":                   {because(result.NotExecutable, "gcloud"), v1alpha1.ReasonNeverStarted, true, "NotExecutable: gcloud"},
		"the pod was asked to end before the start":  {because(result.StoppedBeforeStart, "too late"), v1alpha1.ReasonNeverStarted, true, "StoppedBeforeStart: too late"},
		"an earlier container started the command":   {because(result.AlreadyStarted, "the marker stands"), v1alpha1.ReasonResultLost, false, "the marker stands; " + mayHaveActed},
		"the start window had passed":                {because(result.StartWindowPassed, "by 3s"), v1alpha1.ReasonStartWindowPassed, false, "The pod came to start the command too late, and so did not: by 3s"},
		"the marker could not be written":            {because(result.SetupFailed, "disk full"), v1alpha1.ReasonResultLost, false, "SetupFailed: disk full; " + mayHaveActed},
		"a reason that a later runner may have told": {because("Novel", "what"), v1alpha1.ReasonResultLost, false, "Novel: what; " + mayHaveActed},
	} {
		t.Run(name, func(t *testing.T) {
			r := report(c.change)
			o := OfPod(podWith(command(ended(int32(r.ProcessExitCode()), "", message(t, c.change)))), thisRun, nil, afterwards)
			if o.Phase != Ended || o.Reason != c.reason || o.NeverRan != c.never || o.Message != c.want {
				t.Errorf("got %+v, want %s (never ran: %t): %q", o, c.reason, c.never, c.want)
			}
			if o.Report == nil || string(o.Report.Stdout.Data) != "a\n" {
				t.Errorf("got the report %+v", o.Report)
			}
		})
	}
}

func TestCauseIsQuoted(t *testing.T) {
	for name, c := range map[string]struct{ stderr, want string }{
		"nothing was printed":                {"", ""},
		"white space was printed":            {"\n \n", ""},
		"one line":                           {"it failed\n", ": it failed"},
		"the last line, where none is named": {"first\nlast\n", ": last"},
		"the error, not the advice after it": {"ERROR: (gcloud.x) not found\nTry again.\n", ": ERROR: (gcloud.x) not found"},
		"the last of two errors":             {"ERROR: one\nERROR: two\nbye\n", ": ERROR: two"},
		"bytes that are no text":             {"ERROR: \xff\xfe!\n", ": ERROR: !"},
		"control characters":                 {"\x1b[31mno\x7f\u0080\uffff\tway\r\n", ": [31mno\tway"},
		"a long line is cut":                 {strings.Repeat("x", 5000), ": " + strings.Repeat("x", maxQuoted)},
		"a character is not cut in two":      {strings.Repeat("x", maxQuoted-1) + "é", ": " + strings.Repeat("x", maxQuoted-1)},
	} {
		o := OfPod(podWith(command(ended(1, "Error", message(t, exit(1), stderr(c.stderr))))), thisRun, nil, afterwards)
		if want := "The command ended with exit code 1" + c.want; o.Message != want || !utf8.ValidString(o.Message) {
			t.Errorf("%s: got %q, want %q", name, o.Message, want)
		}
	}
}

func TestRestOfTheReportComesOutOfTheLog(t *testing.T) {
	long := report(much)
	text, trailer := encoded(t, long)
	pod := podWith(command(ended(0, "Completed", text)))
	cutPod := podWith(command(ended(0, "Completed", text[:900])))
	for name, c := range map[string]struct {
		pod   *corev1.Pod
		log   *Log
		whole bool
		want  string
	}{
		"the log has it": {pod, readLog(t, pod, trailer), true, ""},
		"the log has it, though the message was cut":       {cutPod, readLog(t, cutPod, trailer), true, ""},
		"the log was not read":                             {pod, nil, false, "; what the command printed is not whole: its log was not read"},
		"the log is gone":                                  {pod, &Log{Err: errors.New("the container is gone")}, false, "; what the command printed is not whole: the container is gone"},
		"the log was rotated":                              {pod, readLog(t, pod, trailer[len(trailer)/2:]), false, "; what the command printed is not whole: "},
		"the log is gone, and the message was cut as well": {cutPod, &Log{Err: errors.New("the container is gone")}, false, "; what the command printed is not whole: the container is gone"},
	} {
		t.Run(name, func(t *testing.T) {
			o := OfPod(c.pod, thisRun, c.log, afterwards)
			if o.Reason != v1alpha1.ReasonSucceeded || !strings.HasPrefix(o.Message, "The command ended with exit code 0"+c.want) {
				t.Errorf("got %s: %q", o.Reason, o.Message)
			}
			if c.want == "" && o.Message != "The command ended with exit code 0" {
				t.Errorf("got %q", o.Message)
			}
			if whole := string(o.Report.Stdout.Data) == string(long.Stdout.Data); whole != c.whole {
				t.Errorf("got %d of %d bytes", len(o.Report.Stdout.Data), len(long.Stdout.Data))
			}
			if o.Report.Stdout.Bytes != long.Stdout.Bytes || o.Report.Stdout.SHA256 != long.Stdout.SHA256 {
				t.Errorf("size and hash are lost: %+v", o.Report.Stdout)
			}
		})
	}
}

func TestCutMessages(t *testing.T) {
	short := message(t, exit(3), stderr("ERROR: no\n"))
	for name, c := range map[string]struct {
		text   string
		reason string
		want   string
	}{
		"its end is cut by a crowded pod":   {short[:len(short)-1], v1alpha1.ReasonCommandFailed, "The command ended with exit code 3; what the command printed is lost: the termination message was cut"},
		"its header is all that is left":    {short[:strings.IndexByte(short, '\n')+1], v1alpha1.ReasonCommandFailed, "The command ended with exit code 3; what the command printed is lost: the termination message was cut"},
		"its header is cut, too":            {short[:50], v1alpha1.ReasonResultLost, "the termination message is damaged"},
		"its beginning is cut":              {short[1:], v1alpha1.ReasonResultLost, "the termination message is damaged"},
		"the command wrote something after": {short + "x", v1alpha1.ReasonCommandFailed, "The command ended with exit code 3; what the command printed is lost: the termination message was cut"},
	} {
		o := OfPod(podWith(command(ended(1, "Error", c.text))), thisRun, nil, afterwards)
		if o.Reason != c.reason || !strings.HasPrefix(o.Message, c.want) || o.NeverRan {
			t.Errorf("%s: got %+v, want %s: %q", name, o, c.reason, c.want)
		}
	}
}

func TestLogIsReadOnlyWhereTheReportPointsThere(t *testing.T) {
	text, _ := encoded(t, report(much))
	for name, c := range map[string]struct {
		pod  *corev1.Pod
		want bool
	}{
		"the rest is in the log":         {podWith(command(ended(0, "Completed", text))), true},
		"all is in the message":          {podWith(command(ended(0, "Completed", message(t)))), false},
		"the command runs":               {podWith(command(runningState())), false},
		"the container isn't there":      {podWith(), false},
		"there is no report":             {podWith(command(ended(137, "OOMKilled", interim(thisRun)))), false},
		"the report is of another run":   {podWith(command(ended(0, "Completed", message(t, much, ofRun("ffff/1/1"))))), false},
		"the report is forged":           {podWith(command(ended(137, "OOMKilled", text))), false},
		"the message is damaged":         {podWith(command(ended(0, "Completed", text[1:]))), false},
		"a sidecar says the same of its": {podWith(other("proxy", ended(0, "Completed", text)), command(runningState())), false},
	} {
		if got := Incomplete(c.pod, thisRun) != nil; got != c.want {
			t.Errorf("%s: got %t", name, got)
		}
	}
}
