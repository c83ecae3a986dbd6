// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// cniPluginFolders are where distributions put the CNI plugins.
var cniPluginFolders = []string{"/usr/lib/cni", "/opt/cni/bin", "/usr/libexec/cni"}

// requirement is a program of the machine, and Debian's package for it. What
// counts is the program: where another package brings it, nothing is installed.
type requirement struct {
	what    string
	pkg     string
	present func() bool
}

var requirements = []requirement{
	{"containerd", "containerd", inPath("containerd", "ctr")},
	{"runc", "runc", inPath("runc")},
	{"the CNI plugins ptp and host-local", "containernetworking-plugins", func() bool { return cniPlugins() != "" }},
	{"nft", "nftables", inPath("nft")},
	{"ip", "iproute2", inPath("ip")},
}

func inPath(programs ...string) func() bool {
	return func() bool {
		return !slices.ContainsFunc(programs, func(program string) bool {
			_, err := exec.LookPath(program)
			return err != nil
		})
	}
}

// cniPlugins is the folder of the CNI plugins, or empty.
func cniPlugins() string {
	for _, folder := range cniPluginFolders {
		if isFile(filepath.Join(folder, "ptp")) && isFile(filepath.Join(folder, "host-local")) {
			return folder
		}
	}
	return ""
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

func missing(from []requirement) []requirement {
	return slices.DeleteFunc(slices.Clone(from), func(r requirement) bool { return r.present() })
}

// ensurePackages installs what is missing, with apt-get.
func ensurePackages(ctx context.Context) error {
	lacking := missing(requirements)
	if len(lacking) == 0 {
		return nil
	}
	if _, err := exec.LookPath("apt-get"); err != nil {
		return missingError(lacking)
	}
	var names []string
	for _, r := range lacking {
		names = append(names, r.pkg)
	}
	say("installing %s", strings.Join(names, ", "))
	if err := aptGet(ctx, "update"); err != nil {
		return err
	}
	install := append([]string{"install", "--yes", "--no-install-recommends"}, names...)
	if err := aptGet(ctx, install...); err != nil {
		return err
	}
	if lacking = missing(requirements); len(lacking) > 0 {
		return missingError(lacking)
	}
	return nil
}

func missingError(lacking []requirement) error {
	var lines []string
	for _, r := range lacking {
		lines = append(lines, fmt.Sprintf("  %s (Debian's package %s)", r.what, r.pkg))
	}
	return fmt.Errorf("this machine lacks what the cluster is made of; install it and run this again:\n%s",
		strings.Join(lines, "\n"))
}

func aptGet(ctx context.Context, args ...string) error {
	command := exec.CommandContext(ctx, "apt-get", append([]string{"--quiet", "--quiet"}, args...)...)
	command.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
	out, err := command.CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return fmt.Errorf("apt-get %s: %w\n%s", strings.Join(args, " "), err, lastLines(out, 20))
	}
	return err
}
