// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

// measureMemory prints the operator's resident memory without any runs, and with that many finished
// runs whose output of 100 KiB stands in their status.
func measureMemory(ctx context.Context, runs int, operator string) error {
	lab, err := startLab(ctx)
	if err != nil {
		return err
	}
	defer lab.stop()
	empty, err := lab.residentMemory(ctx, operator)
	if err != nil {
		return err
	}
	if err := makeFinishedRuns(ctx, lab.client, runs); err != nil {
		return err
	}
	full, err := lab.residentMemory(ctx, operator)
	if err != nil {
		return err
	}
	fmt.Printf("operator without runs: %.0f MiB; with %d finished runs of 100 KiB each: %.0f MiB (%.2f x)\n",
		empty, runs, full, full/empty)
	return nil
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

// residentMemory starts the operator, waits until it has looked at everything, and returns its resident
// memory in MiB.
func (l *lab) residentMemory(ctx context.Context, program string) (float64, error) {
	process, err := l.startOperator(ctx, program)
	if err != nil {
		return 0, err
	}
	defer process.stop()
	return settledMemory(ctx, process.Process.Pid)
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
