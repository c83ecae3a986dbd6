// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	configv1alpha1 "github.com/gcloud-operator/gcloud-operator/api/config/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/command"
)

// resource returns a resource that breaks no rule, changed.
func resource(changes ...func(*v1alpha1.GcloudRun)) *v1alpha1.GcloudRun {
	g := &v1alpha1.GcloudRun{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "list"},
		Spec:       v1alpha1.GcloudRunSpec{Project: "projects/my-project", Command: "gcloud compute instances list --project=my-project --format='value(name)'"},
	}
	for _, change := range changes {
		change(g)
	}
	return g
}

func commandLine(text string) func(*v1alpha1.GcloudRun) {
	return func(g *v1alpha1.GcloudRun) { g.Spec.Command = text }
}

func TestEveryPartOfTheSpecIsChecked(t *testing.T) {
	const create = "gcloud sql instances create a --project=my-project"
	for name, c := range map[string]struct {
		g      *v1alpha1.GcloudRun
		policy command.Policy
		want   []string // field and rule of each error
	}{
		"nothing is wrong": {g: resource()},
		"the project": {
			g: resource(func(g *v1alpha1.GcloudRun) { g.Spec.Project = "my-project" }), want: []string{"spec.project ProjectFormat"},
		},
		"the command": {g: resource(commandLine("gcloud compute instance list --project=my-project")), want: []string{"spec.command UnknownCommand"}},
		"the path of an input file": {
			g: resource(func(g *v1alpha1.GcloudRun) { g.Spec.InputFiles = []v1alpha1.InputFile{{Path: "a"}, {Path: "../b"}} }), want: []string{"spec.inputFiles[1].path InputPath"},
		},
		"the glob of output files": {
			g: resource(func(g *v1alpha1.GcloudRun) { g.Spec.OutputFiles = []string{"/etc/*"} }), want: []string{"spec.outputFiles[0] InputPath"},
		},
		"a long operation, for which nobody means to wait": {g: resource(commandLine(create)), want: []string{"spec.command AsyncRequired"}},
		"a long operation, for which the timeout waits": {
			g: resource(commandLine(create), func(g *v1alpha1.GcloudRun) { g.Spec.Timeout = &metav1.Duration{Duration: time.Hour} }),
		},
		"the namespace's projects": {
			g: resource(), policy: command.Policy{AllowedProjects: map[string][]string{"team": {"other"}, "*": {"*"}}},
			want: []string{"spec.command ProjectPolicy", "spec.project ProjectPolicy"},
		},
		"another namespace's projects": {
			g: resource(func(g *v1alpha1.GcloudRun) { g.Namespace = "ops" }), policy: command.Policy{AllowedProjects: map[string][]string{"team": {"other"}, "*": {"*"}}},
		},
		"several at once": {
			g:    resource(commandLine("gcloud logging read x"), func(g *v1alpha1.GcloudRun) { g.Spec.Project = "p" }),
			want: []string{"spec.command LoggingLimit", "spec.command ProjectRequired", "spec.project ProjectFormat"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, errs, _ := GcloudRun(c.policy, configv1alpha1.Pods{}, c.g)
			var got []string
			for _, e := range errs {
				rule := e.Detail[strings.LastIndex(e.Detail, "(")+1 : len(e.Detail)-1]
				got = append(got, e.Field+" "+rule)
				if e.Type != field.ErrorTypeInvalid || e.BadValue == "" {
					t.Errorf("got %+v", e)
				}
			}
			slices.Sort(got)
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q: %v", got, c.want, errs)
			}
		})
	}
}

func TestWordsOfTheCommandAreThoseThatWereChecked(t *testing.T) {
	cmd, errs, _ := GcloudRun(command.Policy{}, configv1alpha1.Pods{}, resource())
	want := []string{"gcloud", "compute", "instances", "list", "--project=my-project", "--format=value(name)"}
	if len(errs) > 0 || !slices.Equal(cmd.Argv, want) {
		t.Errorf("got %q, %v", cmd.Argv, errs)
	}
}

func TestWhatIsOnlyWarnedOfIsNoError(t *testing.T) {
	policy := command.Policy{Modes: map[command.Rule]command.Mode{command.ProjectFormat: command.Warn}}
	_, errs, warnings := GcloudRun(policy, configv1alpha1.Pods{}, resource(func(g *v1alpha1.GcloudRun) { g.Spec.Project = "my-project" }))
	want := []string{`spec.project: "my-project" is not of the form projects/PROJECT_ID. Write projects/my-project. (ProjectFormat)`}
	if len(errs) > 0 || !slices.Equal(Texts(warnings), want) {
		t.Errorf("got %v and the warnings %q", errs, warnings)
	}
}

func TestExplanationHasEveryFieldAndFix(t *testing.T) {
	_, errs, _ := GcloudRun(command.Policy{}, configv1alpha1.Pods{}, resource(commandLine("gcloud compute instances list"), func(g *v1alpha1.GcloudRun) { g.Spec.Project = "my-project" }))
	got := Explain(errs)
	for _, want := range []string{
		`spec.project: "my-project" is not of the form projects/PROJECT_ID. Write projects/my-project. (ProjectFormat)`,
		"spec.command: the command says no project, and none is pre-configured. Add --project=PROJECT_ID. (ProjectRequired)",
		"; ",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("got %q, which lacks %q", got, want)
		}
	}
	if Explain(nil) != "" {
		t.Errorf("no errors are explained: %q", Explain(nil))
	}
}
