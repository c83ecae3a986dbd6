// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// hierarchy is one mounted tree of control groups. A machine has one of
// version 2, or one for each controller of version 1, or (hybrid) both, and
// then the controllers are on version 1.
type hierarchy struct {
	root    string
	version int
}

func hierarchies() ([]hierarchy, error) {
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		return nil, fmt.Errorf("looking for cgroups: %w", err)
	}
	return parseHierarchies(string(mounts)), nil
}

func parseHierarchies(mounts string) []hierarchy {
	var found []hierarchy
	for line := range strings.Lines(mounts) {
		fields := strings.Fields(line)
		if len(fields) < 3 || !strings.HasPrefix(fields[1], "/sys/fs/cgroup") {
			continue
		}
		switch fields[2] {
		case "cgroup":
			found = append(found, hierarchy{fields[1], 1})
		case "cgroup2":
			found = append(found, hierarchy{fields[1], 2})
		}
	}
	return found
}

// makeCgroups makes the group under which all pods are. Version 1 is what this
// was run with; the branch for version 2 follows the kernel's documentation.
func makeCgroups(name string) error {
	all, err := hierarchies()
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return errors.New("no cgroups are mounted under /sys/fs/cgroup: a node can't run here")
	}
	for _, h := range all {
		if err := os.MkdirAll(filepath.Join(h.root, name), 0o755); err != nil {
			return fmt.Errorf("making a cgroup: %w", err)
		}
		if err := h.prepare(name); err != nil {
			return fmt.Errorf("preparing the cgroup in %s: %w", h.root, err)
		}
	}
	return nil
}

// prepare makes the hierarchy's controllers work in our group.
func (h hierarchy) prepare(name string) error {
	if h.version == 2 {
		controllers, err := os.ReadFile(filepath.Join(h.root, "cgroup.controllers"))
		if err != nil {
			return err
		}
		for controller := range strings.FieldsSeq(string(controllers)) {
			err := os.WriteFile(filepath.Join(h.root, "cgroup.subtree_control"), []byte("+"+controller), 0)
			if err != nil {
				return err
			}
		}
		return nil
	}
	// A cpuset of version 1 is born empty, and takes no process then.
	for _, file := range []string{"cpuset.cpus", "cpuset.mems"} {
		value, err := os.ReadFile(filepath.Join(h.root, file))
		if errors.Is(err, fs.ErrNotExist) {
			continue // another controller's
		}
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(h.root, name, file), value, 0); err != nil {
			return err
		}
	}
	return nil
}

// removeCgroups removes the group and all below it; its processes have ended.
func removeCgroups(name string) error {
	all, err := hierarchies()
	if err != nil {
		return err
	}
	for _, h := range all {
		if err := removeTree(filepath.Join(h.root, name)); err != nil {
			return fmt.Errorf("removing a cgroup: %w", err)
		}
	}
	return nil
}

// removeTree removes folders from the leaves up, as cgroups need it: their
// files go with them. A group is busy for a moment after its last process.
func removeTree(root string) error {
	var folders []string
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			folders = append(folders, path)
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, folder := range slices.Backward(folders) {
		for try := 0; ; try++ {
			err := unix.Rmdir(folder)
			if err == nil || errors.Is(err, fs.ErrNotExist) {
				break
			}
			if !errors.Is(err, unix.EBUSY) || try == 100 {
				return &fs.PathError{Op: "rmdir", Path: folder, Err: err}
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
	return err
}
