// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

const operatorNamespace = "gcloud-operator-system"

// lab is an API server of the benchmark's own, which keeps an audit log of what the operator does.
type lab struct {
	client      client.WithWatch
	environment *envtest.Environment
	folder      string
	kubeconfig  string
}

func startLab(ctx context.Context) (*lab, error) {
	folder, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return nil, err
	}
	l := &lab{folder: folder, environment: &envtest.Environment{CRDDirectoryPaths: []string{filepath.Join("config", "crd")}, ErrorIfCRDPathMissing: true}}
	if err := l.start(ctx); err != nil {
		l.stop()
		return nil, err
	}
	return l, nil
}

func (l *lab) start(ctx context.Context) error {
	policy := filepath.Join(l.folder, "policy.json")
	if err := os.WriteFile(policy, []byte(auditPolicy), 0o600); err != nil {
		return err
	}
	l.environment.ControlPlane.GetAPIServer().Configure().
		Set("audit-policy-file", policy).Set("audit-log-path", filepath.Join(l.folder, "audit.log"))
	api, err := l.environment.Start()
	if err != nil {
		return fmt.Errorf("starting the API server: %w", err)
	}
	api.QPS = -1
	if l.client, err = newClient(api); err != nil {
		return err
	}
	if l.kubeconfig, err = writeKubeconfig(l.environment, api, l.folder); err != nil {
		return err
	}
	if err := l.client.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: operatorNamespace}}); err != nil {
		return err
	}
	return l.client.Create(ctx, &admissionv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "gcloud-operator-validating-webhook-configuration"}})
}

func (l *lab) stop() {
	_ = l.environment.Stop()
	_ = os.RemoveAll(l.folder)
}

func writeKubeconfig(environment *envtest.Environment, api *rest.Config, folder string) (string, error) {
	user, err := environment.AddUser(envtest.User{Name: "operator", Groups: []string{"system:masters"}}, api)
	if err != nil {
		return "", err
	}
	text, err := user.KubeConfig()
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, "kubeconfig")
	return path, os.WriteFile(path, text, 0o600)
}

// operator is a process of it that leads.
type operator struct{ *exec.Cmd }

// startOperator starts the operator and waits until it leads.
func (l *lab) startOperator(ctx context.Context, program string) (operator, error) {
	_ = l.client.Delete(ctx, &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: operatorNamespace, Name: "gcloud-operator-leader"}})
	log, err := os.Create(filepath.Join(l.folder, "operator.log"))
	if err != nil {
		return operator{}, err
	}
	defer func() { _ = log.Close() }() // the process has its own
	process := operator{exec.CommandContext(ctx, program, "manager", "--namespace="+operatorNamespace,
		"--config=config/manager/config.yaml", "--health-probe-bind-address=127.0.0.1:18081", "--metrics-bind-address=0")}
	process.Env = append(os.Environ(), "KUBECONFIG="+l.kubeconfig)
	process.Stdout, process.Stderr = log, log
	if err := process.Start(); err != nil {
		return operator{}, fmt.Errorf("starting the operator: %w", err)
	}
	if err := l.awaitLeader(ctx); err != nil {
		process.stop()
		said, _ := os.ReadFile(log.Name())
		return operator{}, fmt.Errorf("%w; it said: %s", err, said)
	}
	return process, nil
}

func (o operator) stop() { _ = o.Process.Kill(); _ = o.Wait() }

func (l *lab) awaitLeader(ctx context.Context) error {
	for end := time.Now().Add(time.Minute); time.Now().Before(end) && ctx.Err() == nil; time.Sleep(200 * time.Millisecond) {
		lease := &coordinationv1.Lease{}
		err := l.client.Get(ctx, types.NamespacedName{Namespace: operatorNamespace, Name: "gcloud-operator-leader"}, lease)
		if err == nil && lease.Spec.HolderIdentity != nil && *lease.Spec.HolderIdentity != "" {
			return nil
		}
	}
	return errors.New("the operator does not lead after a minute")
}
