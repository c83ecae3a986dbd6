// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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

func TestRefusalNamesTheResourceAndTheFix(t *testing.T) {
	_, err := GcloudRunValidator{}.validator().ValidateCreate(t.Context(), resource("my-project"))
	want := `GcloudRun.gcloud-operator.dev "list" is invalid: spec.project: Invalid value: "my-project": "my-project" is not of the form projects/PROJECT_ID. Write projects/my-project. (ProjectFormat)`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
