// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gcloud-operator/gcloud-operator/internal/release"
)

func runRelease(ctx context.Context, args []string) error {
	set := flag.NewFlagSet("gcloud-operator release", flag.ContinueOnError)
	namespace := set.String("namespace", cmp.Or(os.Getenv("POD_NAMESPACE"), "gcloud-operator-system"), "the operator's own namespace")
	var namespaces []string
	namespacesFlag(set, &namespaces)
	if err := set.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return err
	}
	rest, err := ctrl.GetConfig()
	if err != nil {
		return fmt.Errorf("finding the API server: %w", err)
	}
	rest.QPS = -1 // the API server's own priority and fairness does better
	cluster, err := client.New(rest, client.Options{Scheme: scheme()})
	if err != nil {
		return fmt.Errorf("making a client: %w", err)
	}
	return release.Releaser{
		Cluster:    cluster,
		Namespaces: namespaces,
		Lease:      types.NamespacedName{Namespace: *namespace, Name: leaderLease},
		Out:        os.Stdout,
	}.Run(ctx)
}
