// SPDX-License-Identifier: Apache-2.0

package result

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
)

// Fetch is the task of a kind that reads from an API in place of executing a
// command. Exactly one of Documents and File is set.
type Fetch struct {
	// Endpoint is the base URL of the API, with a trailing slash. Empty: Google's own.
	Endpoint    string           `json:"endpoint,omitempty"`
	Credentials FetchCredentials `json:"credentials,omitzero"`
	Documents   *FetchDocuments  `json:"documents,omitempty"`
	File        *FetchFile       `json:"file,omitempty"`
}

// FetchCredentials say as whom the API is asked: at most one field is set.
// None is: as the pod's own identity, which the metadata server knows.
type FetchCredentials struct {
	// APIKeyFile holds an API key.
	APIKeyFile string `json:"apiKeyFile,omitempty"`
	// KeyFile holds the key of a service account, or the configuration of a
	// federated identity, in JSON.
	KeyFile string `json:"keyFile,omitempty"`
	// Anonymous asks without credentials.
	Anonymous bool `json:"anonymous,omitempty"`
}

// FetchDocuments asks for documents of the Developer Knowledge API.
type FetchDocuments struct {
	Names []string `json:"names"`
	// View is one of the API's, such as DOCUMENT_VIEW_CONTENT; empty for the
	// API's default, which is that one.
	View string `json:"view,omitempty"`
	// Known are documents whose content was fetched before; it is fetched again
	// only if it has changed since.
	Known []KnownDocument `json:"known,omitempty"`
}

// KnownDocument is what is known of a document that was fetched before.
type KnownDocument struct {
	Name       string `json:"name"`
	UpdateTime string `json:"updateTime,omitempty"`
	Bytes      int64  `json:"bytes"`
	SHA256     string `json:"sha256"`
}

// FetchFile asks for a file of a Dataform workspace.
type FetchFile struct {
	Workspace string `json:"workspace"`
	Path      string `json:"path"`
	// Revision is a Git revision; empty for what is not committed yet.
	Revision string `json:"revision,omitempty"`
}

func (f Fetch) check() error {
	if (f.Documents == nil) == (f.File == nil) {
		return errors.New("fetch must have either documents or a file")
	}
	if f.Documents != nil && len(f.Documents.Names) == 0 {
		return errors.New("fetch has no names of documents")
	}
	return nil
}

// A Fetch has no command and no exit code; Report.Message says in words what came of it.
const (
	// Fetched: everything that was asked for came.
	Fetched Reason = "Fetched"
	// NotFound: there is no such document, file or workspace.
	NotFound Reason = "NotFound"
	// PermissionDenied: the identity may not read it.
	PermissionDenied Reason = "PermissionDenied"
	// APIDisabled: the API is not enabled in the project that the request counts for.
	APIDisabled Reason = "ApiDisabled"
	// Unauthenticated: the credentials are missing, malformed, or no longer valid.
	Unauthenticated Reason = "Unauthenticated"
	// IdentityNotReady: the metadata server, which knows the pod's identity, gave no token.
	IdentityNotReady Reason = "IdentityNotReady"
	// RateLimited: the quota is used up, and stayed so as long as it was tried.
	RateLimited Reason = "RateLimited"
	// Unavailable: the API can't be reached, or failed as often as it was tried.
	Unavailable Reason = "Unavailable"
	// InvalidArgument: the API does not take the request as it is.
	InvalidArgument Reason = "InvalidArgument"
	// FetchTimedOut: Task.Timeout was over before everything had come.
	FetchTimedOut Reason = "FetchTimedOut"
	// FetchStopped: the runner was told by a signal to stop before everything had come.
	FetchStopped Reason = "FetchStopped"
)

// OfFetch reports whether the reason is what a Fetch came to.
func (r Reason) OfFetch() bool {
	switch r {
	case Fetched, NotFound, PermissionDenied, APIDisabled, Unauthenticated, IdentityNotReady,
		RateLimited, Unavailable, InvalidArgument, FetchTimedOut, FetchStopped:
		return true
	}
	return false
}

// FetchedDocument is what came of one name of a FetchDocuments.
type FetchedDocument struct {
	Name        string `json:"name"`
	URI         string `json:"uri,omitempty"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	DataSource  string `json:"dataSource,omitempty"`
	// UpdateTime is RFC 3339, as the API has it.
	UpdateTime string `json:"updateTime,omitempty"`
	// Unchanged: the content is the known one, and did not come again.
	Unchanged bool `json:"unchanged,omitempty"`
	// Error is why nothing came; the other fields but Name are empty then.
	Error *FetchError `json:"error,omitempty"`
	// Content is nil where none was asked for, or none came.
	Content *Stream `json:"-"`
}

// FetchError is why something could not be fetched.
type FetchError struct {
	Reason  Reason `json:"reason"`
	Message string `json:"message"`
}

// indexedDocument says in which file of the report a document's content is.
type indexedDocument struct {
	FetchedDocument
	File string `json:"file,omitempty"`
}

// PackDocuments puts documents into the report: an index in JSON as stdout, and
// each content as a file. UnpackDocuments is the reverse.
func (r *Report) PackDocuments(documents []FetchedDocument) {
	index := make([]indexedDocument, 0, len(documents))
	for i, d := range documents {
		entry := indexedDocument{FetchedDocument: d}
		if d.Content != nil {
			entry.File = fmt.Sprintf("%04d", i)
			r.Files = append(r.Files, File{Path: entry.File, Stream: *d.Content})
		}
		index = append(index, entry)
	}
	text, err := json.Marshal(index)
	if err != nil {
		panic("encoding strings and numbers: " + err.Error())
	}
	r.Stdout = Whole(text)
}

// UnpackDocuments returns the documents of a report, in the order of the names.
// It fails where the index came through cut, or is none; a content that did not
// come through is nil.
func (r Report) UnpackDocuments() ([]FetchedDocument, error) {
	if r.Stdout.Truncated() {
		return nil, errors.New("the index of the documents did not come through whole")
	}
	var index []indexedDocument
	if err := json.Unmarshal(r.Stdout.Data, &index); err != nil {
		return nil, fmt.Errorf("reading the index of the documents: %w", err)
	}
	files := make(map[string]*Stream, len(r.Files))
	for i := range r.Files {
		files[r.Files[i].Path] = &r.Files[i].Stream
	}
	documents := make([]FetchedDocument, 0, len(index))
	for _, entry := range index {
		entry.Content = files[entry.File]
		documents = append(documents, entry.FetchedDocument)
	}
	return documents, nil
}

// contentsFile is the path, in a report, of what a FetchFile asked for.
const contentsFile = "contents"

// PackFile puts the file into the report. UnpackFile is the reverse.
func (r *Report) PackFile(contents []byte) {
	r.Files = []File{{Path: contentsFile, Stream: Whole(contents)}}
}

// UnpackFile returns the file of a report, or nil where there is none.
func (r Report) UnpackFile() *Stream {
	if len(r.Files) != 1 || r.Files[0].Path != contentsFile {
		return nil
	}
	return &r.Files[0].Stream
}

// Whole returns the stream that these bytes are all of.
func Whole(data []byte) Stream {
	sum := sha256.Sum256(data)
	return Stream{Bytes: int64(len(data)), SHA256: hex.EncodeToString(sum[:]), Data: data, Head: len(data)}
}
