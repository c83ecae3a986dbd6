// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

func TestWhatRunsAgainAndWhatDoesNot(t *testing.T) {
	p := serveTopics(t)
	stories(t, map[string]func(*testing.T){
		"an edit, and its revert, run each": func(t *testing.T) {
			b := gcloudRun("reverted", describe("revert-a")).apply(t)
			first := b.ended(t, 1)
			b.command(t, describe("revert-b"))
			second := b.ended(t, 2)
			b.command(t, describe("revert-a"))
			third := b.ended(t, 3)

			p.expectExecutions(t, "revert-a", 2)
			p.expectExecutions(t, "revert-b", 1)
			expectHistory(t, third, "3 Succeeded, 2 Succeeded, 1 Succeeded")
			if first.Status.ResultHash == second.Status.ResultHash || first.Status.ResultHash != third.Status.ResultHash {
				t.Errorf("the hashes of the results are %s, %s, %s", first.Status.ResultHash, second.Status.ResultHash, third.Status.ResultHash)
			}
		},
		"the same once more, and edits of what doesn't decide, run nothing": func(t *testing.T) {
			manifest := fmt.Sprintf("apiVersion: gcloud-operator.dev/v1alpha1\nkind: GcloudRun\nmetadata: {name: same}\n"+
				"spec: {project: projects/my-project, command: %q}\n", describe("same"))
			if output, err := kubectlApply(t, manifest); err != nil {
				t.Fatal(output)
			}
			b := gcloudRun("same", describe("same"))
			b.ended(t, 1)
			if output, err := kubectlApply(t, manifest); err != nil || !strings.Contains(output, "unchanged") {
				t.Errorf("the same once more: %v, %s", err, output)
			}
			kubectl(t, "label", "gcloudrun", b.Name, "team=blue")
			b.edit(t, func(g *v1alpha1.GcloudRun) { g.Spec.Suspend = true })
			b.ended(t, 1)
			b.edit(t, func(g *v1alpha1.GcloudRun) {
				g.Spec.Suspend, g.Spec.Timeout, g.Spec.OutputFiles = false, &metav1.Duration{Duration: time.Hour}, []string{"*.csv"}
			})
			expectHistory(t, b.ended(t, 1), "1 Succeeded")
			p.expectExecutions(t, "same", 1)
		},
		"a request runs the same again, and tells whether the result has changed": func(t *testing.T) {
			b := gcloudRun("requested", describe("requested")).apply(t)
			first := b.ended(t, 1)
			b.annotate(t, v1alpha1.RequestedAtAnnotation, "today")
			second := b.ended(t, 2)
			p.set("requested", "another")
			b.annotate(t, v1alpha1.FluxRequestedAtAnnotation, "tomorrow")
			third := b.ended(t, 3)

			p.expectExecutions(t, "requested", 3)
			if second.Status.LastHandledRequest != "today" || third.Status.LastHandledReconcileAt != "tomorrow" {
				t.Errorf("of what was asked for was handled %q and %q", second.Status.LastHandledRequest, third.Status.LastHandledReconcileAt)
			}
			if second.Status.ResultHash != first.Status.ResultHash || !second.Status.LastChangedTime.Equal(first.Status.LastChangedTime) {
				t.Errorf("the same result counts as another: %+v, then %+v", first.Status.RunStatus, second.Status.RunStatus)
			}
			if third.Status.ResultHash == first.Status.ResultHash || !third.Status.LastChangedTime.After(first.Status.LastChangedTime.Time) {
				t.Errorf("another result counts as the same: %+v, then %+v", first.Status.RunStatus, third.Status.RunStatus)
			}
		},
		"an edit while one runs lets it end, and runs the newest only": func(t *testing.T) {
			letGo := p.hold("edited-a")
			b := gcloudRun("edited", describe("edited-a")).apply(t)
			p.awaitRunning(t, "edited-a")
			b.command(t, describe("edited-b"))
			b.command(t, describe("edited-c"))
			letGo()

			g := b.ended(t, 2)
			expectHistory(t, g, "2 Succeeded, 1 Succeeded")
			expectContains(t, "stdout", g.Status.Response.Stdout, "topics/edited-c")
			p.expectExecutions(t, "edited-a", 1)
			p.expectExecutions(t, "edited-b", 0)
			p.expectExecutions(t, "edited-c", 1)
		},
		"what is suspended waits, and lets what runs end": func(t *testing.T) {
			letGo := p.hold("suspended-a")
			b := gcloudRun("suspended", describe("suspended-a")).apply(t)
			p.awaitRunning(t, "suspended-a")
			b.edit(t, func(g *v1alpha1.GcloudRun) { g.Spec.Suspend, g.Spec.Command = true, describe("suspended-b") })
			letGo()
			expectHistory(t, b.says(t, v1alpha1.ReasonSuspended), "1 Succeeded")
			p.expectExecutions(t, "suspended-b", 0)
			b.edit(t, func(g *v1alpha1.GcloudRun) { g.Spec.Suspend = false })
			b.ended(t, 2)
			p.expectExecutions(t, "suspended-b", 1)
		},
	})
}

func TestRunsAreTriedAgainAsTheSpecSays(t *testing.T) {
	p := serveTopics(t)
	failing := func(name string, times int) builder {
		p.miss(name, times)
		b := gcloudRun(name, describe(name))
		b.Spec.Retry.Backoff = &metav1.Duration{Duration: time.Second}
		return b
	}
	stories(t, map[string]func(*testing.T){
		"a command that failed isn't, unless the spec says so": func(t *testing.T) {
			g := failing("not-retried", 1).run(t)
			expectEnd(t, g, v1alpha1.ReasonCommandFailed, 1)
			p.expectExecutions(t, "not-retried", 1)
		},
		"a command that may fail is tried again until it succeeds": func(t *testing.T) {
			b := failing("retried", 2)
			b.Spec.Retry.Reasons = []string{v1alpha1.ReasonCommandFailed}
			g := b.run(t)
			expectEnd(t, g, v1alpha1.ReasonSucceeded, 0)
			expectHistory(t, g, "1.3 Succeeded, 1.2 CommandFailed, 1 CommandFailed")
			p.expectExecutions(t, "retried", 3)
		},
		"and no more often than the limit": func(t *testing.T) {
			b := failing("limited", 10)
			b.Spec.Retry.Reasons, b.Spec.Retry.Limit = []string{v1alpha1.ReasonCommandFailed}, new(int32(1))
			g := b.run(t)
			expectEnd(t, g, v1alpha1.ReasonCommandFailed, 1)
			expectHistory(t, g, "1.2 CommandFailed, 1 CommandFailed")
			p.expectExecutions(t, "limited", 2)
		},
		"an exit code that counts as success is one": func(t *testing.T) {
			b := failing("expected", 1)
			b.Spec.SuccessExitCodes = []int32{0, 1}
			g := b.run(t)
			expectEnd(t, g, v1alpha1.ReasonSucceeded, 1)
			expectContains(t, "the message", messageOf(g), "exit code 1", "spec.successExitCodes")
		},
	})
}

func TestWhatIsStoppedKeepsWhatItPrinted(t *testing.T) {
	p := serveTopics(t)
	running := func(t *testing.T, name string) builder {
		p.hold(name)
		b := gcloudRun(name, describe(name)+" --verbosity=debug").inputFile("in", "put").apply(t)
		p.awaitRunning(t, name)
		return b
	}
	const printed = "DEBUG: Running [gcloud.pubsub.topics.describe]"
	stories(t, map[string]func(*testing.T){
		"a run that is cancelled, and the next one isn't": func(t *testing.T) {
			b := running(t, "cancelled")
			b.annotate(t, v1alpha1.CancelRunAnnotation, "1")
			g := b.ended(t, 1)
			expectEnd(t, g, v1alpha1.ReasonCancelled, 130)
			expectContains(t, "stderr", g.Status.Response.Stderr, printed)
			expectContains(t, "the message", messageOf(g), v1alpha1.CancelRunAnnotation, "may have acted")

			p.hold("cancelled")()
			b.annotate(t, v1alpha1.RequestedAtAnnotation, "again")
			expectHistory(t, b.ended(t, 2), "2 Succeeded, 1 Cancelled")
		},
		"a run that was cancelled before its start, which never begins": func(t *testing.T) {
			b := gcloudRun("cancelled-before", describe("cancelled-before"))
			b.Annotations = map[string]string{v1alpha1.CancelRunAnnotation: "1"}
			g := b.run(t)
			expectReason(t, g, v1alpha1.ReasonCancelled)
			expectNeverStarted(t, g)
			p.expectExecutions(t, "cancelled-before", 0)
		},
		"a run whose resource is deleted, and nothing else is left of it": func(t *testing.T) {
			b := running(t, "deleted")
			pod := b.pod(t)
			if len(processesOf(t, pod.UID)) == 0 {
				t.Fatal("no process of the pod was found: this shows nothing")
			}
			must(t, cluster.Delete(t.Context(), b.GcloudRun))
			eventually(t, "nothing is left", func() bool { return len(processesOf(t, pod.UID)) == 0 && len(leftOf(t, b)) == 0 })
		},
	})
}

// processesOf returns what runs of the pod on the node, by the cgroup that it is in.
func processesOf(t *testing.T, pod types.UID) []string {
	t.Helper()
	groups, err := filepath.Glob("/proc/[0-9]*/cgroup")
	must(t, err)
	var found []string
	for _, path := range groups {
		if group, err := os.ReadFile(path); err == nil && strings.Contains(string(group), string(pod)) {
			found = append(found, path)
		}
	}
	return found
}

// leftOf returns what the operator made for the resource and is there still.
func leftOf(t *testing.T, b builder) []string {
	t.Helper()
	var found []string
	for _, list := range []client.ObjectList{&batchv1.JobList{}, &corev1.PodList{}, &corev1.ConfigMapList{}} {
		must(t, cluster.List(t.Context(), list, client.InNamespace(b.Namespace), client.MatchingLabels{v1alpha1.OwnerUIDLabel: string(b.UID)}))
		must(t, meta.EachListItem(list, func(o runtime.Object) error {
			found = append(found, o.(client.Object).GetName())
			return nil
		}))
	}
	return found
}
