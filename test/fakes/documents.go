// SPDX-License-Identifier: Apache-2.0

package fakes

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"
)

// The views of documents.
const (
	viewBasic   = "DOCUMENT_VIEW_BASIC"
	viewFull    = "DOCUMENT_VIEW_FULL"
	viewContent = "DOCUMENT_VIEW_CONTENT"
)

// Document is a document of the Developer Knowledge API.
type Document struct {
	Name        string `json:"name,omitempty"`
	URI         string `json:"uri,omitempty"`
	Content     string `json:"content,omitempty"`
	Description string `json:"description,omitempty"`
	DataSource  string `json:"dataSource,omitempty"`
	Title       string `json:"title,omitempty"`
	UpdateTime  string `json:"updateTime,omitempty"`
	// View and ContentLengthBytes are filled in.
	View               string `json:"view,omitempty"`
	ContentLengthBytes int    `json:"contentLengthBytes,omitempty"`
}

// Batch is how a batch answers; what Google's does isn't documented in full.
type Batch int

const (
	// BatchFails: one missing name fails the whole batch.
	BatchFails Batch = iota
	// BatchLeavesOut: a missing name is left out of the answer.
	BatchLeavesOut
	// BatchReverses: missing names are left out, and the order is the reverse.
	BatchReverses
)

// Documents is the Developer Knowledge API.
type Documents struct {
	api
	batch     Batch
	documents map[string]Document
	errors    map[string]Error
}

// NewDocuments returns an API with these documents.
func NewDocuments(documents ...Document) *Documents {
	d := &Documents{api: api{service: "developerknowledge.googleapis.com"}, documents: map[string]Document{}, errors: map[string]Error{}}
	for _, document := range documents {
		d.Put(document)
	}
	return d
}

// Put adds or replaces a document.
func (d *Documents) Put(document Document) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.documents[document.Name] = document
}

// SetBatch changes how batches answer.
func (d *Documents) SetBatch(b Batch) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.batch = b
}

// SetError makes every request for the name fail, a batch with it too.
func (d *Documents) SetError(name string, e Error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.errors[name] = e
}

// ServeHTTP answers GET /v1/documents:batchGet and GET /v1/{name=documents/**}.
func (d *Documents) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.guard(http.HandlerFunc(d.route)).ServeHTTP(w, r)
}

func (d *Documents) route(w http.ResponseWriter, r *http.Request) {
	name, ok := strings.CutPrefix(r.URL.Path, "/v1/")
	switch {
	case r.Method != http.MethodGet || !ok:
		http.NotFound(w, r)
	case name == "documents:batchGet":
		d.serveBatch(w, r)
	case strings.HasPrefix(name, "documents/"):
		d.serveOne(w, r, name)
	default:
		http.NotFound(w, r)
	}
}

func (d *Documents) serveOne(w http.ResponseWriter, r *http.Request, name string) {
	view, refusal := viewOf(r)
	if refusal == nil {
		var document Document
		if document, refusal = d.get(name, view); refusal == nil {
			writeJSON(w, http.StatusOK, document)
			return
		}
	}
	refusal.write(w)
}

// maxBatch is how many names a batch may have.
const maxBatch = 20

func (d *Documents) serveBatch(w http.ResponseWriter, r *http.Request) {
	names := r.URL.Query()["names"]
	view, refusal := viewOf(r)
	if len(names) == 0 || len(names) > maxBatch {
		refusal = invalid(fmt.Sprintf("names: %d names, from 1 to %d are allowed", len(names), maxBatch))
	}
	d.mu.Lock()
	batch := d.batch
	d.mu.Unlock()
	documents := []Document{}
	for _, name := range names {
		document, err := d.get(name, view)
		switch {
		case err == nil:
			documents = append(documents, document)
		case err.Code != http.StatusNotFound || batch == BatchFails:
			refusal = err
		}
	}
	if batch == BatchReverses {
		slices.Reverse(documents)
	}
	if refusal != nil {
		refusal.write(w)
		return
	}
	writeJSON(w, http.StatusOK, map[string]any{"documents": documents})
}

func viewOf(r *http.Request) (string, *Error) {
	switch view := r.URL.Query().Get("view"); view {
	case "", "DOCUMENT_VIEW_UNSPECIFIED":
		return viewContent, nil
	case viewBasic, viewFull, viewContent:
		return view, nil
	default:
		return "", invalid(fmt.Sprintf("Invalid value at 'view' (type.googleapis.com/google.developers.knowledge.v1.DocumentView), %q", view))
	}
}

func invalid(message string) *Error {
	return &Error{Code: 400, Status: "INVALID_ARGUMENT", Message: message}
}

// maxNameLength is in characters.
const maxNameLength = 500

func (d *Documents) get(name, view string) (Document, *Error) {
	if !strings.HasPrefix(name, "documents/") || utf8.RuneCountInString(name) > maxNameLength {
		return Document{}, invalid(fmt.Sprintf("name: %.40q is not of the form documents/{uri_without_scheme} with at most %d characters", name, maxNameLength))
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if e, ok := d.errors[name]; ok {
		return Document{}, &e
	}
	document, ok := d.documents[name]
	if !ok {
		return Document{}, &Error{Code: 404, Status: "NOT_FOUND", Message: fmt.Sprintf("Document %s not found.", name)}
	}
	document.View, document.ContentLengthBytes = view, len(document.Content)
	if view == viewBasic {
		document.Content = ""
	}
	return document, nil
}
