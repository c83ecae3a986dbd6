// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"os/exec"
	"strings"
	"testing"

	registrationv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

func TestWhatMustNotRunIsRefusedWithTheFix(t *testing.T) {
	for _, c := range []struct {
		name     string
		resource builder
		wants    []string
	}{
		{"a forbidden group", gcloudRun("refused", "gcloud auth list"), []string{"spec.command", "auth", "forbidden"}},
		{"a forbidden group in the beta track", gcloudRun("refused", "gcloud beta config list"), []string{"spec.command", "config", "forbidden"}},
		{"another program", gcloudRun("refused", "kubectl get pods"), []string{"spec.command", "gcloud"}},
		{"a path that leaves the working directory",
			gcloudRun("refused", "gcloud version --project=p").inputFile("a/../../etc/passwd", ""),
			[]string{"spec.inputFiles[0].path", "relative to the working directory"}},
		{"a project without projects/", inProject("my-project"), []string{"spec.project", "projects/my-project"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := cluster.Create(t.Context(), c.resource.GcloudRun)
			if !apierrors.IsInvalid(err) {
				t.Fatalf("it was not refused as invalid: %v", err)
			}
			expectContains(t, "the message", err.Error(), c.wants...)
		})
	}
}

func inProject(project string) builder {
	b := gcloudRun("refused", "gcloud version --project=my-project")
	b.Spec.Project = project
	return b
}

// kubectlApply applies a manifest as a user does, and returns all that kubectl says.
func kubectlApply(t *testing.T, manifest string) (output string, err error) {
	t.Helper()
	apply := exec.CommandContext(t.Context(), "kubectl", "apply", "--namespace="+namespace, "--filename=-")
	apply.Stdin = strings.NewReader(manifest)
	text, err := apply.CombinedOutput()
	return string(text), err
}

func TestKubectlShowsAllViolationsOfAManifestAtOnce(t *testing.T) {
	output, err := kubectlApply(t, `
apiVersion: gcloud-operator.dev/v1alpha1
kind: GcloudRun
metadata:
  name: many-mistakes
spec:
  project: projects/my-project
  command: gcloud compute instances lst --zone us-central1-a --formt=json --account=me
`)
	if err == nil {
		t.Fatalf("it was applied: %s", output)
	}
	expectContains(t, "kubectl's answer", output, "UnknownCommand", "gcloud compute instances list", "ProjectRequired", "UnsafeFlag")

	output, err = kubectlApply(t, `
apiVersion: gcloud-operator.dev/v1alpha1
kind: GcloudRun
metadata:
  name: many-mistakes
spec:
  project: projects/my-project
  command: gcloud compute instances list --limit 5 --formt=json --account=me --project=my-project
`)
	if err == nil {
		t.Fatalf("it was applied: %s", output)
	}
	expectContains(t, "kubectl's answer", output, "FlagEquals", "--limit=5", "UnknownFlag", "--format", "UnsafeFlag", "--account")
}

func TestKubectlShowsAWarningAsAWarning(t *testing.T) {
	output, err := kubectlApply(t, `
apiVersion: gcloud-operator.dev/v1alpha1
kind: GcloudRun
metadata:
  name: warned
spec:
  project: projects/my-project
  suspend: true
  command: gcloud version --project=PROJECT_ID
`)
	if err != nil {
		t.Fatalf("it was refused: %s", output)
	}
	expectContains(t, "kubectl's answer", output, "Warning: spec.command: ", "Placeholder", "gcloudrun.gcloud-operator.dev/warned created")
}

func TestWhatIsSmuggledPastTheWebhookIsNotRun(t *testing.T) {
	withoutWebhook(t, func() {
		g := gcloudRun("smuggled", "gcloud auth print-access-token").run(t)

		expectReason(t, g, v1alpha1.ReasonInvalidSpec)
		if g.Status.Run != nil {
			t.Errorf("a run began: %+v", g.Status.Run)
		}
	})
}

// withoutWebhook keeps the webhook away from the tests' namespace while f runs.
func withoutWebhook(t *testing.T, f func()) {
	t.Helper()
	setSelector := func(change func(*metav1.LabelSelectorRequirement)) {
		configuration := &registrationv1.ValidatingWebhookConfiguration{}
		name := types.NamespacedName{Name: "gcloud-operator-validating-webhook-configuration"}
		if err := cluster.Get(context.Background(), name, configuration); err != nil {
			t.Fatal(err)
		}
		before := configuration.DeepCopy()
		for i := range configuration.Webhooks {
			change(&configuration.Webhooks[i].NamespaceSelector.MatchExpressions[0])
		}
		if err := cluster.Patch(context.Background(), configuration, client.MergeFrom(before)); err != nil {
			t.Fatal(err)
		}
	}
	setSelector(func(r *metav1.LabelSelectorRequirement) { r.Values = append(r.Values, namespace) })
	defer setSelector(func(r *metav1.LabelSelectorRequirement) { r.Values = r.Values[:len(r.Values)-1] })
	eventually(t, "the API server asks no more", func() bool {
		return cluster.Create(t.Context(), gcloudRun("probe", "gcloud auth list").GcloudRun, client.DryRunAll) == nil
	})
	f()
}
