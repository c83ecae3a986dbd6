// SPDX-License-Identifier: Apache-2.0

package jobspec

import (
	"reflect"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

func TestObjectsAreThoseOfTheGoldenFiles(t *testing.T) {
	for name, c := range map[string]struct {
		file    string
		plan    Plan
		attempt Attempt
	}{
		"a command alone":                               {"plain.yaml", plan(), attempt()},
		"a command with input files":                    {"inputs.yaml", plan(withInput("b/config.yaml", "b: 1\n"), withInput("a.txt", "a")), attempt()},
		"an image without the runner":                   {"runner.yaml", plan(withRunnerImage), attempt()},
		"a command that acts as a named ServiceAccount": {"account.yaml", plan(func(p *Plan) { p.ServiceAccountName = "deployer" }), attempt()},
		"a command with a key":                          {"key.yaml", plan(withKey), attempt()},
		"a command in a pod of its own kind":            {"pod.yaml", plan(withPodSettings, withRunnerImage), attempt()},
		"a command that acts as a federated identity":   {"federation.yaml", plan(withFederation), attempt()},
	} {
		t.Run(name, func(t *testing.T) {
			var objects []any
			for _, m := range InputConfigMaps(c.plan, c.attempt) {
				objects = append(objects, m)
			}
			golden(t, c.file, append(objects, Job(c.plan, c.attempt))...)
		})
	}
}

func TestTheSamePlanMakesTheSameJob(t *testing.T) {
	p := plan(withInput("a", "1"), withInput("b", "2"), withRunnerImage)
	if first, second := Job(p, attempt()), Job(p, attempt()); !reflect.DeepEqual(first, second) {
		t.Errorf("got two Jobs:\n%v\n%v", first, second)
	}
}

func TestRunnerIsToldThePlan(t *testing.T) {
	p := plan(withInput("a", "1"), func(p *Plan) {
		p.Argv = []string{"gcloud", "storage", "ls", "$(HOME)", "$$", "a b", "<é>"}
		p.OutputFiles = []string{"*.json"}
		p.CaptureBytes = 1 << 20
	})
	task, err := result.DecodeTask(variable(t, Job(p, attempt()).Spec.Template.Spec, result.TaskEnv).Value)
	if err != nil {
		t.Fatal(err)
	}
	want := result.Task{
		Run:          "6c1a7b2e-5d0f-4f7e-9d52-1f1f3c0a9b11/1/1",
		Argv:         p.Argv,
		Timeout:      10 * time.Minute,
		Grace:        GracePeriod,
		InputsSHA256: result.HashInputs(map[string][]byte{"a": []byte("1")}),
		OutputFiles:  []string{"*.json"},
		CaptureBytes: 1 << 20,
		MessageBytes: result.DefaultMessageBytes,
		LogBytes:     result.DefaultLogBytes,
	}
	if !reflect.DeepEqual(task, want) {
		t.Errorf("got %+v, want %+v", task, want)
	}
}

func TestValuesOfTheEnvironmentAreLiteral(t *testing.T) {
	p := plan(func(p *Plan) { p.Env = []corev1.EnvVar{{Name: "A", Value: "$(HOME) $$ costs $5"}} })
	// The kubelet turns $$ into $, and would put in the value of $(HOME).
	if got := variable(t, Job(p, attempt()).Spec.Template.Spec, "A").Value; got != "$$(HOME) $$$$ costs $$5" {
		t.Errorf("got %q", got)
	}
}

func variable(t *testing.T, spec corev1.PodSpec, name string) corev1.EnvVar {
	t.Helper()
	for _, v := range spec.Containers[0].Env {
		if v.Name == name {
			return v
		}
	}
	t.Fatalf("there is no variable %s", name)
	return corev1.EnvVar{}
}

func TestDeadlineOfThePodLeavesTheRunnerItsTime(t *testing.T) {
	for _, timeout := range []time.Duration{time.Second, 10 * time.Minute, 24 * time.Hour} {
		spec := Job(plan(func(p *Plan) { p.Timeout = timeout }), attempt()).Spec
		deadline := time.Duration(*spec.Template.Spec.ActiveDeadlineSeconds) * time.Second
		if deadline < StartWindow+timeout+GracePeriod {
			t.Errorf("timeout %s: the deadline of %s ends a command that started at the end of its window", timeout, deadline)
		}
		if spec.ActiveDeadlineSeconds != nil {
			t.Error("the Job has a deadline of its own, which deletes pod and log")
		}
	}
}

func TestNamesAreFixedByTheRun(t *testing.T) {
	base := attempt()
	for name, c := range map[string]struct {
		change func(*Attempt)
		same   bool
	}{
		"another key is the same Job, for a run keeps its number": {func(a *Attempt) { a.Key = "ff" }, true},
		"another kind with the same UID can't be":                 {func(a *Attempt) { a.Owner.Kind = "DocumentFetch" }, true},
		"a resource made anew":                                    {func(a *Attempt) { a.Owner.UID = "0b1c" }, false},
		"the next run":                                            {func(a *Attempt) { a.Number = 2 }, false},
		"the next attempt":                                        {func(a *Attempt) { a.Attempt = 2 }, false},
	} {
		if got := attempt(c.change).JobName(); (got == base.JobName()) != c.same {
			t.Errorf("%s: got %s beside %s", name, got, base.JobName())
		}
	}
	// A release that names Jobs differently makes a second Job for a run under way.
	if got, want := base.JobName(), "list-projects-e5329f5a1c63"; got != want {
		t.Errorf("the name has changed from %s to %s: a run under way would be executed twice", want, got)
	}
}

func TestNumberAndAttemptAreNotConfused(t *testing.T) {
	seen := map[string]Attempt{}
	for _, uid := range []types.UID{"a", "a1", "b"} {
		for number := range int64(30) {
			for n := range int32(30) {
				a := attempt(func(a *Attempt) {
					a.Owner.UID, a.Number, a.Attempt = uid, number, n
				})
				if other, taken := seen[a.JobName()]; taken {
					t.Fatalf("%s is the name of %+v and of %+v", a.JobName(), a, other)
				}
				seen[a.JobName()] = a
			}
		}
	}
}

func TestNamesAreValid(t *testing.T) {
	for name, owner := range map[string]string{
		"a name of one letter":                 "a",
		"a name that begins with a digit":      "0a",
		"a name with dots":                     "reports.2026.q3",
		"the longest name":                     strings.Repeat("a", 253),
		"a name that is cut after a dot":       strings.Repeat("a", maxPrefix-1) + ".b",
		"a name that is cut in a row of marks": strings.Repeat("a", maxPrefix-2) + "--b",
	} {
		a := attempt(named(owner))
		maps := InputConfigMaps(plan(withInput("a", "1")), a)
		// The Job controller appends five characters and a hyphen for the pod, and names it in a label.
		for _, got := range []string{a.JobName() + "-xxxxx", maps[0].Name} {
			if errs := validation.IsDNS1123Label(got); len(errs) > 0 {
				t.Errorf("%s: %q is no name for a pod: %v", name, got, errs)
			}
		}
	}
}
