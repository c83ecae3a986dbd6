// SPDX-License-Identifier: Apache-2.0

package documentfetch

import (
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/controllers/run"
	"github.com/gcloud-operator/gcloud-operator/internal/jobspec"
	"github.com/gcloud-operator/gcloud-operator/internal/outcome"
	"github.com/gcloud-operator/gcloud-operator/internal/output"
	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

// Record writes into the status what a run brought. A run that brought nothing, not even errors,
// leaves what there is.
func (Kind) Record(d *v1alpha1.DocumentFetch, a jobspec.Attempt, o outcome.Outcome, room run.Room) run.Kept {
	if o.Report == nil || !o.Report.Reason.OfFetch() {
		return run.Kept{}
	}
	fetched, err := o.Report.UnpackDocuments()
	if err != nil {
		// Nothing came to have an index of, and the condition says why.
		return run.Kept{}
	}
	before := map[string]v1alpha1.FetchedDocument{}
	for _, doc := range d.Status.Documents {
		before[doc.Name] = doc
	}
	documents := make([]v1alpha1.FetchedDocument, 0, len(fetched))
	for _, f := range fetched {
		documents = append(documents, describe(f, before[f.Name], d.Spec.View))
	}
	kept := place(documents, fetched, room, a)
	for i := range documents {
		documents[i].LastChangedTime = changed(documents[i], before[documents[i].Name], metav1.NewTime(o.Finished))
	}
	d.Status.Documents, d.Status.Fetched = documents, count(documents)
	var parts []string
	for _, doc := range documents {
		parts = append(parts, doc.Name, doc.SHA256)
	}
	kept.ResultHash = run.HashResult(parts...)
	return kept
}

// describe is a document without the content that has just come.
func describe(f result.FetchedDocument, before v1alpha1.FetchedDocument, view string) v1alpha1.FetchedDocument {
	if f.Error == nil && f.Content == nil && !f.Unchanged && view != basicView {
		f.Error = &result.FetchError{Reason: v1alpha1.ReasonResultLost, Message: "the content did not come through from the pod"}
	}
	if f.Error != nil {
		if f.Error.Reason == result.NotFound || before.Name == "" {
			before = v1alpha1.FetchedDocument{Name: f.Name}
		}
		before.Error = &v1alpha1.ReadError{Reason: string(f.Error.Reason), Message: f.Error.Message}
		return before
	}
	doc := v1alpha1.FetchedDocument{
		Name: f.Name, URI: f.URI, Title: f.Title, Description: f.Description, DataSource: f.DataSource, UpdateTime: f.UpdateTime,
	}
	if f.Unchanged {
		doc.Content, doc.Stored = before.Content, before.Stored
	}
	return doc
}

// place lays the contents that have just come out, in the room that the others leave.
func place(documents []v1alpha1.FetchedDocument, fetched []result.FetchedDocument, room run.Room, a jobspec.Attempt) run.Kept {
	var report result.Report
	var index []int
	for i, f := range fetched {
		if f.Content == nil {
			room.Inline -= encodedBytes(documents[i].Content)
			continue
		}
		report.Files = append(report.Files, result.File{Path: f.Name, Stream: *f.Content})
		index = append(index, i)
	}
	placed, maps := output.Place(report, room.Inline, room.OutputMeta(a, report))
	for n, file := range placed.Files {
		documents[index[n]].Content, documents[index[n]].Stored = file.Contents, file.Stored
	}
	return run.Kept{ConfigMaps: maps}
}

// encodedBytes is what a text takes in the status.
func encodedBytes(text string) int64 {
	encoded, err := json.Marshal(text)
	if err != nil {
		panic("encoding a string: " + err.Error())
	}
	return int64(len(encoded))
}

// changed is when the content last became another.
func changed(now, before v1alpha1.FetchedDocument, at metav1.Time) *metav1.Time {
	switch {
	case now.SHA256 == "":
		return nil
	case now.SHA256 == before.SHA256:
		return before.LastChangedTime
	}
	return &at
}

func count(documents []v1alpha1.FetchedDocument) string {
	n := 0
	for _, d := range documents {
		if d.Error == nil {
			n++
		}
	}
	return fmt.Sprintf("%d/%d", n, len(documents))
}

// Forget takes out of the status what only users need; what a refresh needs stays.
func (Kind) Forget(d *v1alpha1.DocumentFetch) {
	for i, doc := range d.Status.Documents {
		d.Status.Documents[i] = v1alpha1.FetchedDocument{
			Name: doc.Name, UpdateTime: doc.UpdateTime,
			Stored: v1alpha1.Stored{Bytes: doc.Bytes, SHA256: doc.SHA256, Truncated: doc.Truncated},
		}
	}
}
