// SPDX-License-Identifier: Apache-2.0

// Command bench measures the operator. Each figure is a ratio against a baseline in the same run, for
// machines are noisy.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

const usage = `Usage: bench latency [-n N]     on a cluster ($KUBECONFIG) that has the operator: from create to the end,
                             a bare Job against each kind
       bench memory [-n N]      against an API server of its own ($KUBEBUILDER_ASSETS): the operator's
                             memory with that many finished runs of 100 KiB each
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		fmt.Fprint(os.Stderr, usage)
		return errors.New("which benchmark?")
	}
	set := flag.NewFlagSet(args[0], flag.ContinueOnError)
	switch args[0] {
	case "latency":
		n := set.Int("n", 15, "how often each is measured")
		if err := set.Parse(args[1:]); err != nil {
			return err
		}
		return measureLatency(ctx, *n)
	case "memory":
		n := set.Int("n", 5000, "how many finished runs there are")
		operator := set.String("operator", "bin/gcloud-operator", "the operator's `program`")
		if err := set.Parse(args[1:]); err != nil {
			return err
		}
		return measureMemory(ctx, *n, *operator)
	}
	fmt.Fprint(os.Stderr, usage)
	return fmt.Errorf("there is no benchmark %q", args[0])
}
