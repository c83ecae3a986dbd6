// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	configv1alpha1 "github.com/gcloud-operator/gcloud-operator/api/config/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

func TestAnImageThatCannotBePulledIsTriedAgainInAnotherJobAndThenGivenUp(t *testing.T) {
	p := serveTopics(t)
	registry := httptest.NewServer(http.NotFoundHandler()) // the container runtime asks it without TLS, since it is on its own machine
	defer registry.Close()
	image := strings.TrimPrefix(registry.URL, "http://") + "/gcloud:none"
	defer underConfiguration(t, func(c *configv1alpha1.OperatorConfiguration) {
		c.Gcloud.Image = image
		c.ImagePullPatience = &metav1.Duration{Duration: 4 * time.Second}
	})()
	b := gcloudRun("image", describe("image"))
	b.Spec.Retry = v1alpha1.CommandRetry{Retry: v1alpha1.Retry{Limit: new(int32(1)), Backoff: &metav1.Duration{Duration: time.Second}}}
	b.apply(t)
	first := b.waitsFor(t, v1alpha1.ReasonImagePullFailed, "The image "+image, "operator's configuration", "not found").Status.Run
	g := b.ended(t, 1)

	expectReason(t, g, v1alpha1.ReasonImagePullFailed)
	expectHistory(t, g, "1.2 ImagePullFailed, 1 ImagePullFailed")
	expectNeverStarted(t, g)
	p.expectExecutions(t, "image", 0)
	if first.Attempt != 1 || first.JobName == g.Status.Run.JobName {
		t.Errorf("attempt %d was Job %s, and the last Job %s", first.Attempt, first.JobName, g.Status.Run.JobName)
	}
	eventually(t, "both Jobs are gone", func() bool {
		var jobs batchv1.JobList
		must(t, cluster.List(t.Context(), &jobs, client.InNamespace(namespace), client.MatchingLabels{v1alpha1.OwnerUIDLabel: string(g.UID)}))
		return len(jobs.Items) == 0
	})
}

// A cluster is made anew from Git: the operator meets what ran elsewhere, and has no status of it.
func TestAnOperatorThatHoldsWhatIsNewRunsItOnlyWhenItIsAskedTo(t *testing.T) {
	p := serveTopics(t)
	known := gcloudRun("known", describe("known")).apply(t)
	known.ended(t, 1)
	defer underConfiguration(t, func(c *configv1alpha1.OperatorConfiguration) { c.NewObjects = configv1alpha1.Hold })()
	b := gcloudRun("held", describe("held"))
	b.Annotations = map[string]string{v1alpha1.RequestedAtAnnotation: "a time that stands in Git"}
	b.apply(t)
	expectContains(t, "the message", messageOf(b.says(t, v1alpha1.ReasonHeld)), v1alpha1.RequestedAtAnnotation)

	known.command(t, describe("known-edited"))
	expectHistory(t, known.ended(t, 2), "2 Succeeded, 1 Succeeded")
	p.expectExecutions(t, "known", 1)
	p.expectExecutions(t, "held", 0)
	b.says(t, v1alpha1.ReasonHeld)
	b.annotate(t, v1alpha1.RequestedAtAnnotation, "now")
	expectReason(t, b.ended(t, 1), v1alpha1.ReasonSucceeded)
	p.expectExecutions(t, "held", 1)
	b.command(t, describe("held-edited"))
	b.ended(t, 2)
}
