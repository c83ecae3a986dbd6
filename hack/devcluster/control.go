// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// stop kills a component and keeps it from being started again until start.
func (c cluster) stop(component string) error {
	if c.isStopped(component) {
		return nil
	}
	// The mark comes while the component runs: so the supervisor, which waits
	// before it starts anything again, sees it in time.
	pid, err := c.awaitComponent(component)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(c.stopMark(component)), 0o755); err != nil {
		return fmt.Errorf("marking %s as stopped: %w", component, err)
	}
	if err := os.WriteFile(c.stopMark(component), nil, 0o644); err != nil {
		return fmt.Errorf("marking %s as stopped: %w", component, err)
	}
	return killAndAwait(pid)
}

// start undoes stop, and returns when the component's process is there.
func (c cluster) start(component string) error {
	if err := os.Remove(c.stopMark(component)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("taking away the mark that %s is stopped: %w", component, err)
	}
	_, err := c.awaitComponent(component)
	return err
}

// kill ends a component as a crash does: the supervisor starts it again.
func (c cluster) kill(component string) error {
	pid, err := c.awaitComponent(component)
	if err != nil {
		return err
	}
	return killAndAwait(pid)
}

func (c cluster) stopMark(component string) string { return c.path("stopped", component) }

func (c cluster) isStopped(component string) bool {
	_, err := os.Stat(c.stopMark(component))
	return err == nil
}

// awaitComponent returns the pid of a component as soon as it runs.
func (c cluster) awaitComponent(name string) (int, error) {
	node, err := c.runningNode()
	if err != nil {
		return 0, err
	}
	for deadline := time.Now().Add(endLimit); time.Now().Before(deadline); time.Sleep(pollInterval) {
		all, err := processes()
		if err != nil {
			return 0, err
		}
		if pid := componentProcess(all, node, name); pid != 0 {
			return pid, nil
		}
	}
	return 0, fmt.Errorf("%s doesn't run, and wasn't started within %s", name, endLimit)
}

func (c cluster) componentNames() []string {
	var names []string
	for _, stage := range c.stages("", api{}) {
		for _, component := range stage.start {
			names = append(names, component.name)
		}
	}
	return names
}

// componentProcess is the pid of a component of the node, 0 if it doesn't run.
func componentProcess(all []process, node int, name string) int {
	for _, p := range all {
		if p.parent == node && filepath.Base(p.args[0]) == name {
			return p.pid
		}
	}
	return 0
}

func killAndAwait(pid int) error {
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && err != syscall.ESRCH {
		return fmt.Errorf("killing process %d: %w", pid, err)
	}
	return awaitEnd(pid)
}
