// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"strings"
	"testing"
)

func TestTheClusterTakesEachSample(t *testing.T) {
	out := kubectl(t, "apply", "--dry-run=server", "--kustomize=../../config/samples")
	if n := strings.Count(out, "(server dry run)"); n < 20 {
		t.Errorf("it takes %d: %s", n, out)
	}
	const words = `Warning: this dry run executes nothing; a run executes ["gcloud" `
	if !strings.Contains(out, words) {
		t.Errorf("it doesn't say %s: %s", words, out)
	}
	kubectl(t, "apply", "--dry-run=server", "--filename=../../config/samples/gitops/runs/create-topic.yaml", "--filename=../../config/samples/gitops/runs/list-topics.yaml")
}
