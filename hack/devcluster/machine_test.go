// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"slices"
	"strings"
	"testing"
)

func TestCgroupHierarchies(t *testing.T) {
	tests := []struct {
		name, mounts string
		want         []hierarchy
	}{
		{
			"version 2",
			"cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid 0 0\n",
			[]hierarchy{{"/sys/fs/cgroup", 2}},
		},
		{
			"hybrid",
			"tmpfs /sys/fs/cgroup tmpfs rw 0 0\n" +
				"cgroup /sys/fs/cgroup/cpu cgroup rw,cpu 0 0\n" +
				"cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n",
			[]hierarchy{{"/sys/fs/cgroup/cpu", 1}, {"/sys/fs/cgroup/unified", 2}},
		},
		{"a container's, mounted elsewhere", "cgroup2 /mnt/cgroup cgroup2 rw 0 0\n", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := parseHierarchies(test.mounts); !slices.Equal(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func TestParentOfAProcessWithANameMadeToConfuse(t *testing.T) {
	if got := parentOf("12 (a) S 99 (b) S 34 12 12 0"); got != 34 {
		t.Errorf("parent %d, want 34", got)
	}
}

func TestThisProcessIsInTheProcessTable(t *testing.T) {
	all, err := processes()
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(all, func(p process) bool { return p.pid == os.Getpid() })
	if at < 0 || all[at].parent != os.Getppid() || !slices.Equal(all[at].args, os.Args) {
		t.Errorf("not found, or found with wrong parent or arguments")
	}
}

func TestMissingProgramsAreNamedWithTheirPackages(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	lacking := missing(requirements)
	if !slices.ContainsFunc(lacking, func(r requirement) bool { return r.pkg == "nftables" }) {
		t.Fatalf("with an empty PATH these lack: %v", lacking)
	}
	err := ensurePackages(t.Context())
	if err == nil || !strings.Contains(err.Error(), "nft (Debian's package nftables)") {
		t.Errorf("without apt-get the error is %v", err)
	}
}

func TestANodeIsReadyWhenPodsStartOnIt(t *testing.T) {
	ready := []struct{ Type, Status, Reason, Message string }{{"Ready", "True", "", ""}}
	var fit, tainted, silent node
	fit.Status.Conditions = ready
	tainted.Status.Conditions = ready
	tainted.Spec.Taints = []struct{ Key, Effect string }{{"node.kubernetes.io/not-ready", "NoSchedule"}}
	for name, test := range map[string]struct {
		node  node
		ready bool
	}{
		"ready":                 {fit, true},
		"ready but tainted yet": {tainted, false},
		"not reported yet":      {silent, false},
	} {
		t.Run(name, func(t *testing.T) {
			if err := test.node.ready(); (err == nil) != test.ready {
				t.Errorf("ready: %v, want %v", err, test.ready)
			}
		})
	}
}
