// SPDX-License-Identifier: Apache-2.0

package rights

import (
	"context"
	"crypto/tls"
	"net/http"
	"path/filepath"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/gcloud-operator/gcloud-operator/controllers/dataformfileread"
	"github.com/gcloud-operator/gcloud-operator/controllers/documentfetch"
	"github.com/gcloud-operator/gcloud-operator/controllers/gcloudrun"
	"github.com/gcloud-operator/gcloud-operator/controllers/run"
	"github.com/gcloud-operator/gcloud-operator/internal/certificate"
	operatorconfig "github.com/gcloud-operator/gcloud-operator/internal/config"
	"github.com/gcloud-operator/gcloud-operator/internal/seal"
	"github.com/gcloud-operator/gcloud-operator/internal/sealkey"
)

// The names of the operator's own objects, which its roles name.
const (
	reportKey            = "gcloud-operator-report-key"
	webhookSecret        = "gcloud-operator-webhook-certificate"
	webhookConfiguration = "gcloud-operator-validating-webhook-configuration"
	leaderLease          = "gcloud-operator-leader"
)

// operator is what the operator's process is made of, acting as a ServiceAccount.
type operator struct {
	home, account string
	tenants       []string
	config        *rest.Config
	api           client.Client // without a cache
	refused       *refusals
	certificates  *certificate.Manager
}

func newOperator(t *testing.T, home, account string, tenants ...string) *operator {
	t.Helper()
	o := &operator{home: home, account: account, tenants: tenants, config: rest.CopyConfig(admin), refused: &refusals{}}
	o.config.Impersonate = rest.ImpersonationConfig{UserName: "system:serviceaccount:" + home + ":" + account}
	o.config.Wrap(o.refused.watch)
	var err error
	o.api, err = client.New(o.config, client.Options{Scheme: scheme})
	must(t, err)
	o.certificates = &certificate.Manager{
		Client: o.api, Secret: types.NamespacedName{Namespace: home, Name: webhookSecret}, Names: []string{"localhost"},
		Webhook: webhookConfiguration, Clock: clock.RealClock{},
	}
	return o
}

// refusals are the requests that the API server refused because their sender may not make them.
type refusals struct {
	mutex sync.Mutex
	said  []string
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func (r *refusals) watch(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(request *http.Request) (*http.Response, error) {
		answer, err := next.RoundTrip(request)
		if err == nil && answer.StatusCode == http.StatusForbidden {
			r.mutex.Lock()
			defer r.mutex.Unlock()
			r.said = append(r.said, request.Method+" "+request.URL.Path)
		}
		return answer, err
	})
}

func (r *refusals) all() []string {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return append([]string{}, r.said...)
}

// key is the operator's key pair.
func (o *operator) key(ctx context.Context) (sealkey.Pair, error) {
	return sealkey.Load(ctx, o.api, types.NamespacedName{Namespace: o.home, Name: reportKey})
}

// controllers returns a manager with the controllers of all kinds.
func (o *operator) controllers(ctx context.Context, options ctrl.Options) (ctrl.Manager, error) {
	configuration, err := operatorconfig.Load(filepath.Join("..", "..", "config", "manager", "config.yaml"))
	if err != nil {
		return nil, err
	}
	key, err := o.key(ctx)
	if err != nil {
		return nil, err
	}
	open, err := seal.With(key.Identity)
	if err != nil {
		return nil, err
	}
	clients, err := kubernetes.NewForConfig(o.config)
	if err != nil {
		return nil, err
	}
	runs := gcloudrun.Kind{Config: configuration, SealTo: key.Recipient}
	documents, files := documentfetch.Kind{Config: configuration}, dataformfileread.Kind{Config: configuration}
	options.Cache = run.CacheOptions(o.tenants)
	run.CacheResource(&options.Cache, runs)
	run.CacheResource(&options.Cache, documents)
	run.CacheResource(&options.Cache, files)
	mgr, err := o.manager(options)
	if err != nil {
		return nil, err
	}
	logs := run.Logs{Pods: clients.CoreV1(), Open: open}
	turns := &run.Turns{Client: mgr.GetClient(), Clock: clock.RealClock{}}
	return mgr, firstError(
		run.IndexMade(ctx, mgr),
		reconciler(mgr, runs, logs, turns).SetupWithManager(mgr),
		reconciler(mgr, documents, logs, turns).SetupWithManager(mgr),
		reconciler(mgr, files, logs, turns).SetupWithManager(mgr),
	)
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func reconciler[T run.Object](mgr ctrl.Manager, kind run.Kind[T], logs run.Logs, turns *run.Turns) *run.Reconciler[T] {
	return &run.Reconciler[T]{
		Client: mgr.GetClient(), Live: mgr.GetAPIReader(), Logs: logs, Clock: clock.RealClock{},
		Recorder: mgr.GetEventRecorder("gcloud-operator"), Kind: kind, Turns: turns, InlineBytes: 1 << 10,
	}
}

func (o *operator) manager(options ctrl.Options) (ctrl.Manager, error) {
	options.Scheme = scheme
	options.Metrics = metricsserver.Options{BindAddress: "0"}
	options.Controller = config.Controller{SkipNameValidation: new(true)} // there are many in the process
	return ctrl.NewManager(o.config, options)
}

func (o *operator) leading() ctrl.Options {
	return ctrl.Options{
		LeaderElection: true, LeaderElectionID: leaderLease, LeaderElectionNamespace: o.home, LeaderElectionReleaseOnCancel: true,
	}
}

// tlsConfig serves the certificate.
func (o *operator) tlsConfig(c *tls.Config) { c.GetCertificate = o.certificates.GetCertificate }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// namespace makes one.
func namespace(t *testing.T, name string) string {
	t.Helper()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
	must(t, cluster.Create(t.Context(), ns))
	return name
}

const patience = time.Minute

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatalf("waited %s in vain: %s", patience, what)
}
