// SPDX-License-Identifier: Apache-2.0

// Command devcluster brings up a genuine single-node Kubernetes on a Linux
// machine without Docker: the components are compiled from their sources, and
// run in namespaces of their own, so that nothing of them remains afterwards.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	if err := run(); err != nil {
		say("%v", err)
		os.Exit(1)
	}
}

func run() error {
	if os.Args[0] == nodeProcess && len(os.Args) == 3 {
		return runNode(cluster{State: os.Args[1]}, os.Args[2])
	}
	c, err := newCluster()
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	return rootCommand(c).ExecuteContext(ctx)
}

func rootCommand(c cluster) *cobra.Command {
	root := &cobra.Command{
		Use:   "devcluster",
		Short: "A genuine single-node Kubernetes, without Docker",
		Long: fmt.Sprintf(`A genuine single-node Kubernetes, without Docker.

Folders, each set by its variable:
  DEVCLUSTER_STATE  %s   the cluster; down removes it
  DEVCLUSTER_CACHE  %s   the compiled binaries, kept`, c.State, c.Cache),
		SilenceUsage:  true,
		SilenceErrors: true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Name() != "assets" && os.Geteuid() != 0 {
				return fmt.Errorf("a node mounts and makes namespaces: run `devcluster %s` as root", cmd.Name())
			}
			return nil
		},
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddCommand(
		&cobra.Command{
			Use:   "up",
			Short: "Start the cluster and wait until it runs pods; does nothing if it does already",
			Args:  cobra.NoArgs,
			RunE:  func(cmd *cobra.Command, _ []string) error { return c.up(cmd.Context()) },
		},
		&cobra.Command{
			Use:   "down",
			Short: "Remove the cluster, whatever is left of it",
			Args:  cobra.NoArgs,
			RunE:  func(*cobra.Command, []string) error { return c.down() },
		},
		&cobra.Command{
			Use:   "status",
			Short: "Show what runs and how the node is",
			Args:  cobra.NoArgs,
			RunE:  func(cmd *cobra.Command, _ []string) error { return c.status(cmd.Context(), cmd.OutOrStdout()) },
		},
		loadCommand(c),
		&cobra.Command{
			Use:                "kubectl ARGUMENT...",
			Short:              "Run kubectl against the cluster",
			DisableFlagParsing: true,
			RunE:               func(_ *cobra.Command, args []string) error { return c.enter(append([]string{"kubectl"}, args...)) },
		},
		execCommand(c),
		assetsCommand(c),
		componentCommand(c, "stop", "Kill a component of the node (kubelet, ...), and keep it down", c.stop),
		componentCommand(c, "start", "Let a component run again that was stopped", c.start),
		componentCommand(c, "kill", "Kill a component; it is started again, as by a service manager", c.kill),
		losePodCommand(c),
	)
	return root
}

func componentCommand(c cluster, name, short string, do func(component string) error) *cobra.Command {
	return &cobra.Command{
		Use:       name + " COMPONENT",
		Short:     short,
		Long:      short + ".\n\nCOMPONENT is one of " + strings.Join(c.componentNames(), ", "),
		ValidArgs: c.componentNames(),
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		RunE:      func(_ *cobra.Command, args []string) error { return do(args[0]) },
	}
}

func losePodCommand(c cluster) *cobra.Command {
	var volumes bool
	command := &cobra.Command{
		Use:   "lose-pod UID",
		Short: "Remove a pod's containers behind the kubelet's back, as when the node loses them",
		Args:  cobra.ExactArgs(1),
		RunE:  func(cmd *cobra.Command, args []string) error { return c.losePod(cmd.Context(), args[0], volumes) },
	}
	command.Flags().BoolVar(&volumes, "volumes", false, "remove the pod's volumes too, as when the node loses its disk")
	return command
}

func execCommand(c cluster) *cobra.Command {
	command := &cobra.Command{
		Use:   "exec -- COMMAND [ARGUMENT...]",
		Short: "Run any command in the cluster's network, with KUBECONFIG set",
		Args:  cobra.MinimumNArgs(1),
		RunE:  func(_ *cobra.Command, args []string) error { return c.enter(args) },
	}
	command.Flags().SetInterspersed(false) // flags after COMMAND are its own
	return command
}

func loadCommand(c cluster) *cobra.Command {
	return &cobra.Command{
		Use:   "load IMAGE.tar...",
		Short: "Load images into the node, skipping those that it has",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, files []string) error {
			if _, err := c.runningNode(); err != nil {
				return err
			}
			for _, file := range files {
				if err := c.loadImage(cmd.Context(), file); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

func assetsCommand(c cluster) *cobra.Command {
	return &cobra.Command{
		Use:   "assets",
		Short: "Print a folder for KUBEBUILDER_ASSETS (etcd, kube-apiserver, kubectl), building it if needed",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			unlock, err := c.lock()
			if err != nil {
				return err
			}
			defer unlock()
			binaries, err := c.ensureBinaries(cmd.Context())
			if err != nil {
				return fmt.Errorf("building Kubernetes: %w", err)
			}
			fmt.Fprintln(cmd.OutOrStdout(), binaries)
			return nil
		},
	}
}
