// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
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
