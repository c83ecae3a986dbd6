// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gcloud-operator/gcloud-operator/test/world"
)

const auditPolicy = `{"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "omitStages": ["RequestReceived", "ResponseStarted"],
	"rules": [{"level": "Metadata", "users": ["operator"]}]}`

// measureRequests prints how often the operator asks the API server for each run, as the server's own
// audit log has it.
func measureRequests(ctx context.Context, runs int, operator string) error {
	lab, err := startLab(ctx)
	if err != nil {
		return err
	}
	defer lab.stop()
	process, err := lab.startOperator(ctx, operator)
	if err != nil {
		return err
	}
	defer process.stop()
	go (&world.World{API: lab.client}).Turn(ctx)
	before, err := lab.audited()
	if err != nil {
		return err
	}
	for i := range runs {
		if err := oneRun(ctx, lab.client, fmt.Sprintf("run-%d", i)); err != nil {
			return err
		}
	}
	time.Sleep(2 * time.Second) // what follows the end
	after, err := lab.audited()
	if err != nil {
		return err
	}
	fmt.Printf("%-48s %8s\n", "the operator's requests for a run", "")
	for _, request := range slices.Sorted(maps.Keys(after)) {
		if n := float64(after[request]-before[request]) / float64(runs); n >= 0.1 {
			fmt.Printf("%-48s %8.2f\n", request, n)
		}
	}
	return nil
}

// oneRun makes a GcloudRun and waits for its end.
func oneRun(ctx context.Context, c client.Client, name string) error {
	run := gcloudVersion(name)
	if err := c.Create(ctx, run); err != nil {
		return err
	}
	for end := time.Now().Add(time.Minute); time.Now().Before(end) && ctx.Err() == nil; time.Sleep(20 * time.Millisecond) {
		if err := c.Get(ctx, client.ObjectKeyFromObject(run), run); err != nil {
			return err
		}
		if finished(run) {
			return nil
		}
	}
	return fmt.Errorf("%s was not done within a minute", name)
}

// audited counts the operator's requests by verb and resource. What it watches, and its Lease, are not for a
// run.
func (l *lab) audited() (map[string]int, error) {
	file, err := os.Open(filepath.Join(l.folder, "audit.log"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	counts := map[string]int{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var event auditv1.Event
		if err := json.Unmarshal(lines.Bytes(), &event); err != nil {
			return nil, err
		}
		if ref := event.ObjectRef; ref != nil && ref.Resource != "leases" && event.Verb != "watch" {
			counts[event.Verb+" "+filepath.Join(ref.Resource, ref.Subresource)]++
		}
	}
	return counts, nil
}
