// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// down ends all processes of the cluster, and with them the kernel removes its
// namespaces and mounts; then it removes the cgroups and the state.
func (c cluster) down() error {
	if err := c.endProcesses(); err != nil {
		return err
	}
	return errors.Join(removeCgroups(c.cgroup()), removeFixedFolders(), c.removeState())
}

func (c cluster) removeState() error {
	_, err := os.Stat(c.path(stateMarker))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("looking for the state: %w", err)
	}
	// The marker goes last, so that an interrupted removal can go on.
	entries, err := os.ReadDir(c.State)
	if err != nil {
		return fmt.Errorf("removing the state: %w", err)
	}
	for _, entry := range entries {
		if entry.Name() == stateMarker {
			continue
		}
		if err := os.RemoveAll(c.path(entry.Name())); err != nil {
			return fmt.Errorf("removing the state: %w", err)
		}
	}
	return os.RemoveAll(c.State)
}
