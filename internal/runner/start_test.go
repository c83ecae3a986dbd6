// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

// refused checks that nothing was executed: every task here would make a file.
func refused(t *testing.T, p *pod, e ending, reason result.Reason) {
	t.Helper()
	if e.report.Reason != reason || e.report.Message == "" {
		t.Errorf("got %s %d: %q, want %s", e.report.Reason, e.report.ExitCode, e.report.Message, reason)
	}
	if _, err := os.Stat(filepath.Join(p.dir, "files/ran")); err == nil {
		t.Error("the command was executed")
	}
	if e.exitCode != 1 || !e.report.StartedAt.IsZero() {
		t.Errorf("exit code %d, started at %s", e.exitCode, e.report.StartedAt)
	}
}

func TestTheStartWindow(t *testing.T) {
	for name, startBefore := range map[string]string{
		"it has passed":          time.Now().Add(-time.Second).Format(time.RFC3339),
		"it is missing":          "",
		"it is no time":          "tomorrow",
		"it is a time of no day": "12:00:00",
	} {
		t.Run(name, func(t *testing.T) {
			p := newPod(t)
			p.startBefore = startBefore
			e := p.run(shell("touch ran"))
			refused(t, p, e, result.StartWindowPassed)
			if e.report.Reason.NeverRan() {
				t.Error("an earlier start on a disk that is lost is not excluded")
			}
		})
	}
}

func TestASecondContainerOfThePodStartsNothing(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, p *pod){
		"it is the same":                 func(*testing.T, *pod) {},
		"its window has passed":          func(_ *testing.T, p *pod) { p.startBefore = time.Now().Add(-time.Second).Format(time.RFC3339) },
		"its inputs can't be copied":     func(_ *testing.T, p *pod) { p.write("inputs/once", "changed", 0o644) },
		"the first one has left a mess":  func(t *testing.T, p *pod) { must(t, os.RemoveAll(filepath.Join(p.dir, "files"))) },
		"the first one's outcome stands": func(t *testing.T, p *pod) { must(t, os.Remove(filepath.Join(p.dir, "termination-log"))) },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPod(t)
			p.write("inputs/once", "x", 0o644)
			task := shell("echo x >> ../count")
			task.InputsSHA256 = result.HashInputs(map[string][]byte{"once": []byte("x")})
			if e := p.run(task); e.report.Reason != result.Exited {
				t.Fatalf("the first one: %s", e.report.Reason)
			}
			change(t, p)
			refused(t, p, p.run(task), result.AlreadyStarted)
			if count, _ := os.ReadFile(filepath.Join(p.dir, "count")); string(count) != "x\n" {
				t.Errorf("it was executed %d times", len(count)/2)
			}
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestAnUnusableTaskIsRefusedInPlainText(t *testing.T) {
	p := newPod(t)
	p.env = []string{result.TaskEnv + "={}"} // the later one counts
	cmd, log := p.start(result.Task{})
	_ = cmd.Wait()
	text, err := os.ReadFile(filepath.Join(p.dir, "termination-log"))
	must(t, err)
	if cmd.ProcessState.ExitCode() != exitReportLost || !strings.Contains(string(text), "argv is empty") || log.String() != string(text) {
		t.Errorf("exit code %d, message %q, log %q", cmd.ProcessState.ExitCode(), text, log)
	}
}

func TestTheRunnerStartsNothingThatItCouldNotAccountFor(t *testing.T) {
	for name, path := range map[string]string{
		"the interim message can't be written": "termination-log",
		"the marker can't be made":             "state",
	} {
		t.Run(name, func(t *testing.T) {
			p := newPod(t)
			must(t, os.Symlink("/proc/nowhere/x", filepath.Join(p.dir, path)))
			cmd, _ := p.start(shell("touch ran"))
			_ = cmd.Wait()
			if _, err := os.Stat(filepath.Join(p.dir, "files/ran")); err == nil || cmd.ProcessState.ExitCode() == 0 {
				t.Errorf("executed: %v, exit code %d", err == nil, cmd.ProcessState.ExitCode())
			}
		})
	}
}

func TestASignalBeforeTheStartPreventsIt(t *testing.T) {
	p := newPod(t)
	stopped := &stops{first: make(chan struct{})}
	close(stopped.first)
	r := &run{
		Runner: Runner{Paths: pathsIn(p.dir), Env: []string{"PATH=/bin", result.StartBeforeEnv + "=" + p.startBefore}, Now: time.Now},
		task:   shell("touch ran"), stops: stopped,
	}
	r.refuse(r.prepare())
	if r.report.Reason != result.StoppedBeforeStart || !r.report.Reason.NeverRan() {
		t.Errorf("got %s: %s", r.report.Reason, r.report.Message)
	}
	if _, err := os.Stat(r.Paths.TerminationLog); err == nil {
		t.Error("an interim message was written")
	}
}

// mount lays files out as the kubelet does: real ones in a folder with a time in
// its name, a link to that, and links through it at the top.
func (p *pod) mount(files map[string]string) {
	p.t.Helper()
	for name, content := range files {
		p.write("inputs/..2026_01_02_03_04_05.123/"+name, content, 0o644)
		top, _, _ := strings.Cut(name, "/")
		_ = os.Symlink("..data/"+top, filepath.Join(p.dir, "inputs", top))
	}
	must(p.t, os.Symlink("..2026_01_02_03_04_05.123", filepath.Join(p.dir, "inputs/..data")))
}

func hashOf(files map[string]string) string {
	content := map[string][]byte{}
	for name, text := range files {
		content[name] = []byte(text)
	}
	return result.HashInputs(content)
}

func TestInputFilesAreCopiedIntoTheWorkingDirectory(t *testing.T) {
	p := newPod(t)
	files := map[string]string{"a.yaml": "a: 1\n", "deep/er/b": "b", "deep/c": ""}
	p.mount(files)
	task := shell(`find . -type l; stat -c '%n %a' a.yaml deep deep/er/b; cat a.yaml deep/er/b; echo more >> a.yaml`)
	task.InputsSHA256 = hashOf(files)
	e := p.run(task)
	if got, want := string(e.report.Stdout.Data), "a.yaml 644\ndeep 755\ndeep/er/b 644\na: 1\nb"; got != want {
		t.Errorf("got %q, want %q; %s %s", got, want, e.report.Message, e.report.Stderr.Data)
	}
	if f := e.report.Files; len(f) != 1 || f[0].Path != "a.yaml" || string(f[0].Data) != "a: 1\nmore\n" {
		t.Errorf("only the changed input is an output, got %+v", f)
	}
}

func TestInputFilesThatAreNotTheRunsOwnAreRefused(t *testing.T) {
	files := map[string]string{"a": "1", "b/c": "2"}
	for name, c := range map[string]struct {
		mounted map[string]string
		reason  result.Reason
	}{
		"the content of one is another": {map[string]string{"a": "1", "b/c": "3"}, result.InputsChanged},
		"one is missing":                {map[string]string{"a": "1"}, result.InputsChanged},
		"there is one more":             {map[string]string{"a": "1", "b/c": "2", "d": ""}, result.InputsChanged},
		"one has another name":          {map[string]string{"a": "1", "b/d": "2"}, result.InputsChanged},
		"none is mounted":               {nil, result.InputsFailed},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPod(t)
			if c.mounted != nil {
				p.mount(c.mounted)
			}
			task := shell("touch ran")
			task.InputsSHA256 = hashOf(files)
			refused(t, p, p.run(task), c.reason)
		})
	}
}

func TestInputsAreNeverCopiedThroughLinks(t *testing.T) {
	for name, prepare := range map[string]func(p *pod){
		"a link among the inputs": func(p *pod) {
			p.write("inputs/..1/a", "1", 0o644)
			must(p.t, os.Symlink("/etc/passwd", filepath.Join(p.dir, "inputs/..1/b")))
			must(p.t, os.Symlink("..1", filepath.Join(p.dir, "inputs/..data")))
		},
		"a link in the working directory": func(p *pod) {
			p.mount(map[string]string{"b/a": "1"})
			p.write("elsewhere/x", "", 0o644)
			must(p.t, os.MkdirAll(filepath.Join(p.dir, "files"), 0o755))
			must(p.t, os.Symlink("../elsewhere", filepath.Join(p.dir, "files/b")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPod(t)
			prepare(p)
			task := shell("touch ran")
			task.InputsSHA256 = hashOf(map[string]string{"b/a": "1"})
			refused(t, p, p.run(task), result.InputsFailed)
			if _, err := os.Stat(filepath.Join(p.dir, "elsewhere/a")); err == nil {
				t.Error("a file was written elsewhere")
			}
		})
	}
}

func TestTheCommandsEnvironment(t *testing.T) {
	p := newPod(t)
	p.env = []string{"CLOUDSDK_CORE_PROJECT=p", "KUBERNETES_SERVICE_HOST=10.0.0.1", "HOME=/root", "CLOUDSDK_CONFIG=/x", "EMPTY="}
	e := p.run(task("env"))
	want := strings.Join([]string{"HOME=" + p.dir + "/home", "CLOUDSDK_CONFIG=" + p.dir + "/config", "TMPDIR=" + p.dir + "/tmp",
		"PWD=" + p.dir + "/files", "PATH=/usr/local/bin:/usr/bin:/bin", "CLOUDSDK_CORE_PROJECT=p", "EMPTY=", ""}, "\n")
	if got := string(e.report.Stdout.Data); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
