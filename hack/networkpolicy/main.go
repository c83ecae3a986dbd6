// SPDX-License-Identifier: Apache-2.0

// Command networkpolicy enforces the NetworkPolicies of the development cluster, whose own network has
// nothing that does. It is kube-router's controller for them, and nothing else of it, for the
// end-to-end tests: it runs until it is asked to stop, and then takes its rules away.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/cloudnativelabs/kube-router/v2/pkg/controllers/netpol"
	"github.com/cloudnativelabs/kube-router/v2/pkg/healthcheck"
	"github.com/cloudnativelabs/kube-router/v2/pkg/options"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	config := options.NewKubeRouterConfig()
	config.EnableIPv4 = true
	flag.StringVar(&config.HostnameOverride, "node", "", "the name of the node")
	services := flag.String("services", "", "the range of the cluster's Services")
	flag.Parse()
	config.ClusterIPCIDRs = []string{*services}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, config); err != nil {
		fmt.Fprintln(os.Stderr, "networkpolicy:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, config *options.KubeRouterConfig) error {
	cluster, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return fmt.Errorf("finding the cluster: %w", err)
	}
	clients, err := kubernetes.NewForConfig(cluster)
	if err != nil {
		return fmt.Errorf("making a client: %w", err)
	}
	all := informers.NewSharedInformerFactory(clients, 0)
	pods, namespaces := all.Core().V1().Pods().Informer(), all.Core().V1().Namespaces().Informer()
	policies := all.Networking().V1().NetworkPolicies().Informer()
	tables, sets, err := netpol.NewIPTablesHandlers(config)
	if err != nil {
		return err
	}
	controller, err := netpol.NewNetworkPolicyController(clients, config, pods, policies, namespaces, &sync.Mutex{}, tables, sets)
	if err != nil {
		return err
	}
	for informer, handler := range map[cache.SharedIndexInformer]cache.ResourceEventHandler{
		pods: controller.PodEventHandler, namespaces: controller.NamespaceEventHandler, policies: controller.NetworkPolicyEventHandler,
	} {
		if _, err := informer.AddEventHandler(handler); err != nil {
			return fmt.Errorf("watching: %w", err)
		}
	}
	all.Start(ctx.Done())
	all.WaitForCacheSync(ctx.Done())
	defer controller.Cleanup()
	enforce(ctx, controller)
	return nil
}

// enforce returns when the context is done.
func enforce(ctx context.Context, controller *netpol.NetworkPolicyController) {
	heartbeats := make(chan *healthcheck.ControllerHeartbeat)
	go func() {
		for range heartbeats { // nobody asks for them here
		}
	}()
	var controllers sync.WaitGroup
	controllers.Add(1)
	controller.Run(heartbeats, ctx.Done(), &controllers)
	controllers.Wait()
	close(heartbeats)
}
