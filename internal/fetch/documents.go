// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"google.golang.org/api/developerknowledge/v1"

	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

const (
	basicView   = "DOCUMENT_VIEW_BASIC"
	contentView = "DOCUMENT_VIEW_CONTENT"
)

// documents reads documents: those that are known only if they have changed.
func (s *session) documents(ctx context.Context, client *http.Client, task result.Fetch, report *result.Report) error {
	service, err := developerknowledge.NewService(ctx, options(client, task.Endpoint)...)
	if err != nil {
		return fmt.Errorf("making the client: %w", err)
	}
	r := &reader{session: s, calls: service.Documents, found: map[string]found{}}
	known := knownByName(task.Documents.Known)
	view := task.Documents.View
	if view == "" {
		view = contentView
	}
	stale := task.Documents.Names
	if view != basicView {
		stale = r.stale(ctx, stale, known)
	}
	r.read(ctx, stale, view)
	var documents []result.FetchedDocument
	for _, name := range task.Documents.Names {
		documents = append(documents, r.result(ctx, name, known, view))
	}
	report.PackDocuments(documents)
	report.Reason, report.Message = sumUp(documents)
	return nil
}

// stale returns the names whose content has to be fetched: all but those that
// are known and have not changed since.
func (r *reader) stale(ctx context.Context, names []string, known map[string]result.KnownDocument) []string {
	var ask, stale []string
	for _, name := range names {
		if _, ok := known[name]; ok {
			ask = append(ask, name)
		}
	}
	r.read(ctx, ask, basicView)
	for _, name := range names {
		f, asked := r.found[name]
		if !asked || f.err == nil && !same(f.document, known[name]) {
			stale = append(stale, name)
		}
	}
	return stale
}

// same says whether the document, by its basic view, is the known one.
func same(d *developerknowledge.Document, known result.KnownDocument) bool {
	return d.UpdateTime != "" && d.UpdateTime == known.UpdateTime &&
		(d.ContentLengthBytes == 0 || d.ContentLengthBytes == known.Bytes)
}

// found is what came of a name.
type found struct {
	document *developerknowledge.Document
	basic    bool // the document has come without its content
	err      error
}

// reader reads documents by their names.
type reader struct {
	*session
	calls *developerknowledge.DocumentsService
	found map[string]found
}

// read reads all names at once where the API lets it, and otherwise one by one.
func (r *reader) read(ctx context.Context, names []string, view string) {
	left := names
	if len(names) > 1 {
		left = r.batch(ctx, names, view)
	}
	for i, name := range left {
		document, err := r.single(ctx, name, view)
		r.found[name] = found{document, view == basicView, err}
		if err != nil && (ctx.Err() != nil || !ofTheName(err)) {
			r.fail(left[i+1:], err)
			return
		}
	}
}

// batch returns the names that have to be read one by one: what a batch answers
// when one of its names is missing is not documented. It may fail as a whole,
// leave the name out, or have another order.
func (r *reader) batch(ctx context.Context, names []string, view string) (left []string) {
	var answer *developerknowledge.BatchGetDocumentsResponse
	err := r.try(ctx, func() (err error) {
		answer, err = r.calls.BatchGet().Names(names...).View(view).Context(ctx).Do()
		return r.classify(err)
	})
	switch {
	case err != nil && !mayBeOfOneName(err):
		r.fail(names, err)
		return nil
	case err != nil:
		return names
	}
	came := make(map[string]*developerknowledge.Document, len(answer.Documents))
	for _, d := range answer.Documents {
		if d != nil {
			came[d.Name] = d
		}
	}
	for _, name := range names {
		if d, ok := came[name]; ok {
			r.found[name] = found{document: d, basic: view == basicView}
			continue
		}
		left = append(left, name)
	}
	return left
}

func (r *reader) single(ctx context.Context, name, view string) (*developerknowledge.Document, error) {
	var document *developerknowledge.Document
	err := r.try(ctx, func() (err error) {
		document, err = r.calls.Get(name).View(view).Context(ctx).Do()
		return r.classify(err)
	})
	return document, err
}

func (r *reader) fail(names []string, err error) {
	for _, name := range names {
		r.found[name] = found{err: err}
	}
}

// ofTheName says whether an error says nothing of other names.
func ofTheName(err error) bool {
	return mayBeOfOneName(err) || reasonIs(err, result.PermissionDenied)
}

// mayBeOfOneName says whether a batch may have failed for one of its names, or
// for being too large.
func mayBeOfOneName(err error) bool {
	return reasonIs(err, result.NotFound, result.InvalidArgument, result.Unavailable)
}

func reasonIs(err error, reasons ...result.Reason) bool {
	f, ok := errors.AsType[*failure](err)
	return ok && slices.Contains(reasons, f.reason)
}

// result is what the report says of a name.
func (r *reader) result(ctx context.Context, name string, known map[string]result.KnownDocument, view string) result.FetchedDocument {
	f := r.found[name]
	if f.err != nil {
		reason, message := r.explain(ctx, f.err)
		return result.FetchedDocument{Name: name, Error: &result.FetchError{Reason: reason, Message: message}}
	}
	d := result.FetchedDocument{
		Name: name, URI: f.document.Uri, Title: f.document.Title, Description: f.document.Description,
		DataSource: f.document.DataSource, UpdateTime: f.document.UpdateTime,
	}
	if view == basicView {
		return d
	}
	before, isKnown := known[name]
	content := result.Whole([]byte(f.document.Content))
	if isKnown && (f.basic || content.SHA256 == before.SHA256) {
		d.Unchanged = true
		return d
	}
	d.Content = &content
	return d
}

func knownByName(documents []result.KnownDocument) map[string]result.KnownDocument {
	known := make(map[string]result.KnownDocument, len(documents))
	for _, d := range documents {
		known[d.Name] = d
	}
	return known
}

// maxToldErrors bounds how many names a message tells the errors of.
const maxToldErrors = 3

// sumUp says in one reason and one text what came of all names. The reason is
// that of the first name that failed.
func sumUp(documents []result.FetchedDocument) (result.Reason, string) {
	reason, failed, unchanged := result.Fetched, 0, 0
	var errs []string
	for _, d := range documents {
		switch {
		case d.Error != nil && failed == 0:
			reason = d.Error.Reason
			fallthrough
		case d.Error != nil:
			failed++
			errs = append(errs, fmt.Sprintf("%s: %s", d.Name, d.Error.Message))
		case d.Unchanged:
			unchanged++
		}
	}
	text := fmt.Sprintf("%d of %d documents were fetched", len(documents)-failed, len(documents))
	if unchanged > 0 {
		text += fmt.Sprintf(", of which %d had not changed", unchanged)
	}
	if len(errs) > maxToldErrors {
		errs = append(errs[:maxToldErrors], fmt.Sprintf("and %d more", len(errs)-maxToldErrors))
	}
	return reason, strings.Join(append([]string{text}, errs...), "; ")
}
