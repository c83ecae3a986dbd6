// SPDX-License-Identifier: Apache-2.0

// Package rights runs the operator as its own ServiceAccount against a real API server, with the roles that
// are shipped and with less.
package rights

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/jobspec"
	"github.com/gcloud-operator/gcloud-operator/test/world"
)

var (
	// admin may do everything; cluster is the API server as he sees it, without a cache.
	admin   *rest.Config
	cluster client.Client
	scheme  = newScheme()
)

func newScheme() *runtime.Scheme {
	s := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(s))
	utilruntime.Must(v1alpha1.AddToScheme(s))
	return s
}

func TestMain(m *testing.M) {
	code, err := runTests(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "rights:", err)
		code = 1
	}
	os.Exit(code)
}

func runTests(m *testing.M) (code int, err error) {
	ctrl.SetLogger(zap.New(zap.WriteTo(io.Discard))) // of sixty operators, most of which lack a right
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	environment := &envtest.Environment{
		CRDDirectoryPaths: []string{filepath.Join("..", "..", "config", "crd")}, ErrorIfCRDPathMissing: true, Scheme: scheme,
	}
	server := environment.ControlPlane.GetAPIServer().Configure()
	// Some clusters ask for the right to let an object hold up its owner's deletion.
	server.Append("enable-admission-plugins", "OwnerReferencesPermissionEnforcement")
	// Servers before 1.34 must be asked for a list before a watch.
	server.Append("feature-gates", "WatchList=false")
	if admin, err = environment.Start(); err != nil {
		return 0, fmt.Errorf("starting the API server: %w", err)
	}
	defer func() { _ = environment.Stop() }() // the process ends next
	admin.QPS = -1
	if cluster, err = client.New(admin, client.Options{Scheme: scheme}); err != nil {
		return 0, err
	}
	kubelet, err := world.StartKubelet(ctx, cluster)
	if err != nil {
		return 0, fmt.Errorf("starting the kubelet: %w", err)
	}
	defer kubelet.Stop()
	w := &world.World{API: cluster, Kubelet: kubelet, Pod: pod, Stdout: stdout}
	go w.Turn(ctx)
	return m.Run(), nil
}

// Resources of these names meet a world that isn't as it should be.
const (
	podless = "podless" // no pod is made for its Jobs
	changed = "changed" // its pods are changed before they are let go
	large   = "large"   // the word that has a command print more than a message holds
)

func pod(p *corev1.Pod) *corev1.Pod {
	switch p.Annotations[v1alpha1.OwnerAnnotation] {
	case "GcloudRun/" + podless:
		return nil
	case "GcloudRun/" + changed:
		for i := range p.Spec.Containers {
			if p.Spec.Containers[i].Name == jobspec.ContainerName {
				p.Spec.Containers[i].Image = "evil"
			}
		}
	}
	return p
}

// stdout can't be compressed where it is large.
func stdout(argv []string) string {
	if !strings.HasSuffix(argv[len(argv)-1], large) {
		return "ran\n"
	}
	return incompressible(8 << 10)
}
