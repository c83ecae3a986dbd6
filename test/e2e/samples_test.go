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
	kubectl(t, "apply", "--dry-run=server", "--filename=../../config/samples/gitops/runs/create-topic.yaml", "--filename=../../config/samples/gitops/runs/list-topics.yaml")
}
