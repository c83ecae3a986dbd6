// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// endLimit bounds the wait for processes that were sent SIGKILL.
const endLimit = 30 * time.Second

type process struct {
	pid, parent int
	args        []string
}

// processes are all that run now; those that end meanwhile are left out.
func processes() ([]process, error) {
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		return nil, err
	}
	var all []process
	for _, file := range files {
		folder := filepath.Dir(file)
		pid, err := strconv.Atoi(filepath.Base(folder))
		if err != nil {
			continue
		}
		cmdline, _ := os.ReadFile(file)
		stat, _ := os.ReadFile(filepath.Join(folder, "stat"))
		all = append(all, process{
			pid:    pid,
			parent: parentOf(string(stat)),
			args:   strings.Split(string(bytes.TrimSuffix(cmdline, []byte{0})), "\x00"),
		})
	}
	return all, nil
}

// parentOf reads the fourth field of /proc/PID/stat. The second, the name in
// brackets, can hold anything.
func parentOf(stat string) int {
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	if len(fields) < 2 {
		return 0
	}
	parent, _ := strconv.Atoi(fields[1])
	return parent
}

func (p process) isNode() bool {
	return len(p.args) > 1 && p.args[0] == nodeProcess
}

// findNode is the pid of the cluster's first process, 0 if it doesn't run. The
// process table is asked, so there is no record that could be stale or lost.
func (c cluster) findNode() (int, error) {
	all, err := processes()
	if err != nil {
		return 0, err
	}
	for _, p := range all {
		if p.isNode() && p.args[1] == c.State {
			return p.pid, nil
		}
	}
	return 0, nil
}

// runningNode is findNode for those who can't do without.
func (c cluster) runningNode() (int, error) {
	pid, err := c.findNode()
	if err == nil && pid == 0 {
		err = errors.New("no cluster is running: start it with `devcluster up`")
	}
	return pid, err
}

// endProcesses kills the node, all that runs on it, and what was started in its
// network by `devcluster exec`.
func (c cluster) endProcesses() error {
	node, err := c.findNode()
	if err != nil || node == 0 {
		return err
	}
	members, err := inSameNetwork(node)
	if err != nil {
		return err
	}
	for _, pid := range append([]int{node}, members...) {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && err != syscall.ESRCH {
			return fmt.Errorf("ending process %d: %w", pid, err)
		}
	}
	return awaitEnd(node) // the kernel lets PID 1 go last
}

// awaitEnd returns when the process, which was sent SIGKILL, is gone.
func awaitEnd(pid int) error {
	for deadline := time.Now().Add(endLimit); ; time.Sleep(10 * time.Millisecond) {
		if syscall.Kill(pid, 0) == syscall.ESRCH {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("process %d still runs %s after SIGKILL", pid, endLimit)
		}
	}
}

// inSameNetwork are the other processes in the network namespace of a process.
func inSameNetwork(pid int) ([]int, error) {
	namespace, err := os.Readlink(fmt.Sprintf("/proc/%d/ns/net", pid))
	if err != nil {
		return nil, fmt.Errorf("reading the network namespace of the node: %w", err)
	}
	all, err := processes()
	var members []int
	for _, p := range all {
		other, _ := os.Readlink(fmt.Sprintf("/proc/%d/ns/net", p.pid))
		if other == namespace && p.pid != pid && p.pid != os.Getpid() {
			members = append(members, p.pid)
		}
	}
	return members, err
}
