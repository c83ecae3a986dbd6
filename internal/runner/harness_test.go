// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

// The tests run the runner as a process of its own, for it takes over signals
// and children: this test binary, told by these variables to be the runner.
const (
	runnerEnv = "TEST_RUNNER_WORKSPACE"
	attackEnv = "TEST_RUNNER_ATTACK"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(runnerEnv); dir != "" {
		os.Exit(runnerMain(dir))
	}
	if os.Getenv(attackEnv) != "" {
		attack()
		return
	}
	os.Exit(m.Run())
}

func runnerMain(dir string) int {
	if err := Protect(); err != nil {
		return 3
	}
	var env []string
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, runnerEnv) {
			env = append(env, entry)
		}
	}
	code := Runner{Paths: pathsIn(dir), Env: env, Log: os.Stdout, Init: os.Getpid() == 1, Now: time.Now, Fetch: testFetch}.Run()
	notePeak(filepath.Join(dir, "peak"))
	return code
}

// notePeak is for what the parent can't ask: what it learns from wait has the
// memory of its own in it, which the runner had before it was executed.
func notePeak(path string) {
	status, _ := os.ReadFile("/proc/self/status")
	_, peak, _ := strings.Cut(string(status), "VmHWM:")
	peak, _, _ = strings.Cut(peak, "kB")
	_ = os.WriteFile(path, []byte(strings.TrimSpace(peak)), 0o644)
}

func pathsIn(dir string) Paths {
	in := func(name string) string { return filepath.Join(dir, name) }
	return Paths{
		Files: in("files"), Home: in("home"), Config: in("config"), Temp: in("tmp"),
		Marker: in("state/started"), Inputs: in("inputs"), SecretInputs: in("secret-inputs"),
		Identity: in("identity"), Federation: in("federation/config.json"), CABundle: in("trust/ca.pem"), TerminationLog: in("termination-log"),
	}
}

// pod is a container to run tasks in.
type pod struct {
	t           *testing.T
	dir         string
	env         []string
	isolated    bool // PID 1 of its own namespace, as an unprivileged user
	startBefore string
	wrap        []string // runs the runner
	open        result.Opener
}

func newPod(t *testing.T) *pod {
	t.Helper()
	dir, err := os.MkdirTemp("", "runner-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	// Not 0700 as t.TempDir: the isolated runner is another user.
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	return &pod{t: t, dir: dir, startBefore: time.Now().Add(time.Minute).Format(time.RFC3339)}
}

const podUser = "65532"

// newIsolatedPod is as near to a container as a test gets without a runtime.
func newIsolatedPod(t *testing.T) *pod {
	t.Helper()
	try := exec.Command("unshare", "--pid", "--fork", "--mount-proc", "setpriv", "--reuid="+podUser, "true")
	if out, err := try.CombinedOutput(); err != nil {
		t.Skipf("a PID namespace needs root, unshare and setpriv: %v: %s", err, out)
	}
	p := newPod(t)
	p.isolated = true
	return p
}

// ending is what a controller sees of a run.
type ending struct {
	result.Message
	report   result.Report // whole, from message or log
	log      string        // without the trailer
	fullLog  string
	exitCode int
	peak     string // of the runner's own memory
}

func task(argv ...string) result.Task {
	return result.Task{Run: "6f9d2c1e-7a44-4c0b-9d55-0d9f3f1f7a10/3/1", Argv: argv, Grace: 3 * time.Second}
}

func shell(script string) result.Task { return task("/bin/sh", "-c", script) }

// logBuffer can be read while the runner writes.
type logBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// patience is how long a runner may hang, on however slow a machine. A command
// that would sleep longer can only have been stopped.
const patience = time.Minute

// eventually waits for what a runner at work brings about.
func eventually(t *testing.T, what string, happened func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !happened(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: in vain", what)
		}
	}
}

// start starts the runner; the caller waits.
func (p *pod) start(task result.Task) (*exec.Cmd, *logBuffer) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), patience)
	p.t.Cleanup(cancel)
	self, err := os.Executable()
	if err != nil {
		p.t.Fatal(err)
	}
	argv := []string{self}
	if p.isolated {
		// The folder of the test binary is for its owner only.
		self = filepath.Join(p.dir, "runner")
		if err := Install(self); err != nil {
			p.t.Fatal(err)
		}
		argv = []string{"unshare", "--pid", "--fork", "--mount-proc", "--kill-child", "setpriv", "--reuid=" + podUser, "--regid=" + podUser,
			"--clear-groups", "--no-new-privs", "--inh-caps=-all", "--bounding-set=-all", self}
	}
	argv = append(slices.Clone(p.wrap), argv...)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = append([]string{
		"PATH=/usr/local/bin:/usr/bin:/bin", runnerEnv + "=" + p.dir,
		result.TaskEnv + "=" + task.Encode(), result.StartBeforeEnv + "=" + p.startBefore,
	}, p.env...)
	var log logBuffer
	cmd.Stdout, cmd.Stderr = &log, os.Stderr
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	return cmd, &log
}

// run runs the task and reads the outcome as the controller does.
func (p *pod) run(task result.Task) ending {
	p.t.Helper()
	cmd, log := p.start(task)
	return p.finish(cmd, log)
}

func (p *pod) finish(cmd *exec.Cmd, log *logBuffer) ending {
	p.t.Helper()
	if err := cmd.Wait(); cmd.ProcessState == nil {
		p.t.Fatal(err)
	}
	e := ending{exitCode: cmd.ProcessState.ExitCode(), fullLog: log.String()}
	peak, _ := os.ReadFile(filepath.Join(p.dir, "peak"))
	e.peak = string(peak)
	e.log, _, _ = strings.Cut(e.fullLog, "gcloud-operator: the report of this run follows")
	text, err := os.ReadFile(filepath.Join(p.dir, "termination-log"))
	if err != nil {
		p.t.Fatalf("%v; the log: %s", err, log)
	}
	if len(text) > result.DefaultMessageBytes {
		p.t.Errorf("the termination message has %d bytes", len(text))
	}
	if e.Message, err = result.DecodeMessage(string(text)); err != nil {
		p.t.Fatalf("%v: %q; the log: %s", err, text, log)
	}
	e.report = p.report(e.Message, e.fullLog)
	if !e.report.Believed("6f9d2c1e-7a44-4c0b-9d55-0d9f3f1f7a10/3/1", int32(e.exitCode)) {
		p.t.Errorf("the report is not believed: %s, %s %d", cmd.ProcessState, e.report.Reason, e.report.ExitCode)
	}
	return e
}

// report is the whole one, from message or log, opened if it is sealed.
func (p *pod) report(m result.Message, log string) result.Report {
	p.t.Helper()
	if m.Sealed != (p.open != nil) {
		p.t.Fatalf("sealed: %v", m.Sealed)
	}
	m, err := m.Open(p.open)
	if err != nil {
		p.t.Fatal(err)
	}
	r := m.Report
	switch {
	case m.Trailer != nil && m.Sealed:
		r, err = result.OpenTrailer(*m.Trailer, strings.NewReader(log), p.open)
	case m.Trailer != nil:
		r, err = result.DecodeTrailer(*m.Trailer, strings.NewReader(log))
	}
	if err != nil {
		p.t.Fatal(err)
	}
	return r
}

func (p *pod) write(name, content string, mode os.FileMode) {
	p.t.Helper()
	path := filepath.Join(p.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		p.t.Fatal(err)
	}
}
