// SPDX-License-Identifier: Apache-2.0

package gcloudrun

import (
	"strings"
	"testing"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/controllers/run"
	"github.com/gcloud-operator/gcloud-operator/internal/jobspec"
	"github.com/gcloud-operator/gcloud-operator/internal/outcome"
	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

func TestRunThatBeginsShowsItsWords(t *testing.T) {
	g := gcloudRun()
	Kind{}.Begin(g, jobspec.Plan{Argv: []string{"gcloud", "projects", "list"}})
	if got := strings.Join(g.Status.Argv, "|"); got != "gcloud|projects|list" {
		t.Errorf("got %s", got)
	}
}

func TestExitCodeIsThatOfACommandThatEnded(t *testing.T) {
	for name, c := range map[string]struct {
		report *result.Report
		want   *int64
	}{
		"it ended well":                    {&result.Report{Reason: result.Exited, ExitCode: 0}, new(int64(0))},
		"it failed":                        {&result.Report{Reason: result.Exited, ExitCode: 2}, new(int64(2))},
		"the timeout stopped it":           {&result.Report{Reason: result.TimedOut, ExitCode: 130}, new(int64(130))},
		"a signal from outside stopped it": {&result.Report{Reason: result.Terminated, ExitCode: 143}, new(int64(143))},
		"the runner lost it":               {&result.Report{Reason: result.RunnerFailed, ExitCode: result.NoExitCode}, nil},
		"gcloud wasn't found":              {&result.Report{Reason: result.CommandNotFound, ExitCode: 127}, nil},
		"it was never started":             {&result.Report{Reason: result.InputsChanged, ExitCode: result.NoExitCode}, nil},
		"its memory ran out":               {&result.Report{}, nil},
		"nobody reported":                  {nil, nil},
	} {
		g := gcloudRun(underWay)
		kind().Record(g, thirdRun, outcome.Outcome{Report: c.report}, room)
		got := g.Status.Response.ExitCode
		if (got == nil) != (c.want == nil) || (got != nil && *got != *c.want) {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
		if g.Status.Response.Run != 3 {
			t.Errorf("%s: it is the response of run %d", name, g.Status.Response.Run)
		}
	}
}

func TestOutputStandsInTheStatusOrInConfigMaps(t *testing.T) {
	long := strings.Repeat("x", 1001)
	g := gcloudRun(underWay)
	kept := kind().Record(g, thirdRun, outcome.Outcome{Report: &result.Report{
		Reason: result.Exited, Stdout: stream("a\n"), Stderr: stream(long),
		Files:   []result.File{{Path: "out.json", Stream: stream("{}")}},
		LeftOut: []result.LeftOut{{Path: "big", Bytes: 7, Why: "too large"}},
	}}, room)
	maps := kept.ConfigMaps
	r := g.Status.Response
	if r.Stdout != "a\n" || r.StdoutInfo.Bytes != 2 || r.StdoutInfo.ConfigMaps != nil {
		t.Errorf("got stdout %q, %+v", r.Stdout, r.StdoutInfo)
	}
	if !strings.Contains(r.Stderr, "1 bytes are not shown here") || r.StderrInfo.Bytes != 1001 || len(r.StderrInfo.ConfigMaps) != 1 {
		t.Errorf("got stderr %q, %+v", r.Stderr, r.StderrInfo)
	}
	if f := g.Status.OutputFiles; len(f) != 1 || f[0].Path != "out.json" || f[0].Contents != "{}" {
		t.Errorf("got the files %+v", f)
	}
	if l := g.Status.LeftOutFiles; len(l) != 1 || l[0].Path != "big" || l[0].Reason != "too large" {
		t.Errorf("left out: %+v", l)
	}
	if len(maps) != 1 || !strings.HasPrefix(maps[0].Name, thirdRun.JobName()+"-out-") || maps[0].OwnerReferences[0].UID != "uid-1" || maps[0].Namespace != "team" {
		t.Fatalf("got %+v", maps)
	}
	if part := r.StderrInfo.ConfigMaps[0]; part.Name != maps[0].Name || string(maps[0].BinaryData[part.Key]) != long {
		t.Errorf("stderr isn't where %+v says", part)
	}
}

func TestWhatIsKeptNowhereIsReferredToNowhere(t *testing.T) {
	for name, secret := range map[string]string{"the output goes to the status": "", "the output goes to a Secret": "output"} {
		t.Run(name, func(t *testing.T) {
			g := gcloudRun(underWay, func(g *v1alpha1.GcloudRun) { g.Status.Run.SecretName = secret })
			report := &result.Report{Reason: result.Exited, Stdout: stream(strings.Repeat("x", 1001)), Stderr: stream("")}
			kept := kind().Record(g, thirdRun, outcome.Outcome{Report: report}, run.Room{Inline: 1000, StatusOnly: true})
			if len(kept.ConfigMaps) > 0 || kept.Secret != nil {
				t.Errorf("it would keep %+v", kept)
			}
			r := g.Status.Response
			if *r.ExitCode != 0 || !r.StdoutInfo.Truncated || r.StdoutInfo.Bytes != 1001 || r.StdoutInfo.ConfigMaps != nil || r.StdoutInfo.Secret != nil {
				t.Errorf("got %+v", r)
			}
			if shown := strings.Contains(r.Stdout, "1 bytes are not shown here"); shown != (secret == "") {
				t.Errorf("stdout is %q", r.Stdout)
			}
		})
	}
}

func TestRunWithoutAReportShowsNothingOfTheOneBefore(t *testing.T) {
	g := gcloudRun(underWay, func(g *v1alpha1.GcloudRun) {
		g.Status.Response = &v1alpha1.Response{Run: 2, ExitCode: new(int64(0)), Stdout: "old"}
		g.Status.OutputFiles = []v1alpha1.OutputFile{{Path: "old"}}
		g.Status.LeftOutFiles = []v1alpha1.LeftOutFile{{Path: "old"}}
	})
	kept := kind().Record(g, thirdRun, outcome.Gone(), room)
	r := g.Status.Response
	if r.Run != 3 || r.ExitCode != nil || r.Stdout != "" || r.StdoutInfo.SHA256 != "" || g.Status.OutputFiles != nil || g.Status.LeftOutFiles != nil || len(kept.ConfigMaps) > 0 {
		t.Errorf("got %+v", g.Status)
	}
}
