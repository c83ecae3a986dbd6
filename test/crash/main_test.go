// SPDX-License-Identifier: Apache-2.0

// Package crash stops the controller at every write that it makes on every path through the life of a
// run, against a real API server, and looks whether the command was still executed at most once, the
// state converges, and no result is lost.
package crash

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/kubernetes"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/controllers/run"
)

var (
	// api is the API server, without a cache.
	api client.WithWatch
	// logs are those of pods, of which none has any.
	logs run.Logs
	// kubectl is the real one, for that server.
	kubectl func(args ...string) (stdout, stderr io.Reader, err error)
)

func TestMain(m *testing.M) {
	code, err := runTests(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "crash:", err)
		code = 1
	}
	os.Exit(code)
}

func runTests(m *testing.M) (code int, err error) {
	ctrl.SetLogger(zap.New(zap.WriteTo(io.Discard))) // of controllers that are killed at every write
	scheme := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(scheme))
	utilruntime.Must(v1alpha1.AddToScheme(scheme))
	environment := &envtest.Environment{
		CRDDirectoryPaths: []string{filepath.Join("..", "..", "config", "crd")}, ErrorIfCRDPathMissing: true, Scheme: scheme,
	}
	config, err := environment.Start()
	if err != nil {
		return 0, fmt.Errorf("starting the API server: %w", err)
	}
	defer func() { _ = environment.Stop() }() // the process ends next
	config.QPS = -1
	if api, err = client.NewWithWatch(config, client.Options{Scheme: scheme}); err != nil {
		return 0, err
	}
	clients, err := kubernetes.NewForConfig(config)
	if err != nil {
		return 0, err
	}
	logs.Pods = clients.CoreV1()
	admin, err := environment.AddUser(envtest.User{Name: "admin", Groups: []string{"system:masters"}}, nil)
	if err != nil {
		return 0, err
	}
	program, err := admin.Kubectl()
	if err != nil {
		return 0, err
	}
	kubectl = program.Run
	return m.Run(), nil
}
