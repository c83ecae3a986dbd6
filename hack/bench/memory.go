// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

const operatorNamespace = "gcloud-operator-system"

// measureMemory prints the operator's resident memory without any runs, and with that many finished
// runs whose output of 100 KiB stands in their status.
func measureMemory(ctx context.Context, runs int, operator string) error {
	environment := &envtest.Environment{CRDDirectoryPaths: []string{filepath.Join("config", "crd")}, ErrorIfCRDPathMissing: true}
	api, err := environment.Start()
	if err != nil {
		return fmt.Errorf("starting the API server: %w", err)
	}
	defer func() { _ = environment.Stop() }()
	api.QPS = -1
	c, err := newClient(api)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	kubeconfig, err := writeKubeconfig(environment, api, folder)
	if err != nil {
		return err
	}
	if err := c.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: operatorNamespace}}); err != nil {
		return err
	}
	empty, err := residentMemory(ctx, c, operator, kubeconfig, folder)
	if err != nil {
		return err
	}
	if err := makeFinishedRuns(ctx, c, runs); err != nil {
		return err
	}
	full, err := residentMemory(ctx, c, operator, kubeconfig, folder)
	if err != nil {
		return err
	}
	fmt.Printf("operator without runs: %.0f MiB; with %d finished runs of 100 KiB each: %.0f MiB (%.2f x)\n",
		empty, runs, full, full/empty)
	return nil
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

// makeFinishedRuns makes resources as they are when their run has ended. Their keys are none that the
// operator would compute, and they are suspended, so that it leaves them as they are.
func makeFinishedRuns(ctx context.Context, c client.Client, runs int) error {
	stdout := strings.Repeat("0123456789abcde\n", 100<<10/16)
	for i := range runs {
		g := &v1alpha1.GcloudRun{
			ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: fmt.Sprintf("run-%05d", i)},
			Spec:       v1alpha1.GcloudRunSpec{Project: "projects/my-project", Command: "gcloud version --project=my-project", Suspend: true},
		}
		if err := c.Create(ctx, g); err != nil {
			return err
		}
		g.Status.Run = &v1alpha1.Run{Number: 1, Key: "key", Attempt: 1, JobName: g.Name, QueuedTime: metav1.Now(), CompletionTime: new(metav1.Now()), Reason: v1alpha1.ReasonSucceeded}
		g.Status.Response = &v1alpha1.Response{Run: 1, ExitCode: new(int64(0)), Stdout: stdout, StdoutInfo: v1alpha1.Stored{Bytes: int64(len(stdout)), SHA256: "0"}}
		if err := c.Status().Update(ctx, g); err != nil {
			return err
		}
	}
	return nil
}

// residentMemory starts the operator, waits until it leads and has looked at everything, and returns
// its resident memory in MiB.
func residentMemory(ctx context.Context, c client.Client, operator, kubeconfig, folder string) (float64, error) {
	_ = c.Delete(ctx, &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: operatorNamespace, Name: "gcloud-operator-leader"}})
	_ = c.Create(ctx, &admissionv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "gcloud-operator-validating-webhook-configuration"}})
	log, err := os.Create(filepath.Join(folder, "operator.log"))
	if err != nil {
		return 0, err
	}
	defer func() { _ = log.Close() }()
	process := exec.CommandContext(ctx, operator, "manager", "--namespace="+operatorNamespace,
		"--config=config/manager/config.yaml", "--health-probe-bind-address=127.0.0.1:18081")
	process.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig)
	process.Stdout, process.Stderr = log, log
	if err := process.Start(); err != nil {
		return 0, fmt.Errorf("starting the operator: %w", err)
	}
	defer func() { _ = process.Process.Kill(); _ = process.Wait() }()
	if err := awaitLeader(ctx, c); err != nil {
		said, _ := os.ReadFile(log.Name())
		return 0, fmt.Errorf("%w; it said: %s", err, said)
	}
	return settledMemory(ctx, process.Process.Pid)
}

func awaitLeader(ctx context.Context, c client.Client) error {
	for end := time.Now().Add(time.Minute); time.Now().Before(end) && ctx.Err() == nil; time.Sleep(200 * time.Millisecond) {
		lease := &coordinationv1.Lease{}
		err := c.Get(ctx, types.NamespacedName{Namespace: operatorNamespace, Name: "gcloud-operator-leader"}, lease)
		if err == nil && lease.Spec.HolderIdentity != nil && *lease.Spec.HolderIdentity != "" {
			return nil
		}
	}
	return fmt.Errorf("the operator does not lead after a minute")
}

// settledMemory returns the largest resident memory that the process has within half a minute: its
// peak is when its cache is filled.
func settledMemory(ctx context.Context, pid int) (float64, error) {
	time.Sleep(30 * time.Second)
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, fmt.Errorf("the operator has ended: %w", err)
	}
	var peak int
	for line := range strings.SplitSeq(string(status), "\n") {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			if _, err := fmt.Sscan(rest, &peak); err != nil {
				return 0, err
			}
		}
	}
	return float64(peak) / 1024, nil
}
