// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
)

// status prints what runs and how the node is; the error says what is wrong.
func (c cluster) status(ctx context.Context, out io.Writer) error {
	pid, err := c.runningNode()
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	defer table.Flush()
	fmt.Fprintf(table, "kubeconfig\t%s (valid inside: devcluster kubectl, devcluster exec)\n", c.kubeconfig())
	fmt.Fprintf(table, "logs\t%s\n", c.path("logs"))
	api, err := newAPI(c, inNetworkOf(pid))
	if err != nil {
		return err
	}
	if err := c.printProcesses(table, pid, api); err != nil {
		return err
	}
	n, err := api.node(ctx)
	if err != nil {
		return fmt.Errorf("asking for the node: %w", err)
	}
	fmt.Fprintf(table, "versions\tKubernetes %s, %s, Linux %s\n",
		n.Status.NodeInfo.KubeletVersion, n.Status.NodeInfo.ContainerRuntimeVersion, n.Status.NodeInfo.KernelVersion)
	for _, condition := range n.Status.Conditions {
		fmt.Fprintf(table, "%s\t%s (%s)\n", condition.Type, condition.Status, condition.Reason)
	}
	return errors.Join(n.ready(), c.containerdServes(ctx))
}

func (c cluster) printProcesses(out io.Writer, node int, api api) error {
	all, err := processes()
	if err != nil {
		return err
	}
	for _, stage := range c.stages(c.binaries(), api) {
		for _, component := range stage.start {
			switch pid := componentProcess(all, node, component.name); {
			case pid != 0:
				fmt.Fprintf(out, "%s\tpid %d\n", component.name, pid)
			case c.isStopped(component.name):
				fmt.Fprintf(out, "%s\tstopped\n", component.name)
			default:
				fmt.Fprintf(out, "%s\tnot running\n", component.name)
			}
		}
	}
	return nil
}
