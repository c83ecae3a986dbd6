// SPDX-License-Identifier: Apache-2.0

// Package runner is what runs inside a run's pod: it starts the command at most
// once, keeps what it prints and writes, and reports it by way of the
// termination message and the end of the log. It knows nothing of Kubernetes
// but the files and signals that a container sees.
package runner

import (
	"context"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"time"

	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

// Paths are where a Runner finds and puts things; see result.WorkspaceDir.
type Paths struct {
	Files, Home, Config, Temp string
	Marker                    string
	Inputs, SecretInputs      string
	Identity, Federation      string
	CABundle                  string
	TerminationLog            string
}

// ContainerPaths are those of the pod that the controller makes.
func ContainerPaths() Paths {
	return Paths{
		Files: result.FilesDir, Home: result.HomeDir, Config: result.ConfigDir, Temp: result.TempDir,
		Marker: result.MarkerFile, Inputs: result.InputsDir, SecretInputs: result.SecretInputsDir,
		Identity: result.IdentityDir, Federation: result.FederationFile, CABundle: result.CABundleFile,
		TerminationLog: result.TerminationLogFile,
	}
}

// Runner runs one task.
type Runner struct {
	Paths Paths
	// Env is the runner's own environment: task, start window, and what the
	// command gets of it.
	Env []string
	// Log is the container's log: what the command prints, and the trailer.
	Log io.Writer
	// Init says that the runner is PID 1 of its container, so that all other
	// processes are its children, and it may kill them all.
	Init bool
	// Now is the clock of the start window and the report.
	Now func() time.Time
	// Fetch does a task that reads from an API, until the context ends, and
	// returns Reason, Message, Stdout and Files of the report. What it writes to
	// log is for who follows the container's log.
	Fetch func(ctx context.Context, task result.Fetch, log io.Writer) result.Report
}

// run is a Runner at work.
type run struct {
	Runner
	task   result.Task
	seal   result.Sealer // nil for a report in clear
	stops  *stops
	live   *liveLog
	inputs inputSums
	path   string // of the executable
	report result.Report
	cmd    *command

	startBefore time.Time // the end of the start window
}

// Run does the task, delivers the report and returns the exit code for the
// runner's own process. It is called once in a process, for it takes over its
// signals and its children.
func (r Runner) Run() int {
	stops := catchSignals()
	task, err := result.DecodeTask(lookupEnv(r.Env, result.TaskEnv))
	if err != nil {
		return r.refuseTask(err)
	}
	seal, err := sealer(task)
	if err != nil {
		return r.refuseTask(err)
	}
	w := &run{Runner: r, task: task, seal: seal, stops: stops, live: newLiveLog(r.Log, liveShare(task))}
	w.report = result.Report{Run: task.Run, ArgvSHA256: result.HashArgv(task.Argv), ExitCode: result.NoExitCode}
	w.guard(func() {
		if err := w.prepare(); err != nil {
			w.refuse(err)
			return
		}
		if task.Fetch != nil {
			w.fetch()
			return
		}
		w.execute()
	})
	if w.cmd != nil {
		w.guard(w.endCommand)
		w.guard(w.collect)
	}
	return w.deliver()
}

// liveShare leaves room for the largest report, but takes a quarter of the log
// where that is more than there is: then the report is cut.
func liveShare(task result.Task) int64 {
	return max(task.LogBytes/4, task.LogBytes-logMargin-result.TrailerBytes(task.CaptureBytes))
}

// refuseTask says why in plain text: without a task there is no run to report on.
func (r Runner) refuseTask(err error) int {
	text := fmt.Sprintf("gcloud-operator: nothing was started: %s: %v\n", result.TaskEnv, err)
	fmt.Fprint(r.Log, text)
	if err := writeMessage(r.Paths.TerminationLog, []byte(text)); err != nil {
		fmt.Fprintf(r.Log, "gcloud-operator: %v\n", err)
	}
	return exitReportLost
}

// guard turns a panic into a report of it: whatever is known by then still counts.
func (r *run) guard(step func()) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(r.live, "gcloud-operator: %v\n%s", p, debug.Stack())
			r.note("the runner failed: %v", p)
		}
	}()
	step()
}

// note adds to the report's message, and gives it a reason if it has none.
func (r *run) note(format string, args ...any) {
	const maxMessage = 2048
	if r.report.Reason == "" {
		r.report.Reason = result.SetupFailed
		if r.cmd != nil {
			r.report.Reason = result.RunnerFailed
		}
	}
	text := strings.TrimPrefix(r.report.Message+"; "+fmt.Sprintf(format, args...), "; ")
	r.report.Message = strings.ToValidUTF8(text[:min(len(text), maxMessage)], "")
}

// collect adds the output files, and cuts everything to the task's limit.
func (r *run) collect() {
	ctx, cancel := r.stops.context(reportBy(r.task.Grace))
	defer cancel()
	want := selection{globs: r.task.OutputFiles, inputs: r.inputs, secretInputs: r.task.SecretInputs, redact: r.redacts()}
	got, err := collectFiles(ctx, r.Paths.Files, want, r.fileBudget)
	if err != nil {
		r.note("collecting the output files: %v", err)
	}
	r.report.Files, r.report.LeftOut = got.files, got.leftOut
	r.report.Redacted += got.redacted
	r.report = r.report.Limit(r.task.CaptureBytes)
}

// fileBudget says how much of each file there is room for, beside the streams.
func (r *run) fileBudget(sizes []int64) []int64 {
	streams := []int64{int64(len(r.report.Stdout.Data)), int64(len(r.report.Stderr.Data))}
	return result.Shares(append(streams, sizes...), r.task.CaptureBytes)[len(streams):]
}

func lookupEnv(env []string, name string) string {
	for _, entry := range env {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}
