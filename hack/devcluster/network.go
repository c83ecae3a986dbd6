// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

// setUpNetwork prepares the network namespace of this process as a node's:
// every pod gets a link of its own to it, and no route leads out.
func setUpNetwork() error {
	for _, command := range []string{
		"link set lo up",
		"address add " + nodeIP + "/32 dev lo",
		// Without a route the node's own processes can't even try a ClusterIP.
		"route add " + serviceCIDR + " dev lo src " + nodeIP,
	} {
		if out, err := exec.Command("ip", strings.Fields(command)...).CombinedOutput(); err != nil {
			return fmt.Errorf("ip %s: %w\n%s", command, err, out)
		}
	}
	if err := os.WriteFile("/proc/sys/net/ipv4/ip_forward", []byte("1"), 0); err != nil {
		return fmt.Errorf("letting the node forward packets: %w", err)
	}
	return nil
}

type dialer func(ctx context.Context, network, address string) (net.Conn, error)

// directly dials from the namespace of this process.
func directly(ctx context.Context, network, address string) (net.Conn, error) {
	return (&net.Dialer{}).DialContext(ctx, network, address)
}

// inNetworkOf dials from the network namespace of another process: a socket
// belongs to the namespace that its thread was in when it was made.
func inNetworkOf(pid int) dialer {
	return func(ctx context.Context, network, address string) (conn net.Conn, err error) {
		runtime.LockOSThread()
		own, err := os.Open("/proc/thread-self/ns/net")
		if err != nil {
			return nil, err
		}
		defer own.Close()
		if err := enterNetworkOf(pid); err != nil {
			return nil, err
		}
		defer func() {
			if back := unix.Setns(int(own.Fd()), unix.CLONE_NEWNET); back != nil {
				err = errors.Join(err, back)
				return // the thread stays locked, and so ends with its goroutine
			}
			runtime.UnlockOSThread()
		}()
		return directly(ctx, network, address)
	}
}

// enterNetworkOf moves the calling thread, which must be locked.
func enterNetworkOf(pid int) error {
	target, err := os.Open(fmt.Sprintf("/proc/%d/ns/net", pid))
	if err != nil {
		return fmt.Errorf("finding the cluster's network: %w", err)
	}
	defer target.Close()
	if err := unix.Setns(int(target.Fd()), unix.CLONE_NEWNET); err != nil {
		return fmt.Errorf("entering the cluster's network: %w", err)
	}
	return nil
}
