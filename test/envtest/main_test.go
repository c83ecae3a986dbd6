// SPDX-License-Identifier: Apache-2.0

// Package envtest runs the operator's controllers and webhook against a real API server. There is no
// kubelet and no Job controller: type world plays them.
package envtest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/kubernetes"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/controllers/gcloudrun"
	"github.com/gcloud-operator/gcloud-operator/controllers/run"
	"github.com/gcloud-operator/gcloud-operator/internal/command"
	operatorconfig "github.com/gcloud-operator/gcloud-operator/internal/config"
	webhookv1alpha1 "github.com/gcloud-operator/gcloud-operator/internal/webhook/v1alpha1"
)

var (
	// cluster is the API server, without a cache.
	cluster client.Client
	// executed counts what the world executed.
	executed = &counter{tasks: map[string]int{}}
)

func TestMain(m *testing.M) {
	code, err := runTests(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "envtest:", err)
		code = 1
	}
	os.Exit(code)
}

func runTests(m *testing.M) (code int, err error) {
	ctrl.SetLogger(zap.New(zap.WriteTo(os.Stderr), zap.UseDevMode(true)))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	scheme := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(scheme))
	utilruntime.Must(v1alpha1.AddToScheme(scheme))

	environment := &envtest.Environment{
		CRDDirectoryPaths:     []string{filepath.Join("..", "..", "config", "crd")},
		ErrorIfCRDPathMissing: true,
		Scheme:                scheme,
		WebhookInstallOptions: envtest.WebhookInstallOptions{Paths: []string{filepath.Join("..", "..", "config", "webhook", "manifests.yaml")}},
	}
	api, err := environment.Start()
	if err != nil {
		return 0, fmt.Errorf("starting the API server: %w", err)
	}
	defer func() { _ = environment.Stop() }() // the process ends next
	if cluster, err = client.New(api, client.Options{Scheme: scheme}); err != nil {
		return 0, err
	}
	mgr, err := newManager(ctx, api, scheme, &environment.WebhookInstallOptions)
	if err != nil {
		return 0, err
	}
	go func() {
		if err := mgr.Start(ctx); err != nil {
			panic(err)
		}
	}()
	go world{cluster, executed}.turn(ctx)
	return m.Run(), nil
}

func newManager(ctx context.Context, api *rest.Config, scheme *runtime.Scheme, hook *envtest.WebhookInstallOptions) (ctrl.Manager, error) {
	configuration, err := operatorconfig.Load(filepath.Join("..", "..", "config", "manager", "config.yaml"))
	if err != nil {
		return nil, err
	}
	kind := gcloudrun.Kind{Config: configuration}
	cached := run.CacheOptions()
	run.CacheResource(&cached, kind)
	mgr, err := ctrl.NewManager(api, ctrl.Options{
		Scheme:     scheme,
		Cache:      cached,
		Controller: config.Controller{MaxConcurrentReconciles: 8},
		Metrics:    metricsserver.Options{BindAddress: "0"},
		WebhookServer: webhook.NewServer(webhook.Options{
			Host: hook.LocalServingHost, Port: hook.LocalServingPort, CertDir: hook.LocalServingCertDir,
		}),
	})
	if err != nil {
		return nil, err
	}
	if err := run.IndexPods(ctx, mgr); err != nil {
		return nil, err
	}
	engine := &run.Reconciler[*v1alpha1.GcloudRun]{
		Client:      mgr.GetClient(),
		Live:        mgr.GetAPIReader(),
		Logs:        run.Logs{Pods: kubernetes.NewForConfigOrDie(api).CoreV1()},
		Clock:       clock.RealClock{},
		Recorder:    mgr.GetEventRecorder("gcloud-operator"),
		Kind:        kind,
		InlineBytes: configuration.Results.InlineBytes,
	}
	if err := engine.SetupWithManager(mgr); err != nil {
		return nil, err
	}
	return mgr, webhookv1alpha1.GcloudRunValidator{Policy: command.Policy{}}.SetupWithManager(mgr)
}
