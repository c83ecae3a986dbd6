// SPDX-License-Identifier: Apache-2.0

package fakes

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
)

// Dataform is the Dataform API, as far as it reads files of workspaces.
type Dataform struct {
	api
	workspaces map[string]map[string][]byte // by path and revision
	denied     map[string]bool
}

// NewDataform returns an API without workspaces.
func NewDataform() *Dataform {
	return &Dataform{
		api:        api{service: "dataform.googleapis.com"},
		workspaces: map[string]map[string][]byte{}, denied: map[string]bool{},
	}
}

// Put adds or replaces a file of a workspace, which it adds too. The revision is
// empty for what is not committed.
func (d *Dataform) Put(workspace, path, revision string, contents []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.workspaces[workspace] == nil {
		d.workspaces[workspace] = map[string][]byte{}
	}
	d.workspaces[workspace][fileKey(path, revision)] = contents
}

// Deny lets nobody read files of a workspace.
func (d *Dataform) Deny(workspace string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.denied[workspace] = true
}

func fileKey(path, revision string) string { return path + "\x00" + revision }

var readFile = regexp.MustCompile(`^/v1/(projects/[^/]+/locations/[^/]+/repositories/[^/]+/workspaces/[^/]+):readFile$`)

// ServeHTTP answers GET /v1/{workspace}:readFile.
func (d *Dataform) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.guard(http.HandlerFunc(d.route)).ServeHTTP(w, r)
}

func (d *Dataform) route(w http.ResponseWriter, r *http.Request) {
	match := readFile.FindStringSubmatch(r.URL.Path)
	if r.Method != http.MethodGet || match == nil {
		http.NotFound(w, r)
		return
	}
	query := r.URL.Query()
	contents, refusal := d.read(match[1], query.Get("path"), query.Get("revision"))
	if refusal != nil {
		refusal.write(w)
		return
	}
	// In JSON bytes are base64, and empty bytes are left out.
	writeJSON(w, http.StatusOK, struct {
		FileContents []byte `json:"fileContents,omitempty"`
	}{contents})
}

func (d *Dataform) read(workspace, path, revision string) ([]byte, *Error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	files, ok := d.workspaces[workspace]
	switch {
	case d.denied[workspace]:
		return nil, &Error{
			Code: 403, Status: "PERMISSION_DENIED", Reason: "IAM_PERMISSION_DENIED",
			Message:  fmt.Sprintf("Permission 'dataform.workspaces.readFile' denied on resource '//dataform.googleapis.com/%s' (or it may not exist).", workspace),
			Metadata: map[string]string{"permission": "dataform.workspaces.readFile", "resource": workspace},
		}
	case !ok:
		return nil, &Error{Code: 404, Status: "NOT_FOUND", Message: fmt.Sprintf("Resource '%s' was not found", workspace)}
	case path == "" || strings.HasPrefix(path, "/"):
		return nil, invalid("path must be relative to the root of the workspace")
	}
	contents, ok := files[fileKey(path, revision)]
	if !ok {
		return nil, &Error{Code: 404, Status: "NOT_FOUND", Message: fmt.Sprintf("File '%s' was not found", path)}
	}
	return contents, nil
}
