// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

const (
	bootLimit    = 2 * time.Minute // for each wait while booting
	pollInterval = 50 * time.Millisecond
	restartDelay = time.Second
)

// check is something that has to be true before the boot goes on.
type check struct {
	what      string
	component string // whose log tells why, if it doesn't come true
	holds     func(context.Context) error
}

// supervisor starts processes and, as PID 1 must, reaps every one that ends.
type supervisor struct {
	c       cluster
	started time.Time
	ended   chan exit

	mutex   sync.Mutex
	running map[int]component
}

type exit struct {
	component component
	status    syscall.WaitStatus
}

func newSupervisor(c cluster) *supervisor {
	s := &supervisor{c: c, started: time.Now(), ended: make(chan exit, 16), running: map[int]component{}}
	children := make(chan os.Signal, 1)
	signal.Notify(children, syscall.SIGCHLD)
	go func() {
		for range children {
			s.reap()
		}
	}()
	return s
}

// start runs a component, its output appended to its log. It has no
// environment of the user's: a proxy set there can't be reached from the node.
func (s *supervisor) start(c component) error {
	program, err := exec.LookPath(c.program)
	if err != nil {
		return fmt.Errorf("starting %s: %w", c.name, err)
	}
	log, err := os.OpenFile(s.c.log(c.name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("opening the log of %s: %w", c.name, err)
	}
	defer log.Close()
	s.mutex.Lock() // reap must not look for it before it is recorded
	defer s.mutex.Unlock()
	pid, err := syscall.ForkExec(program, append([]string{program}, c.args...), &syscall.ProcAttr{
		Dir:   s.c.State,
		Env:   []string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.c.State},
		Files: []uintptr{0, log.Fd(), log.Fd()},
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return fmt.Errorf("starting %s: %w", c.name, err)
	}
	s.running[pid] = c
	return nil
}

func (s *supervisor) reap() {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG, nil)
		if err == syscall.EINTR {
			continue
		}
		if pid <= 0 {
			return
		}
		s.mutex.Lock()
		component, known := s.running[pid]
		delete(s.running, pid)
		s.mutex.Unlock()
		if known {
			s.ended <- exit{component, status}
		}
	}
}

// await polls until the check holds. It gives up when a component ends, when
// ctx is done, or after bootLimit.
func (s *supervisor) await(ctx context.Context, c check) error {
	ctx, cancel := context.WithTimeoutCause(ctx, bootLimit, fmt.Errorf("not within %s", bootLimit))
	defer cancel()
	for {
		err := c.holds(ctx)
		if err == nil {
			fmt.Printf("%-24s after %.1fs\n", c.what, time.Since(s.started).Seconds())
			return nil
		}
		select {
		case e := <-s.ended:
			return fmt.Errorf("%s %s\n%s", e.component.name, describe(e.status), s.logEnd(e.component.name))
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s: %w; last seen: %w\n%s",
				c.what, context.Cause(ctx), err, s.logEnd(c.component))
		case <-time.After(pollInterval):
		}
	}
}

// keepRunning starts again whatever ends, as a node's service manager does.
func (s *supervisor) keepRunning() {
	for e := range s.ended {
		fmt.Fprintf(os.Stderr, "%s %s %s; starting it again\n",
			time.Now().Format(time.RFC3339), e.component.name, describe(e.status))
		go s.restart(e.component)
	}
}

// restart starts a component again, after `devcluster start` if it was stopped.
func (s *supervisor) restart(c component) {
	time.Sleep(restartDelay)
	for s.c.isStopped(c.name) {
		time.Sleep(pollInterval)
	}
	if err := s.start(c); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

func describe(status syscall.WaitStatus) string {
	if status.Signaled() {
		return fmt.Sprintf("was ended by signal %d (%s)", status.Signal(), status.Signal())
	}
	return fmt.Sprintf("ended with exit code %d", status.ExitStatus())
}

func (s *supervisor) logEnd(component string) string {
	file := s.c.log(component)
	text, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("the end of %s:\n%s", file, lastLines(text, 15))
}
