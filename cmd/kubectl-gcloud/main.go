// SPDX-License-Identifier: Apache-2.0

// Command kubectl-gcloud is a plugin of kubectl: `kubectl gcloud …` runs a gcloud command in the cluster.
package main

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"

	"github.com/gcloud-operator/gcloud-operator/internal/cli"
)

func main() {
	interrupts := make(chan os.Signal, 2)
	signal.Notify(interrupts, syscall.SIGINT, syscall.SIGTERM)
	os.Exit(cli.Run(os.Args[1:], streams(), interrupts))
}

func streams() cli.Streams {
	s := cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}
	if os.Getenv("TERM") == "dumb" {
		return s
	}
	s.OutTerminal, s.ErrTerminal = term.IsTerminal(int(os.Stdout.Fd())), term.IsTerminal(int(os.Stderr.Fd()))
	if width, _, err := term.GetSize(int(os.Stderr.Fd())); err == nil {
		s.Width = width
	}
	_, plain := os.LookupEnv("NO_COLOR")
	s.Colour = !plain
	return s
}
