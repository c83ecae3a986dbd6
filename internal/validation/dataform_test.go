// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"path"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

const workspace = "projects/my-project/locations/europe-west1/repositories/My_repo/workspaces/dev-1"

func TestDataformFilesThatAreTaken(t *testing.T) {
	for name, c := range map[string]struct{ workspace, path, revision string }{
		"a file of the workspace":     {workspace, "definitions/orders.sqlx", ""},
		"a file at the root":          {workspace, "workflow_settings.yaml", ""},
		"a branch":                    {workspace, "a", "feature/x"},
		"a commit":                    {workspace, "a", "0a1b2c3d4e5f60718293a4b5c6d7e8f901234567"},
		"a parent":                    {workspace, "a", "HEAD~1^2"},
		"a project's number":          {"projects/123456789012/locations/us/repositories/r/workspaces/w", "a", ""},
		"a project of a domain":       {"projects/example.com:my-project/locations/us/repositories/r/workspaces/w", "a", ""},
		"other scripts and spaces":    {workspace, "über uns/文 1.sql", "größe"},
		"marks that file names have":  {workspace, "50% + 1 (a) [b] & c=d?e#f;'g.sqlx", ""},
		"hidden files, and many dots": {workspace, ".github/...x/a..b", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if errs := DataformFile(field.NewPath("spec"), c.workspace, c.path, c.revision); len(errs) > 0 {
				t.Error(errs)
			}
		})
	}
}

func TestDataformFilesThatAreRefused(t *testing.T) {
	const (
		form    = "spec.workspace: must have the form " + workspaceForm
		encoded = "spec.path: must not have percent-encoded dots, slashes, backslashes, percent signs or control characters: write the path as it is, not encoded"
	)
	for name, c := range map[string]struct {
		workspace, path, revision string
		want                      []string
	}{
		"nothing at all":          {"", "", "", []string{form, "spec.path: must not be empty: write a path such as definitions/orders.sqlx"}},
		"a repository":            {"projects/my-project/locations/l/repositories/r", "a", "", []string{form}},
		"another collection":      {"projects/my-project/locations/l/repositories/r/workspace/w", "a", "", []string{form}},
		"an URL":                  {"https://dataform.googleapis.com/v1/" + workspace, "a", "", []string{form}},
		"a trailing slash":        {workspace + "/", "a", "", []string{form}},
		"bad IDs, all of them":    {"projects/P/locations/../repositories/a b/workspaces/é", "a", "", []string{`spec.workspace: "P" after projects/ must be a project's ID or number`, `spec.workspace: ".." after locations/ must be a location such as europe-west1`, `spec.workspace: "a b" after repositories/ must be letters, digits, - and _`, `spec.workspace: "é" after workspaces/ must be letters, digits, - and _`}},
		"a method in the name":    {workspace + ":writeFile", "a", "", []string{`spec.workspace: "dev-1:writeFile" after workspaces/ must be letters, digits, - and _`}},
		"dots as a workspace":     {strings.TrimSuffix(workspace, "dev-1") + "..", "a", "", []string{`spec.workspace: ".." after workspaces/ must be letters, digits, - and _`}},
		"an absolute path":        {workspace, "/etc/passwd", "", []string{"spec.path: must not begin with /: leave it out"}},
		"the way out":             {workspace, "a/../../b", "", []string{`spec.path: must not have elements "." or "..": write the path without them`}},
		"an encoded way out":      {workspace, "%2e%2e/b", "", []string{encoded}},
		"a folder":                {workspace, "definitions/", "", []string{"spec.path: must not end with /: leave it out"}},
		"an empty element":        {workspace, "a//b", "", []string{"spec.path: must not have empty elements: write one / in place of several"}},
		"a backslash":             {workspace, `a\b`, "", []string{"spec.path: must not have a backslash: write / between elements"}},
		"a NUL":                   {workspace, "a\x00.sqlx", "", []string{"spec.path: must not have control characters or invisible ones: leave them out"}},
		"a path that is too long": {workspace, strings.Repeat("é", 1025), "", []string{"spec.path: has 1025 characters, at most 1024 are allowed"}},
		"an option":               {workspace, "a", "--all", []string{"spec.revision: must not begin with -: write a commit, a branch or a tag"}},
		"a range":                 {workspace, "a", "v1..v2", []string{"spec.revision: must not have ..: write one revision, not a range"}},
		"a space":                 {workspace, "a", "v1 ", []string{"spec.revision: must not have white space or invisible characters: leave them out"}},
		"another file":            {workspace, "a", "HEAD:b", []string{`spec.revision: must not have any of \ : ? * [: write a commit, a branch or a tag`}},
		"a revision too long":     {workspace, "a", strings.Repeat("a", 257), []string{"spec.revision: has 257 characters, at most 256 are allowed"}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := texts(DataformFile(field.NewPath("spec"), c.workspace, c.path, c.revision)); !slices.Equal(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

// FuzzDataformFile: no file outside of the workspace can be meant, however often
// a server decodes and cleans what it gets.
func FuzzDataformFile(f *testing.F) {
	f.Add(workspace, "definitions/a.sqlx", "main")
	f.Add(workspace+"/..", "../a", "..")
	f.Add("projects/p/locations/l/repositories/r/workspaces/%2e%2e", "%2e%2e%2fa", "-x")
	f.Fuzz(func(t *testing.T, workspace, file, revision string) {
		if errs := DataformFile(field.NewPath("spec"), workspace, file, revision); len(errs) > 0 {
			return
		}
		if path.Clean(workspace) != workspace || strings.Count(workspace, "/") != 7 || strings.ContainsAny(workspace, "%?#") {
			t.Errorf("the workspace %q was taken", workspace)
		}
		if path.IsAbs(file) || path.Clean(file) != file || strings.HasPrefix(file, "../") {
			t.Errorf("the path %q was taken", file)
		}
		staysBelow(t, file)
	})
}
