// SPDX-License-Identifier: Apache-2.0

package gcloudrun

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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
func (Kind) Record(g *v1alpha1.GcloudRun, a jobspec.Attempt, o outcome.Outcome, inlineBytes int64) run.Kept {
	var report result.Report
	if o.Report != nil {
		report = *o.Report
	}
	var kept run.Kept
	var placed output.Placed
	if secret := g.Status.Run.SecretName; secret != "" {
		placed, kept.Secret = output.PlaceInSecret(report, a.Meta(secret))
	} else {
		name := a.JobName() + "-out-" + output.Digest(report, inlineBytes)
		meta := func(index int) metav1.ObjectMeta { return a.Meta(fmt.Sprintf("%s-%d", name, index)) }
		placed, kept.ConfigMaps = output.Place(report, inlineBytes, meta)
	}
	g.Status.Response = &v1alpha1.Response{
		Run:        a.Number,
		ExitCode:   exitCode(o.Report),
		Stdout:     placed.Stdout.Text,
		Stderr:     placed.Stderr.Text,
		Redacted:   report.Redacted,
		StdoutInfo: placed.Stdout.Stored,
		StderrInfo: placed.Stderr.Stored,
	}
	g.Status.OutputFiles, g.Status.LeftOutFiles = placed.Files, placed.LeftOut
	return kept
}

// Forget takes the output out of the status, of which there can be much.
func (Kind) Forget(g *v1alpha1.GcloudRun) {
	g.Status.Response, g.Status.OutputFiles, g.Status.LeftOutFiles = nil, nil, nil
}

// exitCode is that of a command that ended; a run that came to nothing has none.
func exitCode(r *result.Report) *int64 {
	if r == nil || !r.Reason.Ran() || r.ExitCode == result.NoExitCode {
		return nil
	}
	return new(int64(r.ExitCode))
}
