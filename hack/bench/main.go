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
       bench phases [-n N]      on such a cluster: where the time of a GcloudRun goes
       bench requests [-n N]    against an API server of its own ($KUBEBUILDER_ASSETS): how often the
                             operator asks it for a run
       bench memory [-n N]      against an API server of its own ($KUBEBUILDER_ASSETS): the operator's
                             memory with that many finished runs of 100 KiB each
       bench flood [-n N]       against an API server of its own: one tenant's runs, from create to Job,
                             beside that many bad objects of another
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
	case "latency", "phases":
		n := set.Int("n", 15, "how often each is measured")
		if err := set.Parse(args[1:]); err != nil {
			return err
		}
		c, err := ofCluster()
		if err != nil {
			return err
		}
		if args[0] == "phases" {
			return measurePhases(ctx, c, *n)
		}
		return measureLatency(ctx, c, *n)
	case "memory", "requests", "flood":
		n := set.Int("n", map[string]int{"memory": 5000, "requests": 20, "flood": 10_000}[args[0]], "how many runs there are")
		operator := set.String("operator", "bin/gcloud-operator", "the operator's `program`")
		if err := set.Parse(args[1:]); err != nil {
			return err
		}
		return map[string]func(context.Context, int, string) error{
			"memory": measureMemory, "requests": measureRequests, "flood": measureFlood,
		}[args[0]](ctx, *n, *operator)
	}
	fmt.Fprint(os.Stderr, usage)
	return fmt.Errorf("there is no benchmark %q", args[0])
}
