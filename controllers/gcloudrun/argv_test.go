// SPDX-License-Identifier: Apache-2.0

package gcloudrun

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	configv1alpha1 "github.com/gcloud-operator/gcloud-operator/api/config/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/command"
	"github.com/gcloud-operator/gcloud-operator/internal/command/commandtest"
	"github.com/gcloud-operator/gcloud-operator/internal/jobspec"
	"github.com/gcloud-operator/gcloud-operator/internal/result"
	"github.com/gcloud-operator/gcloud-operator/internal/runner"
	"github.com/gcloud-operator/gcloud-operator/test/standin"
)

const thousand = 1000

// What was admitted is what is executed: from the command line of a resource through its Job's
// environment to the process, by the real runner, the words stay what the parser made of them.
func TestTheProcessGetsExactlyTheWordsThatWereAdmitted(t *testing.T) {
	bin := buildStandIn(t)
	k := Kind{Config: configv1alpha1.OperatorConfiguration{TTLAfterFinished: &metav1.Duration{}}}
	admitted := 0
	for line := range commandtest.Lines(1) {
		if admitted == thousand {
			break
		}
		g := &v1alpha1.GcloudRun{ObjectMeta: metav1.ObjectMeta{Name: "g", UID: "2b1d8a5e-2f67-4f57-9f7e-3c1f4f6a0c11"},
			Spec: v1alpha1.GcloudRunSpec{Project: "projects/my-project", Command: line}}
		intent := k.Intent(g, nil)
		if intent.Refusal != nil {
			continue
		}
		admitted++
		k.Begin(g, intent.Plan)
		parsed, _ := command.Parse(line)
		if !slices.Equal(g.Status.Argv, parsed.Argv) {
			t.Fatalf("%s: the status says %q, the parser %q", line, g.Status.Argv, parsed.Argv)
		}
		if got := execute(t, bin, intent.Plan); !slices.Equal(got, g.Status.Argv) {
			t.Fatalf("%s: the process got %q, the status says %q", line, got, g.Status.Argv)
		}
	}
}

// buildStandIn builds a gcloud that prints the words that it gets, and returns its folder.
func buildStandIn(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(folder, "gcloud"), "../../test/standin/gcloud")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the stand-in: %v\n%s", err, out)
	}
	return folder
}

// execute runs the plan's Job, as the kubelet would, and returns the words that the process got.
func execute(t *testing.T, bin string, plan jobspec.Plan) []string {
	t.Helper()
	job := jobspec.Job(plan, jobspec.Attempt{Owner: jobspec.Owner{Name: "g", UID: "2b1d8a5e-2f67-4f57-9f7e-3c1f4f6a0c11"}, Number: 1, Attempt: 1})
	folder := t.TempDir()
	defer func() { _ = os.RemoveAll(folder) }()
	at := func(name string) string { return filepath.Join(folder, name) }
	r := runner.Runner{
		Paths: runner.Paths{Files: at("files"), Home: at("home"), Config: at("config"), Temp: at("tmp"),
			Marker: at("state/started"), Inputs: at("inputs"), TerminationLog: at("message")},
		Env: append(environment(t, job.Spec.Template.Spec.Containers[0].Env), "PATH="+bin),
		Log: io.Discard,
		Now: time.Now,
	}
	if err := os.WriteFile(at("message"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r.Run()
	message, err := os.ReadFile(at("message"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := result.DecodeMessage(string(message))
	if err != nil || m.Report.Reason != result.Exited || m.Body != result.Complete {
		t.Fatalf("the runner said %+v: %v", m, err)
	}
	words, err := standin.Read(m.Report.Stdout.Data)
	if err != nil {
		t.Fatal(err)
	}
	return words
}

// environment is what the kubelet makes of a container's environment: it expands references, so there
// must be none in the task.
func environment(t *testing.T, vars []corev1.EnvVar) []string {
	t.Helper()
	env := []string{result.StartBeforeEnv + "=" + time.Now().Add(time.Minute).UTC().Format(time.RFC3339)}
	for _, v := range vars {
		if v.Name == result.TaskEnv && strings.Contains(v.Value, "$") {
			t.Fatalf("the kubelet would expand the $ in %s", v.Value)
		}
		if v.ValueFrom == nil {
			env = append(env, v.Name+"="+v.Value)
		}
	}
	return env
}
