// SPDX-License-Identifier: Apache-2.0

package dataformfileread

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/controllers/run"
	"github.com/gcloud-operator/gcloud-operator/internal/jobspec"
	"github.com/gcloud-operator/gcloud-operator/internal/outcome"
	"github.com/gcloud-operator/gcloud-operator/internal/output"
	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

// Record writes the file that a run read into the status. A run that brought none leaves the one
// that is there.
func (Kind) Record(d *v1alpha1.DataformFileRead, a jobspec.Attempt, o outcome.Outcome, room run.Room) run.Kept {
	if o.Report == nil || o.Report.Reason != result.Fetched {
		return run.Kept{}
	}
	file := o.Report.UnpackFile()
	if file == nil {
		return run.Kept{}
	}
	contents, stored, maps := output.PlaceBytes(*file, room.Inline, room.OutputMeta(a, result.Report{Stdout: *file}))
	d.Status.FileContents = contents
	d.Status.FileInfo = &v1alpha1.FileInfo{
		Bytes: stored.Bytes, SHA256: stored.SHA256, Text: output.IsText(file.Data),
		Truncated: stored.Truncated, HeadBytes: stored.HeadBytes, ConfigMaps: stored.ConfigMaps,
	}
	return run.Kept{ResultHash: run.HashResult(file.SHA256), ConfigMaps: maps, Copy: copyOf(d, *file, a)}
}

// copyKey is the key of the file in its copy.
const copyKey = "contents"

// maxCopyBytes is what Kubernetes lets a ConfigMap hold.
const maxCopyBytes = 1 << 20

// copyOf is the ConfigMap that the spec asks for, or nil. The run's message says why there is none
// although the spec asks for one.
func copyOf(d *v1alpha1.DataformFileRead, file result.Stream, a jobspec.Attempt) *corev1.ConfigMap {
	if d.Spec.Output == nil {
		return nil
	}
	if file.Bytes > maxCopyBytes || file.Truncated() {
		d.Status.Run.Message += fmt.Sprintf("; no copy was made, because a ConfigMap holds at most %d bytes", maxCopyBytes)
		return nil
	}
	// In a patch, no bytes at all would be a null, which takes the key away.
	contents := append([]byte{}, file.Data...)
	return &corev1.ConfigMap{ObjectMeta: a.Meta(d.Spec.Output.ConfigMapName), BinaryData: map[string][]byte{copyKey: contents}}
}

// Forget takes the file out of the status; its hash stays.
func (Kind) Forget(d *v1alpha1.DataformFileRead) { d.Status.FileContents = nil }
