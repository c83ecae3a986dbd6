// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestStateFolderIsRemovedOnlyWhenItIsOurs(t *testing.T) {
	tests := []struct {
		name    string
		files   []string
		removed bool
	}{
		{"a cluster's whole state", []string{stateMarker, "etcd/db", "kubeconfig"}, true},
		{"what an interrupted removal left", []string{stateMarker}, true},
		{"somebody's files", []string{"thesis.tex"}, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := cluster{State: filepath.Join(t.TempDir(), "state")}
			for _, file := range test.files {
				writeFile(t, c.path(file), "")
			}
			if err := c.removeState(); err != nil {
				t.Fatal(err)
			}
			_, err := os.Stat(c.State)
			if removed := errors.Is(err, fs.ErrNotExist); removed != test.removed {
				t.Errorf("removed: %v, want %v", removed, test.removed)
			}
		})
	}
}

func TestNothingToRemoveIsNoError(t *testing.T) {
	if err := (cluster{State: filepath.Join(t.TempDir(), "none")}).removeState(); err != nil {
		t.Error(err)
	}
}

func TestAClusterIsNotMadeAmongOthersFiles(t *testing.T) {
	c := cluster{State: t.TempDir()}
	writeFile(t, c.path("thesis.tex"), "")
	if err := c.prepare(); err == nil || !strings.Contains(err.Error(), "DEVCLUSTER_STATE") {
		t.Errorf("error %v, want one that tells to set DEVCLUSTER_STATE", err)
	}
}

func TestFolders(t *testing.T) {
	tests := []struct {
		name, state, cache, home string
		wantState, wantCache     string
		wantError                string
	}{
		{"defaults", "", "", "/home/u", "/var/lib/gcloud-operator-devcluster", "/home/u/.cache/gcloud-operator", ""},
		{"variables win", "/srv/state", "/srv/cache", "/home/u", "/srv/state", "/srv/cache", ""},
		{"the node's own /run would hide the state", "/run/state", "", "/home/u", "", "", "DEVCLUSTER_STATE"},
		{"no home, and so no default", "", "", "", "", "", "DEVCLUSTER_CACHE"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("DEVCLUSTER_STATE", test.state)
			t.Setenv("DEVCLUSTER_CACHE", test.cache)
			t.Setenv("XDG_CACHE_HOME", "")
			t.Setenv("HOME", test.home)
			c, err := newCluster()
			if test.wantError != "" {
				if err == nil || !strings.Contains(err.Error(), test.wantError) {
					t.Errorf("error %v, want one that names %s", err, test.wantError)
				}
				return
			}
			if err != nil || c.State != test.wantState || c.Cache != test.wantCache {
				t.Errorf("got %+v, %v", c, err)
			}
		})
	}
}

func TestEveryConfigurationRenders(t *testing.T) {
	c := cluster{State: t.TempDir()}
	if err := c.writeConfig("/usr/lib/cni"); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{
		"containerd.toml":         `address = "` + c.containerdSocket() + `"`,
		"cni/devcluster.conflist": `"subnet": "10.244.0.0/22"`,
		"kubelet.yaml":            `cgroupRoot: "/` + c.cgroup() + `"`,
		"kube-proxy.yaml":         `clusterCIDR: "10.244.0.0/22"`,
		"kube-scheduler.yaml":     c.State + "/config/kube-scheduler.kubeconfig",
	} {
		text, err := os.ReadFile(c.path("config", file))
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %v, want %s in it:\n%s", file, err, want, text)
		}
	}
}

func TestACommandInTheClusterKeepsItsEnvironmentButForProxies(t *testing.T) {
	c := cluster{State: "/state", Cache: "/cache"}
	got := c.commandEnvironment([]string{"HOME=/root", "https_proxy=http://p", "NO_PROXY=x", "KUBECONFIG=/other", "PATH=/bin"})
	if !slices.Contains(got, "HOME=/root") || !slices.Contains(got, "KUBECONFIG=/state/kubeconfig") {
		t.Errorf("lost what it needs: %v", got)
	}
	for _, entry := range got {
		if strings.Contains(strings.ToLower(entry), "proxy") || entry == "KUBECONFIG=/other" {
			t.Errorf("kept %s", entry)
		}
	}
}

func writeFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}
