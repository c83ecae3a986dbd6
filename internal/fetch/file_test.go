// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"bytes"
	"strings"
	"testing"

	"github.com/gcloud-operator/gcloud-operator/internal/result"
	"github.com/gcloud-operator/gcloud-operator/test/fakes"
)

func TestFilesComeByteByByte(t *testing.T) {
	api := fakes.NewDataform()
	contents := map[string][]byte{
		"text.sqlx":        []byte("select 1 -- é\n"),
		"binary":           {0, 1, 2, 0xff, 0xfe, '\n'},
		"empty":            {},
		"large":            bytes.Repeat([]byte("0123456789abcdef"), 3<<16),
		"über uns/文 1.sql": []byte("select 'ü'"),
	}
	for path, data := range contents {
		api.Put(workspace, path, "", data)
	}
	api.Put(workspace, "text.sqlx", "main", []byte("select 0"))
	for path, want := range contents {
		t.Run(path, func(t *testing.T) {
			report := newHarness(t, api).fetch(file(path, ""))
			got := report.UnpackFile()
			if report.Reason != result.Fetched || got == nil || !bytes.Equal(got.Data, want) || got.Bytes != int64(len(want)) || len(got.SHA256) != 64 {
				t.Errorf("%s: %s", report.Reason, report.Message)
			}
		})
	}
	if got := newHarness(t, api).fetch(file("text.sqlx", "main")).UnpackFile(); string(got.Data) != "select 0" {
		t.Errorf("of the revision came %q", got.Data)
	}
}

func TestFilesThatDoNotCome(t *testing.T) {
	api := fakes.NewDataform()
	api.Put(workspace, "a", "", []byte("a"))
	denied := strings.Replace(workspace, "workspaces/w", "workspaces/secret", 1)
	api.Deny(denied)
	for name, c := range map[string]struct {
		workspace, path, revision string
		reason                    result.Reason
		message                   string
	}{
		"a missing file":      {workspace, "b", "", result.NotFound, "File 'b' was not found (HTTP 404)"},
		"a missing revision":  {workspace, "a", "v9", result.NotFound, "File 'a' was not found (HTTP 404)"},
		"a missing workspace": {workspace + "x", "a", "", result.NotFound, "Resource '" + workspace + "x' was not found (HTTP 404)"},
		"a denied workspace":  {denied, "a", "", result.PermissionDenied, "Permission 'dataform.workspaces.readFile' denied"},
		"a path that is none": {workspace, "/a", "", result.InvalidArgument, "path must be relative"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t, api)
			report := h.fetch(result.Fetch{File: &result.FetchFile{Workspace: c.workspace, Path: c.path, Revision: c.revision}})
			if report.Reason != c.reason || !strings.HasPrefix(report.Message, c.message) || report.UnpackFile() != nil {
				t.Errorf("%s: %s", report.Reason, report.Message)
			}
			if len(h.clock.sleeps) > 0 {
				t.Errorf("it was tried again after %v", h.clock.sleeps)
			}
		})
	}
}
