// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// nodeProcess is the name, argv[0], of the node's first process.
const nodeProcess = "devcluster-node"

// runNode is the node's first process, PID 1 of its PID namespace: with it the
// kernel ends every process of the node, and with the last of them go its
// mounts and its network. It boots the node, telling on stdout how far it is,
// and keeps it running until it is killed.
//
// Whoever started it holds the other end of stdin: when that closes before the
// node is up, nobody is left to care for it, and it ends.
func runNode(c cluster, binaries string) error {
	if os.Getpid() != 1 {
		return errors.New(nodeProcess + " is started by `devcluster up` only")
	}
	if err := errors.Join(setUpMounts(c), setUpNetwork()); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel(errors.New("`devcluster up` was stopped"))
	}()
	s := newSupervisor(c)
	if err := boot(ctx, s, c, binaries); err != nil {
		return err
	}
	if err := silence(); err != nil {
		return err
	}
	s.keepRunning()
	return nil
}

// boot starts the components, each stage when what it needs is served.
func boot(ctx context.Context, s *supervisor, c cluster, binaries string) error {
	api, err := newAPI(c, directly)
	if err != nil {
		return err
	}
	for _, stage := range c.stages(binaries, api) {
		for _, component := range stage.start {
			if err := s.start(component); err != nil {
				return err
			}
		}
		for _, check := range stage.await {
			if err := s.await(ctx, check); err != nil {
				return err
			}
		}
	}
	return nil
}

// silence closes stdin and stdout, so that `devcluster up` sees the end of the
// boot and nothing is written where nobody reads.
func silence() error {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(unix.Dup3(int(null.Fd()), 0, 0), unix.Dup3(int(null.Fd()), 1, 0))
}
