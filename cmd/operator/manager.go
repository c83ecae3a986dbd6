// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/kubernetes"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	ctrlmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"
	"sigs.k8s.io/controller-runtime/pkg/webhook"

	configv1alpha1 "github.com/gcloud-operator/gcloud-operator/api/config/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/controllers/dataformfileread"
	"github.com/gcloud-operator/gcloud-operator/controllers/documentfetch"
	"github.com/gcloud-operator/gcloud-operator/controllers/gcloudrun"
	"github.com/gcloud-operator/gcloud-operator/controllers/run"
	"github.com/gcloud-operator/gcloud-operator/internal/certificate"
	operatorconfig "github.com/gcloud-operator/gcloud-operator/internal/config"
	"github.com/gcloud-operator/gcloud-operator/internal/metrics"
	"github.com/gcloud-operator/gcloud-operator/internal/seal"
	"github.com/gcloud-operator/gcloud-operator/internal/sealkey"
	operatorwebhook "github.com/gcloud-operator/gcloud-operator/internal/webhook"
	webhookv1alpha1 "github.com/gcloud-operator/gcloud-operator/internal/webhook/v1alpha1"
)

// The names of the operator's own objects, as config/default gives them.
const (
	webhookService       = "gcloud-operator-webhook"
	metricsService       = "gcloud-operator-metrics"
	webhookSecret        = "gcloud-operator-webhook-certificate"
	webhookConfiguration = "gcloud-operator-validating-webhook-configuration"
	reportKey            = "gcloud-operator-report-key"
	leaderLease          = "gcloud-operator-leader"
)

// concurrentRuns is how many resources are looked at at the same time: a look is short.
const concurrentRuns = 8

// requestPatience is how long the body of a request to the webhook may take: the API server gives up after
// five seconds.
const requestPatience = 5 * time.Second

type managerFlags struct {
	config     string
	namespace  string
	namespaces []string
	probes     string
	metrics    string
	zap        zap.Options
}

func parseManagerFlags(args []string) (managerFlags, error) {
	var f managerFlags
	set := flag.NewFlagSet("gcloud-operator manager", flag.ContinueOnError)
	set.StringVar(&f.config, "config", "/etc/gcloud-operator/config.yaml", "the operator's configuration `file`")
	set.StringVar(&f.namespace, "namespace", os.Getenv("POD_NAMESPACE"), "the operator's own namespace; default $POD_NAMESPACE")
	namespacesFlag(set, &f.namespaces)
	set.StringVar(&f.probes, "health-probe-bind-address", ":8081", "where /healthz and /readyz are served")
	set.StringVar(&f.metrics, "metrics-bind-address", ":8443", "where /metrics is served, by TLS and to whom RBAC lets get it; 0 for nowhere")
	f.zap.BindFlags(set)
	if err := set.Parse(args); err != nil {
		return f, err
	}
	if f.namespace == "" {
		return f, errors.New("the operator's own namespace is unknown: set --namespace or $POD_NAMESPACE")
	}
	return f, nil
}

func runManager(ctx context.Context, args []string) error {
	flags, err := parseManagerFlags(args)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return err
	}
	ctrl.SetLogger(zap.New(zap.UseFlagOptions(&flags.zap)))
	configuration, err := operatorconfig.Load(flags.config)
	if err != nil {
		return err
	}
	rest, err := ctrl.GetConfig()
	if err != nil {
		return fmt.Errorf("finding the API server: %w", err)
	}
	rest.QPS = -1 // the API server's own priority and fairness does better
	direct, err := client.New(rest, client.Options{Scheme: scheme()})
	if err != nil {
		return fmt.Errorf("making a client: %w", err)
	}
	key, err := sealkey.Load(ctx, direct, types.NamespacedName{Namespace: flags.namespace, Name: reportKey})
	if err != nil {
		return err
	}
	certificates := newCertificates(direct, flags.namespace)
	k := kindsUnder(configuration, key.Recipient)
	mgr, err := newManager(rest, flags, certificates, k)
	if err != nil {
		return err
	}
	if err := setup(ctx, mgr, k, key); err != nil {
		return err
	}
	if err := mgr.Add(certificates); err != nil {
		return fmt.Errorf("adding the certificates: %w", err)
	}
	return mgr.Start(ctx)
}

func scheme() *runtime.Scheme {
	s := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(s))
	utilruntime.Must(v1alpha1.AddToScheme(s))
	return s
}

func newManager(rest *rest.Config, flags managerFlags, certificates *certificate.Manager, k kinds) (ctrl.Manager, error) {
	cached := run.CacheOptions(flags.namespaces)
	run.CacheResource(&cached, k.gcloudRun)
	run.CacheResource(&cached, k.documentFetch)
	run.CacheResource(&cached, k.dataformFileRead)
	mgr, err := ctrl.NewManager(rest, ctrl.Options{
		Scheme:                  scheme(),
		Cache:                   cached,
		Controller:              config.Controller{MaxConcurrentReconciles: concurrentRuns},
		HealthProbeBindAddress:  flags.probes,
		Metrics:                 metrics.Served(flags.metrics, certificates.GetCertificate),
		LeaderElection:          true,
		LeaderElectionID:        leaderLease,
		LeaderElectionNamespace: flags.namespace,
		// The process ends when the manager does, so another replica need not wait.
		LeaderElectionReleaseOnCancel: true,
		WebhookServer: operatorwebhook.Bounded(webhook.NewServer(webhook.Options{
			TLSOpts: []func(*tls.Config){func(c *tls.Config) { c.GetCertificate = certificates.GetCertificate }},
		}), requestPatience),
	})
	if err != nil {
		return nil, fmt.Errorf("making the manager: %w", err)
	}
	return mgr, nil
}

func newCertificates(direct client.Client, namespace string) *certificate.Manager {
	return &certificate.Manager{
		Client: direct,
		Secret: types.NamespacedName{Namespace: namespace, Name: webhookSecret},
		Names: []string{
			webhookService + "." + namespace + ".svc", webhookService + "." + namespace + ".svc.cluster.local",
			metricsService + "." + namespace + ".svc", metricsService + "." + namespace + ".svc.cluster.local",
		},
		Webhook: webhookConfiguration,
		Clock:   clock.RealClock{},
	}
}

// kinds are all kinds under the operator's configuration.
type kinds struct {
	config           configv1alpha1.OperatorConfiguration
	gcloudRun        gcloudrun.Kind
	documentFetch    documentfetch.Kind
	dataformFileRead dataformfileread.Kind
}

func kindsUnder(c configv1alpha1.OperatorConfiguration, sealTo string) kinds {
	return kinds{
		config:           c,
		gcloudRun:        gcloudrun.Kind{Config: c, Policy: operatorconfig.Policy(c.Commands), SealTo: sealTo},
		documentFetch:    documentfetch.Kind{Config: c},
		dataformFileRead: dataformfileread.Kind{Config: c},
	}
}

// setup adds the kinds, their webhooks, and the probes.
func setup(ctx context.Context, mgr ctrl.Manager, k kinds, key sealkey.Pair) error {
	if err := run.IndexMade(ctx, mgr); err != nil {
		return err
	}
	clients, err := kubernetes.NewForConfig(mgr.GetConfig())
	if err != nil {
		return fmt.Errorf("making a client: %w", err)
	}
	open, err := seal.With(key.Identity)
	if err != nil {
		return fmt.Errorf("reading the report key: %w", err)
	}
	logs := run.Logs{Pods: clients.CoreV1(), Open: open}
	turns := &run.Turns{Client: mgr.GetClient(), Clock: clock.RealClock{}, Limit: int(k.config.MaxRunsPerNamespace)}
	gcloudRuns := reconciler(mgr, k.gcloudRun, logs, turns, k.config)
	documentFetches := reconciler(mgr, k.documentFetch, logs, turns, k.config)
	dataformFileReads := reconciler(mgr, k.dataformFileRead, logs, turns, k.config)
	metrics.Register(ctrlmetrics.Registry)
	ctrlmetrics.Registry.MustRegister(metrics.Runs{Elected: mgr.Elected(), Stages: map[string]func(context.Context) ([]metrics.Stage, error){
		k.gcloudRun.Name(): gcloudRuns.Stages, k.documentFetch.Name(): documentFetches.Stages, k.dataformFileRead.Name(): dataformFileReads.Stages,
	}})
	for _, c := range []interface{ SetupWithManager(ctrl.Manager) error }{
		gcloudRuns, documentFetches, dataformFileReads,
		webhookv1alpha1.GcloudRunValidator{Policy: k.gcloudRun.Policy, Pods: k.config.Pods},
		webhookv1alpha1.DocumentFetchValidator{Pods: k.config.Pods},
		webhookv1alpha1.DataformFileReadValidator{Pods: k.config.Pods},
	} {
		if err := c.SetupWithManager(mgr); err != nil {
			return err
		}
	}
	return addProbes(mgr)
}

func reconciler[T run.Object](mgr ctrl.Manager, kind run.Kind[T], logs run.Logs, turns *run.Turns, c configv1alpha1.OperatorConfiguration) *run.Reconciler[T] {
	return &run.Reconciler[T]{
		Client:      metrics.CountWrites(mgr.GetClient()),
		Live:        mgr.GetAPIReader(),
		Logs:        logs,
		Clock:       clock.RealClock{},
		Recorder:    mgr.GetEventRecorder("gcloud-operator"),
		Kind:        kind,
		Turns:       turns,
		InlineBytes: c.Results.InlineBytes,

		ImagePullPatience: c.ImagePullPatience.Duration,
	}
}

// addProbes makes the operator ready only when its webhook listens: before that, an apply would fail.
func addProbes(mgr ctrl.Manager) error {
	if err := mgr.AddHealthzCheck("ping", healthz.Ping); err != nil {
		return fmt.Errorf("adding the health check: %w", err)
	}
	listens := func(r *http.Request) error { return mgr.GetWebhookServer().StartedChecker()(r) }
	if err := mgr.AddReadyzCheck("webhook", listens); err != nil {
		return fmt.Errorf("adding the readiness check: %w", err)
	}
	return nil
}
