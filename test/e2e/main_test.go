// SPDX-License-Identifier: Apache-2.0

// Package e2e runs real gcloud on a real cluster, as users do. It is to be run where the cluster's
// pods can reach it: `make test-e2e` runs it inside the development cluster's network.
package e2e

import (
	"context"
	"fmt"
	"os"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

// nodeAddress is where the development cluster's pods reach what listens beside the node, and so
// where config/devcluster sends gcloud.
const nodeAddress = "10.244.0.1"

var (
	// cluster is the API server, without a cache.
	cluster client.WithWatch
	// namespace is the tests' own, under the restricted Pod Security Standard.
	namespace string
	// spanner is Google's emulator of Cloud Spanner.
	spanner *spannerEmulator
)

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

func run(m *testing.M) (int, error) {
	ctx := context.Background()
	scheme := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(scheme))
	utilruntime.Must(v1alpha1.AddToScheme(scheme))
	config, err := ctrl.GetConfig()
	if err != nil {
		return 0, fmt.Errorf("finding the cluster: %w", err)
	}
	if cluster, err = client.NewWithWatch(config, client.Options{Scheme: scheme}); err != nil {
		return 0, fmt.Errorf("making a client: %w", err)
	}
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		GenerateName: "e2e-", Labels: map[string]string{"pod-security.kubernetes.io/enforce": "restricted"},
	}}
	if err := cluster.Create(ctx, ns); err != nil {
		return 0, fmt.Errorf("making a namespace: %w", err)
	}
	defer func() { _ = cluster.Delete(ctx, ns) }() // the cluster goes soon, too
	namespace = ns.Name
	if spanner, err = startSpanner(); err != nil {
		return 0, err
	}
	defer spanner.stop()
	if err := rememberOperatorKeys(ctx); err != nil {
		return 0, err
	}
	return m.Run(), expectNoCredentials(ctx)
}
