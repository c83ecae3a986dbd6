// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain is the node's first process when a test started it as that: a
// supervisor of something that is called kubelet.
func TestMain(m *testing.M) {
	if os.Args[0] != nodeProcess {
		os.Exit(m.Run())
	}
	s := newSupervisor(cluster{State: os.Args[1]})
	if err := s.start(component{name: "kubelet", program: s.c.path("kubelet"), args: []string{"1000"}}); err != nil {
		panic(err)
	}
	s.keepRunning()
}

// startTestNode runs a supervisor in a process of its own, with its kubelet.
func startTestNode(t *testing.T) cluster {
	t.Helper()
	c := cluster{State: t.TempDir()}
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(sleep, c.path("kubelet")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(c.path("logs"), 0o755); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	node := &exec.Cmd{Path: self, Args: []string{nodeProcess, c.State, ""}}
	if err := node.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		kubelet := runs(t, node.Process.Pid)
		_ = node.Process.Kill()
		_ = node.Wait()
		if kubelet != 0 {
			_ = syscall.Kill(kubelet, syscall.SIGKILL)
		}
	})
	return c
}

// runs is the pid of the node's kubelet, 0 if it doesn't run now.
func runs(t *testing.T, node int) int {
	t.Helper()
	all, err := processes()
	if err != nil {
		t.Fatal(err)
	}
	return componentProcess(all, node, "kubelet")
}

func TestAComponentThatIsKilledIsStartedAgain(t *testing.T) {
	c := startTestNode(t)
	before, err := c.awaitComponent("kubelet")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.kill("kubelet"); err != nil {
		t.Fatal(err)
	}
	if syscall.Kill(before, 0) != syscall.ESRCH {
		t.Error("it still runs")
	}
	if after, err := c.awaitComponent("kubelet"); err != nil || after == before {
		t.Errorf("process %d, which was %d before; %v", after, before, err)
	}
}

func TestAComponentThatIsStoppedStaysDownUntilItIsStarted(t *testing.T) {
	c := startTestNode(t)
	for range 2 { // what is stopped can be stopped again
		if err := c.stop("kubelet"); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(restartDelay + 4*pollInterval) // by then, a supervisor that doesn't care has started it
	node, err := c.runningNode()
	if err != nil {
		t.Fatal(err)
	}
	if pid := runs(t, node); pid != 0 {
		t.Fatalf("it runs, as process %d", pid)
	}
	for range 2 {
		if err := c.start("kubelet"); err != nil {
			t.Fatal(err)
		}
	}
}

func TestOnlyAComponentCanBeStopped(t *testing.T) {
	c := cluster{State: t.TempDir()}
	for _, verb := range []string{"stop", "start", "kill"} {
		command := rootCommand(c)
		command.SetArgs([]string{verb, "../etcd"})
		if err := command.Execute(); err == nil || !strings.Contains(err.Error(), `invalid argument "../etcd"`) {
			t.Errorf("%s: error %v", verb, err)
		}
	}
}
