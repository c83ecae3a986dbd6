// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

var noon = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

// everything registers all metrics, each with a value.
func everything(t *testing.T) *prometheus.Registry {
	t.Helper()
	for _, v := range []interface{ Reset() }{runsEnded, phaseDuration, admissionVerdicts, apiWrites} {
		v.Reset()
	}
	registry := prometheus.NewRegistry()
	Register(registry)
	elected := make(chan struct{})
	close(elected)
	registry.MustRegister(Runs{Elected: elected, Stages: map[string]func(context.Context) ([]Stage, error){
		"GcloudRun": func(context.Context) ([]Stage, error) {
			return []Stage{{Name: "Queued"}, {Name: "Running", Runs: 2, Oldest: noon}}, nil
		},
	}})
	return registry
}

func TestMetricsAreNamedAsPrometheusHasIt(t *testing.T) {
	registry := everything(t)
	useAll(t)
	problems, err := testutil.GatherAndLint(registry)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

// useAll gives each metric a value.
func useAll(t *testing.T) {
	t.Helper()
	RunEnded("GcloudRun", &v1alpha1.Run{Reason: v1alpha1.ReasonSucceeded})
	RunTook("GcloudRun", Moments{Queued: noon, JobMade: noon.Add(time.Second)})
	Admission("GcloudRun", nil, nil)
	c := CountWrites(fake.NewClientBuilder().Build())
	if err := c.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "b"}}); err != nil {
		t.Fatal(err)
	}
}

func TestAnEndCountsByWhatFollows(t *testing.T) {
	registry := everything(t)
	RunEnded("GcloudRun", &v1alpha1.Run{Reason: v1alpha1.ReasonSucceeded})
	RunEnded("GcloudRun", &v1alpha1.Run{Reason: v1alpha1.ReasonCommandFailed})
	RunEnded("DocumentFetch", &v1alpha1.Run{Reason: v1alpha1.ReasonEvicted, RetryTime: new(metav1.NewTime(noon))})
	expect(t, registry, "gcloud_operator_runs_ended_total", `
gcloud_operator_runs_ended_total{kind="DataformFileRead",reason="ResultLost",result="Failed"} 0
gcloud_operator_runs_ended_total{kind="DocumentFetch",reason="Evicted",result="Again"} 1
gcloud_operator_runs_ended_total{kind="DocumentFetch",reason="ResultLost",result="Failed"} 0
gcloud_operator_runs_ended_total{kind="GcloudRun",reason="CommandFailed",result="Failed"} 1
gcloud_operator_runs_ended_total{kind="GcloudRun",reason="ResultLost",result="Failed"} 0
gcloud_operator_runs_ended_total{kind="GcloudRun",reason="Succeeded",result="Succeeded"} 1
`)
}

// expect compares the samples of one metric.
func expect(t *testing.T, registry *prometheus.Registry, name, want string) {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == name {
			head := fmt.Sprintf("# HELP %s %s\n# TYPE %s %s\n", name, f.GetHelp(), name, strings.ToLower(f.GetType().String()))
			if err := testutil.GatherAndCompare(registry, strings.NewReader(head+strings.TrimLeft(want, "\n")), name); err != nil {
				t.Error(err)
			}
			return
		}
	}
	t.Errorf("there is no %s", name)
}

func TestOnlyPhasesWhoseBeginAndEndAreKnownAreMeasured(t *testing.T) {
	registry := everything(t)
	RunTook("GcloudRun", Moments{Queued: noon, JobMade: noon.Add(2 * time.Second), Started: noon.Add(time.Second), Recorded: noon.Add(time.Hour)})
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, f := range families {
		if f.GetName() == "gcloud_operator_run_phase_duration_seconds" {
			for _, m := range f.GetMetric() {
				got[m.GetLabel()[1].GetValue()] = m.GetHistogram().GetSampleSum()
			}
		}
	}
	if len(got) != 2 || got["Queue"] != 2 || got["Start"] != 0 {
		t.Errorf("got %v, want 2 s in the queue, and no less than nothing until the start", got)
	}
}

func TestEachRuleThatARequestBreaksCountsOnce(t *testing.T) {
	registry := everything(t)
	broken := func(rules ...string) (errs field.ErrorList) {
		for _, r := range rules {
			errs = append(errs, (&field.Error{}).WithOrigin(r))
		}
		return errs
	}
	Admission("GcloudRun", broken("UnsafeFlag", "UnsafeFlag", "ProjectFormat", ""), broken("LoggingLimit"))
	Admission("GcloudRun", nil, broken("LoggingLimit"))
	Admission("GcloudRun", nil, nil)
	expect(t, registry, "gcloud_operator_admission_verdicts_total", `
gcloud_operator_admission_verdicts_total{kind="DataformFileRead",rule="",verdict="Admitted"} 0
gcloud_operator_admission_verdicts_total{kind="DocumentFetch",rule="",verdict="Admitted"} 0
gcloud_operator_admission_verdicts_total{kind="GcloudRun",rule="",verdict="Admitted"} 1
gcloud_operator_admission_verdicts_total{kind="GcloudRun",rule="LoggingLimit",verdict="Warned"} 2
gcloud_operator_admission_verdicts_total{kind="GcloudRun",rule="ProjectFormat",verdict="Refused"} 1
gcloud_operator_admission_verdicts_total{kind="GcloudRun",rule="Spec",verdict="Refused"} 1
gcloud_operator_admission_verdicts_total{kind="GcloudRun",rule="UnsafeFlag",verdict="Refused"} 1
`)
}

func TestWritesCountByWhatBecameOfThem(t *testing.T) {
	registry := everything(t)
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "b"}}
	c := CountWrites(fake.NewClientBuilder().WithStatusSubresource(pod).Build())
	patch := client.RawPatch("application/merge-patch+json", []byte(`{}`))
	_ = c.Create(t.Context(), pod.DeepCopy())
	_ = c.Create(t.Context(), pod.DeepCopy())
	_ = c.Patch(t.Context(), pod.DeepCopy(), patch)
	_ = c.Status().Patch(t.Context(), pod.DeepCopy(), patch)
	_ = c.Delete(t.Context(), pod.DeepCopy())
	_ = c.Delete(t.Context(), pod.DeepCopy())
	expect(t, registry, "gcloud_operator_api_writes_total", `
gcloud_operator_api_writes_total{object="Pod",result="AlreadyExists",verb="create"} 1
gcloud_operator_api_writes_total{object="Pod",result="NotFound",verb="delete"} 1
gcloud_operator_api_writes_total{object="Pod",result="OK",verb="create"} 1
gcloud_operator_api_writes_total{object="Pod",result="OK",verb="delete"} 1
gcloud_operator_api_writes_total{object="Pod",result="OK",verb="patch"} 1
gcloud_operator_api_writes_total{object="Pod/status",result="OK",verb="patch"} 1
`)
}

func TestOnlyWhoLeadsTellsOfTheRunsUnderWay(t *testing.T) {
	expect(t, everything(t), "gcloud_operator_runs", `
gcloud_operator_runs{kind="GcloudRun",stage="Queued"} 0
gcloud_operator_runs{kind="GcloudRun",stage="Running"} 2
`)
	expect(t, everything(t), "gcloud_operator_oldest_run_timestamp_seconds", fmt.Sprintf(`
gcloud_operator_oldest_run_timestamp_seconds{kind="GcloudRun",stage="Running"} %d
`, noon.Unix()))

	registry := prometheus.NewRegistry()
	registry.MustRegister(Runs{Elected: make(chan struct{}), Stages: map[string]func(context.Context) ([]Stage, error){
		"GcloudRun": func(context.Context) ([]Stage, error) { return []Stage{{Name: "Running", Runs: 2}}, nil },
	}})
	if families, err := registry.Gather(); err != nil || len(families) > 0 {
		t.Errorf("who doesn't lead tells %v, %v", families, err)
	}
}

var (
	described = regexp.MustCompile(`fqName: "(.+?)", help: "(.+?)", (?:unit: ".*?", )?constLabels: \{\}, variableLabels: \{(.*?)\}`)
	ofDocs    = regexp.MustCompile("(?m)^\\| `(gcloud_operator_\\w+)` \\| (.*?) \\| (.+) \\|$")
)

// declared are the metrics: their names, with labels and help.
func declared(t *testing.T) map[string][2]string {
	t.Helper()
	found := map[string][2]string{}
	for _, c := range []prometheus.Collector{runsEnded, phaseDuration, admissionVerdicts, apiWrites, Runs{}} {
		descriptions := make(chan *prometheus.Desc, 10)
		c.Describe(descriptions)
		close(descriptions)
		for d := range descriptions {
			m := described.FindStringSubmatch(d.String())
			if m == nil {
				t.Fatalf("this is no description: %s", d)
			}
			labels := strings.Split(m[3], ",")
			slices.Sort(labels)
			found[m[1]] = [2]string{"`" + strings.Join(labels, "`, `") + "`", m[2]}
		}
	}
	return found
}

func TestTheDocsHaveEveryMetricAndNoOther(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "metrics.md"))
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string][2]string{}
	for _, m := range ofDocs.FindAllStringSubmatch(string(text), -1) {
		documented[m[1]] = [2]string{m[2], m[3]}
	}
	code := declared(t)
	for name, want := range code {
		if documented[name] != want {
			t.Errorf("docs/metrics.md lacks\n| `%s` | %s | %s |\nit has %q", name, want[0], want[1], documented[name])
		}
	}
	for name := range documented {
		if _, ok := code[name]; !ok {
			t.Errorf("docs/metrics.md has %s, which there isn't", name)
		}
	}
}
