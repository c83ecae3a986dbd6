// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"flag"
	"fmt"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"

	configv1alpha1 "github.com/gcloud-operator/gcloud-operator/api/config/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/command"
	"github.com/gcloud-operator/gcloud-operator/internal/command/commandtest"
	"github.com/gcloud-operator/gcloud-operator/test/standin"
)

// argvRuns is a hundred because each is a pod: enough for each odd piece to come up several times.
var argvRuns = flag.Int("argv-runs", 100, "how many random commands are followed from admission to the process in the pod")

const (
	// standInImage has a gcloud that prints the words it gets (make cluster-stand-in).
	standInImage = "gcloud:stand-in"
	// atOnce is how many of its pods a node takes beside others.
	atOnce = 50
)

func TestTheProcessInThePodGetsExactlyTheWordsThatWereAdmitted(t *testing.T) {
	defer underConfiguration(t, runStandIn)()
	var batch []builder
	admitted, refused := 0, 0
	for line := range commandtest.Lines(2) {
		if admitted == *argvRuns {
			break
		}
		g := gcloudRun(fmt.Sprintf("argv-%d", admitted), line)
		err := cluster.Create(t.Context(), g.GcloudRun)
		if apierrors.IsInvalid(err) {
			refused++
			continue
		} else if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		admitted++
		if batch = append(batch, g); len(batch) == atOnce || admitted == *argvRuns {
			expectSameWords(t, batch)
			batch = nil
		}
	}
	t.Logf("%d admitted commands were followed to their pods; %d others were refused", admitted, refused)
}

// runStandIn has the operator run the stand-in, which needs little.
func runStandIn(c *configv1alpha1.OperatorConfiguration) {
	little := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1m"), corev1.ResourceMemory: resource.MustParse("64Mi")}
	c.Gcloud.Image = standInImage
	c.Gcloud.Resources = corev1.ResourceRequirements{Requests: little, Limits: corev1.ResourceList{corev1.ResourceMemory: little[corev1.ResourceMemory]}}
}

// expectSameWords waits for the runs' ends, and compares what the processes got with the status and
// the parser. The runs' resources are deleted.
func expectSameWords(t *testing.T, runs []builder) {
	t.Helper()
	for _, r := range runs {
		g := r.finished(t)
		expectEnd(t, g, v1alpha1.ReasonSucceeded, 0)
		parsed, _ := command.Parse(g.Spec.Command)
		got, err := standin.Read(whole(t, g.Status.Response.Stdout, g.Status.Response.StdoutInfo))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(g.Status.Argv, parsed.Argv) {
			t.Errorf("%s: the status says %q, the parser %q", g.Spec.Command, g.Status.Argv, parsed.Argv)
		}
		if !slices.Equal(got, g.Status.Argv) {
			t.Errorf("%s: the process got %q, the status says %q", g.Spec.Command, got, g.Status.Argv)
		}
		if err := cluster.Delete(t.Context(), g); err != nil {
			t.Fatal(err)
		}
	}
}
