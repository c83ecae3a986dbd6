// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
)

// enter turns this process into the command, in the cluster's network. So the
// command has this process's pid, and signals and exit code are its own.
func (c cluster) enter(command []string) error {
	pid, err := c.runningNode()
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	environment := append(c.commandEnvironment(os.Environ()), "DEVCLUSTER="+self) // so that it can stop the kubelet, say
	if err := os.Setenv("PATH", pathWith(c.binaries())); err != nil {
		return err
	}
	program, err := exec.LookPath(command[0])
	if err != nil {
		return err
	}
	runtime.LockOSThread()
	if err := enterNetworkOf(pid); err != nil {
		return err
	}
	return fmt.Errorf("running %s: %w", program, syscall.Exec(program, command, environment))
}

// commandEnvironment points a command at the cluster. No proxy can be reached
// from its network.
func (c cluster) commandEnvironment(from []string) []string {
	kept := slices.DeleteFunc(slices.Clone(from), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return name == "KUBECONFIG" || name == "PATH" || strings.HasSuffix(strings.ToLower(name), "_proxy")
	})
	return append(kept,
		"KUBECONFIG="+c.kubeconfig(),
		"KUBECACHEDIR="+c.path("kubectl-cache"), // the next cluster has the same address
		"PATH="+pathWith(c.binaries()),
	)
}

// pathWith has the cluster's own kubectl first: it is of the right version.
func pathWith(binaries string) string {
	return binaries + string(filepath.ListSeparator) + os.Getenv("PATH")
}
