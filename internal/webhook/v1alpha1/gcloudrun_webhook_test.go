// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"slices"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/command"
)

func resource(project string) *v1alpha1.GcloudRun {
	return &v1alpha1.GcloudRun{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "list"},
		Spec:       v1alpha1.GcloudRunSpec{Project: project, Command: "gcloud compute instances list --project=my-project"},
	}
}

func onItsWayOut(g *v1alpha1.GcloudRun) *v1alpha1.GcloudRun {
	g.DeletionTimestamp = new(metav1.NewTime(time.Unix(0, 0)))
	return g
}

func TestWhatIsAdmitted(t *testing.T) {
	const good, bad = "projects/my-project", "my-project"
	enforce := GcloudRunValidator{}
	warn := GcloudRunValidator{Policy: command.Policy{Modes: map[command.Rule]command.Mode{command.ProjectFormat: command.Warn}}}
	create := func(v GcloudRunValidator, g *v1alpha1.GcloudRun) func() ([]string, error) {
		return func() ([]string, error) { return v.validator().ValidateCreate(t.Context(), g) }
	}
	update := func(v GcloudRunValidator, old, g *v1alpha1.GcloudRun) func() ([]string, error) {
		return func() ([]string, error) { return v.validator().ValidateUpdate(t.Context(), old, g) }
	}
	for name, c := range map[string]struct {
		ask      func() ([]string, error)
		refused  bool
		warnings int
	}{
		"a new one that breaks no rule":                     {create(enforce, resource(good)), false, 0},
		"a new one that breaks a rule":                      {create(enforce, resource(bad)), true, 0},
		"a new one that breaks a rule which only warns":     {create(warn, resource(bad)), false, 1},
		"an edit that breaks a rule":                        {update(enforce, resource(good), resource(bad)), true, 0},
		"an edit that breaks a rule which only warns":       {update(warn, resource(good), resource(bad)), false, 1},
		"an edit that mends it":                             {update(enforce, resource(bad), resource(good)), false, 0},
		"an edit of one on its way out, whatever its rules": {update(enforce, resource(bad), onItsWayOut(resource(bad))), false, 0},
		"a deletion, whatever its rules":                    {func() ([]string, error) { return enforce.validator().ValidateDelete(t.Context(), resource(bad)) }, false, 0},
	} {
		warnings, err := c.ask()
		if apierrors.IsInvalid(err) != c.refused || (err != nil) != c.refused || len(warnings) != c.warnings {
			t.Errorf("%s: got %v, warnings %q", name, err, warnings)
		}
	}
}

func TestADryRunIsToldWhatARunExecutes(t *testing.T) {
	said := `this dry run executes nothing; a run executes ["gcloud" "compute" "instances" "list" "--project=my-project"]`
	for name, c := range map[string]struct {
		dryRun   *bool
		resource *v1alpha1.GcloudRun
		want     []string
	}{
		"a dry run":                          {new(true), resource("projects/my-project"), []string{said}},
		"a dry run of what is refused":       {new(true), resource("my-project"), nil},
		"a request that isn't one":           {new(false), resource("projects/my-project"), nil},
		"a request that says nothing of one": {nil, resource("projects/my-project"), nil},
	} {
		request := admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{DryRun: c.dryRun}}
		ctx := admission.NewContextWithRequest(t.Context(), request)
		if got, _ := (GcloudRunValidator{}).validator().ValidateCreate(ctx, c.resource); !slices.Equal(got, c.want) {
			t.Errorf("%s, created: got %q, want %q", name, got, c.want)
		}
		if got, _ := (GcloudRunValidator{}).validator().ValidateUpdate(ctx, c.resource, c.resource); !slices.Equal(got, c.want) {
			t.Errorf("%s, changed: got %q, want %q", name, got, c.want)
		}
	}
}

func TestRefusalNamesTheResourceAndTheFix(t *testing.T) {
	_, err := GcloudRunValidator{}.validator().ValidateCreate(t.Context(), resource("my-project"))
	want := `GcloudRun.gcloud-operator.dev "list" is invalid: spec.project: Invalid value: "my-project": "my-project" is not of the form projects/PROJECT_ID. Write projects/my-project. (ProjectFormat)`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
