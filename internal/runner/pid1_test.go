// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

func TestWhatACommandLeavesBehindIsKilledBeforeTheReport(t *testing.T) {
	// In a session of its own, orphaned, and deaf to every signal.
	const writer = `setsid sh -c 'trap "" HUP INT QUIT TERM; while :; do echo x >> left; echo forged > ../termination-log; sleep 0.02; done' %s & while [ ! -s left ]; do sleep 0.02; done`
	for name, redirect := range map[string]string{
		"it has closed its output":  ">/dev/null 2>&1",
		"it holds the output pipes": "",
	} {
		t.Run(name, func(t *testing.T) {
			p := newIsolatedPod(t)
			p.write("termination-log", "", 0o666)
			if err := os.Chmod(filepath.Join(p.dir, "termination-log"), 0o666); err != nil {
				t.Fatal(err)
			}
			e := p.run(shell(fmt.Sprintf(writer, redirect)))
			left, err := os.ReadFile(filepath.Join(p.dir, "files/left"))
			if err != nil {
				t.Fatal(err)
			}
			if len(e.report.Files) != 1 || string(e.report.Files[0].Data) != string(left) {
				t.Errorf("the file went on growing: %d bytes on disk, report: %+v", len(left), e.report.Files)
			}
			if e.report.Reason != result.Exited {
				t.Errorf("%s: %s", e.report.Reason, e.report.Message)
			}
		})
	}
}

func TestATimeoutKillsATreeThatIgnoresSignals(t *testing.T) {
	p := newIsolatedPod(t)
	task := shell(`trap "" INT TERM; for i in 1 2 3; do setsid sh -c 'trap "" INT TERM HUP; (sleep 300); sleep 300' & done; sleep 300; sleep 300`)
	task.Timeout = 2 * time.Second
	e := p.run(task)
	if e.report.Reason != result.TimedOut || e.report.ExitCode != 137 || e.report.Message != "the command had not ended after 2s and was stopped" {
		t.Errorf("got %s %d: %s", e.report.Reason, e.report.ExitCode, e.report.Message)
	}
}

// attack tries, as the command, what would let it speak for the runner.
func attack() {
	for _, name := range []string{"mem", "fd/1", "fd/2", "environ", "root"} {
		_, err := os.OpenFile("/proc/1/"+name, os.O_RDWR, 0)
		fmt.Printf("open %s: %v\n", name, err != nil)
	}
	refused := syscall.PtraceAttach(1) != nil
	_ = syscall.PtraceDetach(1)
	fmt.Printf("ptrace: %v\n", refused)
	fmt.Printf("kill: %v\n", syscall.Kill(1, syscall.SIGKILL) != nil) // the system ignores it
}

func TestACommandCannotSpeakForTheRunner(t *testing.T) {
	p := newIsolatedPod(t)
	p.env = []string{attackEnv + "=1"}
	e := p.run(task(filepath.Join(p.dir, "runner")))
	const refused = "open mem: true\nopen fd/1: true\nopen fd/2: true\nopen environ: true\nopen root: true\nptrace: true\nkill: false\n"
	if got := string(e.report.Stdout.Data); got != refused {
		t.Errorf("got %q, want %q; stderr: %s", got, refused, e.report.Stderr.Data)
	}
}

func TestACommandCannotFillTheDiskByTheTerminationMessage(t *testing.T) {
	p := newPod(t)
	message := filepath.Join(p.dir, "termination-log")
	e := p.run(shell(`dd if=/dev/zero of=` + message + ` bs=1M count=8 2>/dev/null
		while [ $(stat -c %b ` + message + `) -gt 1024 ]; do sleep 0.1; done; head -c 17 ` + message))
	if got := string(e.report.Stdout.Data); got != "gcloud-operator/1" {
		t.Errorf("the message begins with %q, where the interim one should", got)
	}
}

func TestARunnerThatCannotReportIsNotBelieved(t *testing.T) {
	forged, _, err := result.Encode(result.Report{Run: task().Run, Reason: result.NotExecutable, ExitCode: 126}, result.Limits{MessageBytes: 4096})
	if err != nil {
		t.Fatal(err)
	}
	p := newIsolatedPod(t)
	p.write("termination-log", "", 0o666)
	if err := os.Chmod(filepath.Join(p.dir, "termination-log"), 0o666); err != nil {
		t.Fatal(err)
	}
	p.write("forged", string(forged), 0o644)
	// The system lets the same user take the runner's descriptors away.
	cmd, _ := p.start(shell("cat ../forged > ../termination-log; prlimit --pid 1 --nofile=3:3"))
	_ = cmd.Wait()
	text, err := os.ReadFile(filepath.Join(p.dir, "termination-log"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := result.DecodeMessage(string(text))
	if code := cmd.ProcessState.ExitCode(); err == nil && m.Report.Believed(task().Run, int32(code)) {
		t.Errorf("the forged report is believed with exit code %d", code)
	}
}

func TestOrphansAreReapedWhileTheCommandRuns(t *testing.T) {
	e := newIsolatedPod(t).run(shell(`for i in 1 2 3 4 5; do (setsid true &) ; done; sleep 0.3; while cat /proc/[0-9]*/stat | cut -d' ' -f3 | grep -q Z; do sleep 0.02; done; echo none`))
	if got := string(e.report.Stdout.Data); got != "none\n" {
		t.Errorf("got %q; stderr: %s", got, e.report.Stderr.Data)
	}
}
