// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const operatorNamespace = "gcloud-operator-system"

var operatorLabels = client.MatchingLabels{"app.kubernetes.io/name": "gcloud-operator"}

// killOperator kills the operator, every replica of it, and does away with its pods and its lease, so
// that the test need not wait until the kubelet starts it again and the lease runs out.
func killOperator() error {
	pids, err := operatorProcesses()
	if err != nil {
		return err
	}
	for _, pid := range pids {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("killing the operator: %w", err)
		}
	}
	go func() {
		ctx := context.Background()
		_ = cluster.DeleteAllOf(ctx, &corev1.Pod{}, client.InNamespace(operatorNamespace), operatorLabels, client.GracePeriodSeconds(0))
		time.Sleep(100 * time.Millisecond)
		_ = cluster.DeleteAllOf(ctx, &coordinationv1.Lease{}, client.InNamespace(operatorNamespace))
	}()
	return nil
}

// operatorProcesses finds this cluster's operator among the processes of the machine that is the node.
func operatorProcesses() ([]int, error) {
	var pods corev1.PodList
	if err := cluster.List(context.Background(), &pods, client.InNamespace(operatorNamespace), operatorLabels); err != nil {
		return nil, fmt.Errorf("looking for the operator's pods: %w", err)
	}
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		return nil, err
	}
	var pids []int
	for _, path := range lines {
		folder := filepath.Dir(path)
		line, _ := os.ReadFile(path) // empty for one that has ended meanwhile
		groups, _ := os.ReadFile(filepath.Join(folder, "cgroup"))
		if !strings.HasPrefix(string(line), "/operator\x00manager") || !containsPod(string(groups), pods.Items) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(folder))
		if err != nil {
			return nil, err
		}
		pids = append(pids, pid)
	}
	if len(pids) == 0 {
		return nil, errors.New("no process of the operator runs here")
	}
	return pids, nil
}

// containsPod says whether a process with these cgroups is one of a pod's.
func containsPod(cgroups string, pods []corev1.Pod) bool {
	for i := range pods {
		if strings.Contains(cgroups, string(pods[i].UID)) {
			return true
		}
	}
	return false
}

func killKubelet() error { return devcluster("kill", "kubelet") }

func stopKubelet() error { return devcluster("stop", "kubelet") }

func startKubelet() error { return devcluster("start", "kubelet") }

// underKubeletOption gives the kubelet a line more of configuration. What it returns takes it away.
func underKubeletOption(t *testing.T, option string) (restore func()) {
	t.Helper()
	path := filepath.Join(filepath.Dir(os.Getenv("KUBECONFIG")), "config", "kubelet.yaml")
	original, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	use := func(text []byte) {
		if err := errors.Join(os.WriteFile(path, text, 0o644), devcluster("kill", "kubelet")); err != nil {
			t.Error(err)
		}
	}
	use(append(slices.Clip(original), option+"\n"...))
	return sync.OnceFunc(func() { use(original) })
}

// losePod removes the pod's containers behind the kubelet's back.
func losePod(uid types.UID) error { return devcluster("lose-pod", string(uid)) }

// losePodAndDisk removes the pod's containers and volumes behind the kubelet's back.
func losePodAndDisk(uid types.UID) error { return devcluster("lose-pod", "--volumes", string(uid)) }

// devcluster works on the node that the tests run beside.
func devcluster(args ...string) error {
	program := os.Getenv("DEVCLUSTER")
	if program == "" {
		return errors.New("run this by `devcluster exec`: DEVCLUSTER is not set")
	}
	if out, err := exec.Command(program, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("devcluster %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return nil
}
