// SPDX-License-Identifier: Apache-2.0

// Package envtest runs the operator's controllers and webhook against a real API server. There is no
// kubelet and no Job controller: package world plays them.
package envtest

import (
	"context"
	"fmt"
	"net"
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
	ctrlmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"
	"sigs.k8s.io/controller-runtime/pkg/webhook"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/controllers/gcloudrun"
	"github.com/gcloud-operator/gcloud-operator/controllers/run"
	"github.com/gcloud-operator/gcloud-operator/internal/command"
	operatorconfig "github.com/gcloud-operator/gcloud-operator/internal/config"
	"github.com/gcloud-operator/gcloud-operator/internal/metrics"
	webhookv1alpha1 "github.com/gcloud-operator/gcloud-operator/internal/webhook/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/test/world"
)

var (
	// cluster is the API server, without a cache.
	cluster client.Client
	// played is the world around it.
	played = &world.World{}
	// server is how to reach it, as its administrator.
	server *rest.Config
	// metricsAddress is where the operator serves its metrics.
	metricsAddress string
)

// runsAtATime is how many runs of a namespace may be under way.
const runsAtATime = 2

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
	audit, err := keepAudit(environment)
	if err != nil {
		return 0, err
	}
	defer func() { _ = os.RemoveAll(audit) }()
	api, err := environment.Start()
	if err != nil {
		return 0, fmt.Errorf("starting the API server: %w", err)
	}
	defer func() { _ = environment.Stop() }() // the process ends next
	server = api
	if metricsAddress, err = freeAddress(); err != nil {
		return 0, err
	}
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
	played.API = cluster
	go played.Turn(ctx)
	return m.Run(), nil
}

func newManager(ctx context.Context, api *rest.Config, scheme *runtime.Scheme, hook *envtest.WebhookInstallOptions) (ctrl.Manager, error) {
	configuration, err := operatorconfig.Load(filepath.Join("..", "..", "config", "manager", "config.yaml"))
	if err != nil {
		return nil, err
	}
	kind := gcloudrun.Kind{Config: configuration}
	cached := run.CacheOptions(nil)
	run.CacheResource(&cached, kind)
	mgr, err := ctrl.NewManager(api, ctrl.Options{
		Scheme:     scheme,
		Cache:      cached,
		Controller: config.Controller{MaxConcurrentReconciles: 8},
		Metrics:    metrics.Served(metricsAddress, nil),
		WebhookServer: webhook.NewServer(webhook.Options{
			Host: hook.LocalServingHost, Port: hook.LocalServingPort, CertDir: hook.LocalServingCertDir,
		}),
	})
	if err != nil {
		return nil, err
	}
	if err := run.IndexMade(ctx, mgr); err != nil {
		return nil, err
	}
	engine := &run.Reconciler[*v1alpha1.GcloudRun]{
		Client:      metrics.CountWrites(mgr.GetClient()),
		Live:        mgr.GetAPIReader(),
		Logs:        run.Logs{Pods: kubernetes.NewForConfigOrDie(api).CoreV1()},
		Clock:       clock.RealClock{},
		Recorder:    mgr.GetEventRecorder("gcloud-operator"),
		Kind:        kind,
		Turns:       &run.Turns{Client: mgr.GetClient(), Clock: clock.RealClock{}, Limit: runsAtATime},
		InlineBytes: configuration.Results.InlineBytes,
	}
	metrics.Register(ctrlmetrics.Registry)
	ctrlmetrics.Registry.MustRegister(metrics.Runs{Elected: mgr.Elected(), Stages: map[string]func(context.Context) ([]metrics.Stage, error){
		kind.Name(): engine.Stages,
	}})
	if err := engine.SetupWithManager(mgr); err != nil {
		return nil, err
	}
	return mgr, webhookv1alpha1.GcloudRunValidator{Policy: command.Policy{}}.SetupWithManager(mgr)
}

// freeAddress is one at which nobody listens.
func freeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}
