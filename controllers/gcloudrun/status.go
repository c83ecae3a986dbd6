// SPDX-License-Identifier: Apache-2.0

package gcloudrun

import (
	"strconv"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/controllers/run"
	"github.com/gcloud-operator/gcloud-operator/internal/jobspec"
	"github.com/gcloud-operator/gcloud-operator/internal/outcome"
	"github.com/gcloud-operator/gcloud-operator/internal/output"
	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

// Begin writes into the status which words are executed.
func (Kind) Begin(g *v1alpha1.GcloudRun, p jobspec.Plan) { g.Status.Argv = p.Argv }

// Record writes into the status what a run came to. A run without a report leaves an empty response,
// so that nobody takes an earlier one for it.
func (Kind) Record(g *v1alpha1.GcloudRun, a jobspec.Attempt, o outcome.Outcome, room run.Room) run.Kept {
	var report result.Report
	if o.Report != nil {
		report = *o.Report
	}
	var kept run.Kept
	var placed output.Placed
	switch secret := g.Status.Run.SecretName; {
	case secret == "":
		placed, kept.ConfigMaps = output.Place(report, room.Inline, room.OutputMeta(a, report))
	case room.StatusOnly:
		placed = output.PlaceNowhere(report)
	default:
		placed, kept.Secret = output.PlaceInSecret(report, a.Meta(secret))
	}
	g.Status.Response = &v1alpha1.Response{
		Run:        a.Number,
		ExitCode:   o.ExitCode(),
		Stdout:     placed.Stdout.Text,
		Stderr:     placed.Stderr.Text,
		Redacted:   report.Redacted,
		StdoutInfo: placed.Stdout.Stored,
		StderrInfo: placed.Stderr.Stored,
	}
	g.Status.OutputFiles, g.Status.LeftOutFiles = placed.Files, placed.LeftOut
	kept.ResultHash = resultHash(o)
	return kept
}

// resultHash is that of what the command brought: its exit code, stdout, and files. On stderr commands
// tell of their progress.
func resultHash(o outcome.Outcome) string {
	code := o.ExitCode()
	if code == nil {
		return ""
	}
	parts := []string{strconv.FormatInt(*code, 10), o.Report.Stdout.SHA256}
	for _, f := range o.Report.Files {
		parts = append(parts, f.Path, f.SHA256)
	}
	return run.HashResult(parts...)
}

// Forget takes the output out of the status, of which there can be much.
func (Kind) Forget(g *v1alpha1.GcloudRun) {
	g.Status.Response, g.Status.OutputFiles, g.Status.LeftOutFiles = nil, nil, nil
}
