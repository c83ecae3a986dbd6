// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

// startAndWaitFor starts a task that makes the file "ready" when it is running.
func (p *pod) startAndWaitFor(task result.Task) (*exec.Cmd, *logBuffer) {
	p.t.Helper()
	cmd, log := p.start(task)
	eventually(p.t, "the command is started", func() bool {
		_, err := os.Stat(filepath.Join(p.dir, "files/ready"))
		return err == nil
	})
	return cmd, log
}

func TestTheRunnerIsStopped(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		code   int
	}{
		"the command ends on SIGINT":          {"trap 'echo cancelled; exit 130' INT; touch ready; sleep 300 & wait", 130},
		"the command ends on SIGTERM only":    {"trap '' INT; touch ready; sleep 300", 143},
		"the command ends on neither":         {"trap '' INT TERM; touch ready; sleep 300; sleep 300", 137},
		"the command was just about to end 0": {"trap 'exit 0' INT; touch ready; sleep 300 & wait", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPod(t)
			cmd, log := p.startAndWaitFor(shell(c.script))
			must(t, cmd.Process.Signal(syscall.SIGTERM))
			e := p.finish(cmd, log)
			if e.report.Reason != result.Terminated || e.report.ExitCode != c.code || e.exitCode != 1 {
				t.Errorf("got %s %d: %s", e.report.Reason, e.report.ExitCode, e.report.Message)
			}
		})
	}
}

func TestAStoppedRunnerLeavesTimeToReadTheTrailer(t *testing.T) {
	p := newPod(t)
	cmd, log := p.startAndWaitFor(shell("trap 'exit 1' INT; head -c 20000 /dev/urandom | base64; touch ready; sleep 300 & wait"))
	begin := time.Now()
	must(t, cmd.Process.Signal(syscall.SIGTERM))
	e := p.finish(cmd, log)
	// The signal came after begin, so a runner that lingers can't be too early.
	if earliest := lingerUntil(begin, begin, task().Grace); e.Trailer == nil || time.Now().Before(earliest) {
		t.Errorf("trailer %v, ended %s early", e.Trailer, time.Until(earliest))
	}
	lines, complete, err := result.KeepTrailerLines(strings.NewReader(e.fullLog), result.DefaultLogBytes)
	must(t, err)
	if !complete {
		t.Error("the log that was read early is not complete")
	}
	if r, err := result.DecodeTrailer(*e.Trailer, bytes.NewReader(lines)); err != nil || r.Stdout.Bytes < 20000 {
		t.Errorf("%d bytes, %v", r.Stdout.Bytes, err)
	}
}

func TestAKilledRunnerLeavesTheInterimMessage(t *testing.T) {
	p := newPod(t)
	cmd, log := p.startAndWaitFor(shell("echo output; touch ready; exec sleep 300"))
	eventually(t, "the output is in the log", func() bool { return log.String() == "output\n" })
	must(t, cmd.Process.Kill())
	_ = cmd.Wait()
	text, err := os.ReadFile(filepath.Join(p.dir, "termination-log"))
	must(t, err)
	m, err := result.DecodeMessage(string(text))
	must(t, err)
	if m.Finished || m.Report.Run != task().Run || m.Report.StartedAt.IsZero() || m.Report.ArgvSHA256 == "" {
		t.Errorf("got %+v", m)
	}
	if log.String() != "output\n" {
		t.Errorf("the log is %q", log)
	}
}

func TestTheGracePeriodIsDivided(t *testing.T) {
	for grace, want := range map[time.Duration][4]time.Duration{
		30 * time.Second: {13333 * time.Millisecond, 20 * time.Second, 25 * time.Second, 28 * time.Second},
		3 * time.Second:  {1333 * time.Millisecond, 2 * time.Second, 2500 * time.Millisecond, 2800 * time.Millisecond},
		10 * time.Minute: {393333 * time.Millisecond, 590 * time.Second, 595 * time.Second, 598 * time.Second},
	} {
		steps := stopSteps(grace)
		stopped := time.Now()
		latest := lingerUntil(stopped, stopped.Add(grace), grace).Sub(stopped)
		got := [4]time.Duration{steps[1].after, steps[2].after, reportBy(grace), latest}
		for i := range got {
			if (got[i] - want[i]).Abs() > time.Millisecond {
				t.Errorf("%s: TERM, KILL, report, end: got %v, want %v", grace, got, want)
			}
		}
		if soon := lingerUntil(stopped, stopped, time.Hour).Sub(stopped); soon != maxLinger {
			t.Errorf("it lingers for %s", soon)
		}
	}
}
