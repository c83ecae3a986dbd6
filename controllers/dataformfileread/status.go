// SPDX-License-Identifier: Apache-2.0

package dataformfileread

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/controllers/run"
	"github.com/gcloud-operator/gcloud-operator/controllers/run/read"
	"github.com/gcloud-operator/gcloud-operator/internal/jobspec"
	"github.com/gcloud-operator/gcloud-operator/internal/outcome"
	"github.com/gcloud-operator/gcloud-operator/internal/output"
	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

// Record writes the file that a run read into the status. A run that brought none leaves the one
// that is there.
func (Kind) Record(d *v1alpha1.DataformFileRead, a jobspec.Attempt, o outcome.Outcome, inlineBytes int64) run.Kept {
	if o.Report == nil || o.Report.Reason != result.Fetched {
		return run.Kept{}
	}
	file := o.Report.UnpackFile()
	if file == nil {
		return run.Kept{}
	}
	if before := d.Status.FileInfo; before == nil || before.SHA256 != file.SHA256 {
		d.Status.LastChangedTime = new(metav1.NewTime(o.Finished))
	}
	contents, stored, maps := output.PlaceBytes(*file, inlineBytes, read.Meta(a))
	d.Status.FileContents = contents
	d.Status.FileInfo = &v1alpha1.FileInfo{
		Bytes: stored.Bytes, SHA256: stored.SHA256, Text: output.IsText(file.Data),
		Truncated: stored.Truncated, HeadBytes: stored.HeadBytes, ConfigMaps: stored.ConfigMaps,
	}
	return run.Kept{ConfigMaps: maps}
}

// Forget takes the file out of the status; its hash stays.
func (Kind) Forget(d *v1alpha1.DataformFileRead) { d.Status.FileContents = nil }
