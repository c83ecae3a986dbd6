// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// up brings the cluster up, whatever is there: a running one stays as it is,
// half of one is removed first.
func (c cluster) up(ctx context.Context) error {
	started := time.Now()
	unlock, err := c.lock()
	if err != nil {
		return err
	}
	defer unlock()
	if c.healthy(ctx) == nil {
		say("it is running already")
		return c.loadPauseImage(ctx, c.binaries()) // the last step of the `up` that started it
	}
	if err := ensurePackages(ctx); err != nil {
		return fmt.Errorf("installing packages: %w", err)
	}
	binaries, err := c.ensureBinaries(ctx)
	if err != nil {
		return fmt.Errorf("building Kubernetes: %w", err)
	}
	if err := c.down(); err != nil {
		return fmt.Errorf("removing what was there: %w", err)
	}
	if err := c.prepare(); err != nil {
		return fmt.Errorf("preparing the node: %w", err)
	}
	if err := c.startNode(ctx, binaries); err != nil {
		return err
	}
	say("ready after %.1fs", time.Since(started).Seconds())
	return nil
}

// lock keeps two of this program from building or starting at the same time.
func (c cluster) lock() (unlock func(), err error) {
	if err := os.MkdirAll(c.Cache, 0o755); err != nil {
		return nil, fmt.Errorf("making the cache: %w", err)
	}
	file, err := os.OpenFile(filepath.Join(c.Cache, "lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("locking the cache: %w", err)
	}
	if syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		say("another devcluster is at work with %s; waiting for it", c.Cache)
		if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); err != nil {
			return nil, fmt.Errorf("locking the cache: %w", err)
		}
	}
	return func() { file.Close() }, nil
}

// stateMarker says that a folder is ours: `down` removes it with all in it.
const stateMarker = "this-is-a-devcluster"

// prepare writes all that the node's components read.
func (c cluster) prepare() error {
	entries, err := os.ReadDir(c.State)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(entries) > 0 {
		return fmt.Errorf("%s isn't empty: set DEVCLUSTER_STATE to a folder for the cluster alone", c.State)
	}
	for _, folder := range []string{"logs", "etcd"} {
		if err := os.MkdirAll(c.path(folder), 0o700); err != nil {
			return err
		}
	}
	if err := os.WriteFile(c.path(stateMarker), nil, 0o644); err != nil {
		return err
	}
	return errors.Join(
		c.writeConfig(cniPlugins()),
		c.writeCredentials(time.Now()),
		makeCgroups(c.cgroup()),
	)
}

// startNode starts the node's first process in namespaces of its own and waits
// until it has booted.
func (c cluster) startNode(ctx context.Context, binaries string) error {
	log, err := os.Create(c.log("node"))
	if err != nil {
		return err
	}
	defer log.Close()
	self, err := os.Executable()
	if err != nil {
		return err
	}
	command := exec.Command(self)
	command.Args = []string{nodeProcess, c.State, binaries}
	command.Stderr = log
	command.SysProcAttr = &syscall.SysProcAttr{
		Setsid:     true, // Ctrl-C is for `up`
		Cloneflags: syscall.CLONE_NEWPID | syscall.CLONE_NEWNS | syscall.CLONE_NEWNET,
	}
	alive, err := command.StdinPipe()
	if err != nil {
		return err
	}
	defer alive.Close()
	progress, err := command.StdoutPipe()
	if err != nil {
		return err
	}
	if err := command.Start(); err != nil {
		return fmt.Errorf("starting the node: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { alive.Close() })
	defer stop()
	pause := make(chan error, 1)
	go func() { pause <- c.loadPauseImage(ctx, binaries) }()
	for lines := bufio.NewScanner(progress); lines.Scan(); {
		say("%s", lines.Text())
	}
	if err := c.healthy(ctx); err != nil {
		if said, _ := os.ReadFile(c.log("node")); len(said) > 0 {
			err = errors.New(lastLines(said, 25))
		}
		return fmt.Errorf("the node didn't come up: %w", err)
	}
	return <-pause
}

// healthy is nil when the node runs pods.
func (c cluster) healthy(ctx context.Context) error {
	pid, err := c.runningNode()
	if err != nil {
		return err
	}
	api, err := newAPI(c, inNetworkOf(pid))
	if err != nil {
		return err
	}
	return errors.Join(c.containerdServes(ctx), api.nodeReady(ctx))
}
