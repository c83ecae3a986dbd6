// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// kernelTunables are settings of the whole machine that a kubelet would change.
var kernelTunables = []string{
	"vm/overcommit_memory", "vm/panic_on_oom",
	"kernel/panic", "kernel/panic_on_oops", "kernel/keys/root_maxkeys", "kernel/keys/root_maxbytes",
}

// fixedFolders are where components write without asking; each gets a folder of
// the state mounted over it.
var fixedFolders = map[string]string{
	"/var/log":         "var-log",
	"/var/lib/kubelet": "var-lib-kubelet",
	"/var/lib/cni":     "var-lib-cni",
}

// setUpMounts gives the node a view of its own on the file system: what it
// mounts or writes to the usual places isn't seen by the machine.
func setUpMounts(c cluster) error {
	steps := []struct {
		source, target, kind string
		flags                uintptr
	}{
		{"", "/", "", unix.MS_REC | unix.MS_PRIVATE},
		// Volumes whose mounts propagate need a shared root.
		{"", "/", "", unix.MS_REC | unix.MS_SHARED},
		{"proc", "/proc", "proc", unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC},
		{"tmpfs", "/run", "tmpfs", unix.MS_NOSUID | unix.MS_NODEV},
	}
	for _, s := range steps {
		if err := unix.Mount(s.source, s.target, s.kind, s.flags, ""); err != nil {
			return fmt.Errorf("mounting %s: %w", s.target, err)
		}
	}
	for target, name := range fixedFolders {
		if err := bindFolder(c.path(name), target); err != nil {
			return err
		}
	}
	return shadowKernelTunables(c.path("sysctl"))
}

func bindFolder(source, target string) error {
	for _, folder := range []string{source, target} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
	}
	if err := unix.Mount(source, target, "", unix.MS_BIND, ""); err != nil {
		return fmt.Errorf("mounting %s: %w", target, err)
	}
	return nil
}

// removeFixedFolders removes what bindFolder had to make on the machine. A
// folder that somebody else uses isn't empty, and stays; another cluster of the
// machine would lose its mount.
func removeFixedFolders() error {
	all, err := processes()
	if err != nil || slices.ContainsFunc(all, process.isNode) {
		return err
	}
	for target := range fixedFolders {
		err := unix.Rmdir(target)
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, unix.ENOTEMPTY) {
			return fmt.Errorf("removing %s: %w", target, err)
		}
	}
	return nil
}

// shadowKernelTunables puts a file over each, so that the kubelet's writes go
// nowhere.
func shadowKernelTunables(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for _, name := range kernelTunables {
		real := filepath.Join("/proc/sys", name)
		value, err := os.ReadFile(real)
		if err != nil {
			return fmt.Errorf("reading a kernel setting: %w", err)
		}
		shadow := filepath.Join(folder, strings.ReplaceAll(name, "/", "."))
		if err := os.WriteFile(shadow, bytes.TrimSpace(value), 0o644); err != nil {
			return err
		}
		if err := unix.Mount(shadow, real, "", unix.MS_BIND, ""); err != nil {
			return fmt.Errorf("shadowing %s: %w", real, err)
		}
	}
	return nil
}
