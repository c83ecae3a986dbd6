// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

// command is the started command and everything that descends from it.
type command struct {
	pid            int
	ended          chan syscall.WaitStatus // the command itself
	reaped         chan struct{}           // closed when no child is left to wait for
	stdout, stderr *stream
}

// lookPath finds the executable: on PATH, or relative to the working directory.
func lookPath(name, path, dir string) (string, error) {
	var candidates []string
	switch {
	case filepath.IsAbs(name):
		candidates = []string{name}
	case strings.Contains(name, "/"):
		candidates = []string{filepath.Join(dir, name)}
	default:
		for _, folder := range filepath.SplitList(path) {
			// An empty or relative folder would be one that a command writes to.
			if filepath.IsAbs(folder) {
				candidates = append(candidates, filepath.Join(folder, name))
			}
		}
	}
	reason, because := result.CommandNotFound, fmt.Errorf("%q is not on the PATH of the image", name)
	for _, candidate := range candidates {
		found, err := exec.LookPath(candidate)
		if err == nil {
			return found, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			reason, because = result.NotExecutable, err
		}
	}
	return "", refusal{reason, because}
}

// execute starts the command and waits for its end, or brings it about.
func (r *run) execute() {
	cmd, err := r.start()
	if err != nil {
		r.refuse(err)
		return
	}
	if r.seal != nil {
		_, _ = io.WriteString(r.live, sealedNotice) // a liveLog takes everything
	}
	r.cmd = cmd
	reason, status := r.supervise()
	r.report.Reason, r.report.ExitCode, r.report.FinishedAt = reason, exitCode(status), r.Now()
	switch reason {
	case result.TimedOut:
		r.note("the command had not ended after %s and was stopped", r.task.Timeout)
	case result.Terminated:
		r.note("the runner received a signal to stop and stopped the command")
	}
}

func (r *run) start() (*command, error) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, fmt.Errorf("opening stdin: %w", err)
	}
	defer null.Close()
	cmd := &command{ended: make(chan syscall.WaitStatus, 1), reaped: make(chan struct{})}
	if cmd.stdout, err = r.newStream(); err != nil {
		return nil, err
	}
	if cmd.stderr, err = r.newStream(); err != nil {
		return nil, err
	}
	cmd.pid, err = syscall.ForkExec(r.path, r.task.Argv, &syscall.ProcAttr{
		Dir:   r.Paths.Files,
		Env:   commandEnv(r.Env, r.Paths),
		Files: []uintptr{null.Fd(), cmd.stdout.write.Fd(), cmd.stderr.write.Fd()},
		// A group of its own, so that a signal reaches what it has started too.
		Sys: &syscall.SysProcAttr{Setpgid: true},
	})
	go cmd.stdout.pump()
	go cmd.stderr.pump()
	if err != nil {
		return nil, refusal{result.NotExecutable, fmt.Errorf("executing %s: %w", r.path, err)}
	}
	go cmd.wait(r.Init)
	return cmd, nil
}

// wait waits for the command; as PID 1 also for whatever was orphaned, until no
// child is left.
func (c *command) wait(init bool) {
	defer close(c.reaped)
	which := c.pid
	if init {
		which = -1
	}
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(which, &status, 0, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return
		case pid == c.pid:
			c.ended <- status
			if !init {
				return
			}
		}
	}
}

// supervise returns when the command has ended.
func (r *run) supervise() (result.Reason, syscall.WaitStatus) {
	var timeout, next <-chan time.Time
	if r.task.Timeout > 0 {
		timeout = time.After(r.task.Timeout)
	}
	reason, stop := result.Exited, r.stops.first
	steps, begun := stopSteps(r.task.Grace), time.Time{}
	look := time.NewTicker(messageCheck)
	defer look.Stop()
	begin := func(why result.Reason) {
		reason, timeout, stop = why, nil, nil
		begun, next = time.Now(), time.After(0)
	}
	for {
		select {
		case status := <-r.cmd.ended:
			return reason, status
		case <-timeout:
			begin(result.TimedOut)
		case <-stop:
			begin(result.Terminated)
		case <-look.C:
			r.keepMessageShort()
		case <-next:
			r.cmd.signal(steps[0].signal)
			if steps = steps[1:]; len(steps) > 0 {
				next = time.After(time.Until(begun.Add(steps[0].after)))
			}
		}
	}
}

// signal goes to the command's group. That it is gone already is no error.
func (c *command) signal(s syscall.Signal) { _ = syscall.Kill(-c.pid, s) }

const (
	// drainTime is how long descendants may go on writing after the command.
	drainTime = 2 * time.Second
	// killTime is how long killed processes may take to be gone.
	killTime = 5 * time.Second
)

// endCommand kills whatever the command has left behind, so that nothing writes
// to the files, the log or the termination message any more.
func (r *run) endCommand() {
	c := r.cmd
	drained := both(c.stdout.done, c.stderr.done)
	within(drained, r.drainTime())
	if r.Init {
		_ = syscall.Kill(-1, syscall.SIGKILL)
	} else {
		c.signal(syscall.SIGKILL)
	}
	if !within(c.reaped, killTime) {
		r.note("processes of the command could not be killed within %s", killTime)
	}
	if !within(drained, drainTime) {
		r.note("a process that was left behind holds the output open: its end may be missing")
	}
	var errs [2]error
	var redacted [2]int64
	r.report.Stdout, redacted[0], errs[0] = c.stdout.close()
	r.report.Stderr, redacted[1], errs[1] = c.stderr.close()
	r.report.Redacted = redacted[0] + redacted[1]
	if err := errors.Join(errs[:]...); err != nil {
		r.note("reading the command's output: %v", err)
	}
}

// drainTime is short where the grace period is running.
func (r *run) drainTime() time.Duration {
	if r.report.Reason == result.Exited && !r.stops.requested() {
		return drainTime
	}
	return min(drainTime, reserved(r.task.Grace)/4)
}

func both(a, b <-chan struct{}) <-chan struct{} {
	done := make(chan struct{})
	go func() { <-a; <-b; close(done) }()
	return done
}

func within(done <-chan struct{}, limit time.Duration) bool {
	select {
	case <-done:
		return true
	case <-time.After(limit):
		return false
	}
}

func exitCode(status syscall.WaitStatus) int {
	if status.Signaled() {
		return 128 + int(status.Signal())
	}
	return status.ExitStatus()
}

// commandEnv is the runner's own environment without what is the runner's, and
// without the addresses of the cluster's services.
func commandEnv(env []string, paths Paths) []string {
	own := []string{"HOME=" + paths.Home, "CLOUDSDK_CONFIG=" + paths.Config, "TMPDIR=" + paths.Temp, "PWD=" + paths.Files}
	for _, entry := range env {
		name, _, _ := strings.Cut(entry, "=")
		switch {
		case strings.HasPrefix(name, result.EnvPrefix), strings.HasPrefix(name, "KUBERNETES_"):
		case name == "HOME", name == "CLOUDSDK_CONFIG", name == "TMPDIR", name == "PWD":
		default:
			own = append(own, entry)
		}
	}
	return own
}
