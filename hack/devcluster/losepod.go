// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// podUIDLabel is what the kubelet marks sandboxes with.
const podUIDLabel = "io.kubernetes.pod.uid"

// losePod removes a pod's containers and its sandbox by the interface that the
// kubelet uses, and the pod's volumes if asked to: what is left is what a node
// that lost its processes, or its disk too, comes back with.
func (c cluster) losePod(ctx context.Context, uid string, volumes bool) error {
	conn, err := grpc.NewClient("unix://"+c.containerdSocket(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return fmt.Errorf("connecting to containerd: %w", err)
	}
	defer conn.Close()
	if err := removeSandboxes(ctx, cri.NewRuntimeServiceClient(conn), uid); err != nil {
		return err
	}
	if !volumes {
		return nil
	}
	if err := os.RemoveAll(c.path("kubelet", "pods", uid)); err != nil {
		return fmt.Errorf("removing the pod's folder: %w", err)
	}
	return nil
}

func removeSandboxes(ctx context.Context, runtime cri.RuntimeServiceClient, podUID string) error {
	found, err := runtime.ListPodSandbox(ctx, &cri.ListPodSandboxRequest{
		Filter: &cri.PodSandboxFilter{LabelSelector: map[string]string{podUIDLabel: podUID}},
	})
	if err != nil {
		return fmt.Errorf("listing the pod's sandboxes: %w", err)
	}
	if len(found.Items) == 0 {
		return fmt.Errorf("the node has no sandbox of a pod with the UID %q", podUID)
	}
	for _, sandbox := range found.Items {
		if _, err := runtime.StopPodSandbox(ctx, &cri.StopPodSandboxRequest{PodSandboxId: sandbox.Id}); err != nil {
			return fmt.Errorf("stopping the pod's sandbox: %w", err)
		}
		if _, err := runtime.RemovePodSandbox(ctx, &cri.RemovePodSandboxRequest{PodSandboxId: sandbox.Id}); err != nil {
			return fmt.Errorf("removing the pod's sandbox: %w", err)
		}
	}
	return nil
}
