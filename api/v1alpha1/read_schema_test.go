// SPDX-License-Identifier: Apache-2.0

package v1alpha1_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"
)

const (
	documentFetchCRD    = "../../config/crd/gcloud-operator.dev_documentfetches.yaml"
	dataformFileReadCRD = "../../config/crd/gcloud-operator.dev_dataformfilereads.yaml"

	document  = "documents/docs.cloud.google.com/storage/docs/creating-buckets"
	workspace = "projects/my-project/locations/europe-west1/repositories/r/workspaces/w"
)

func names(of ...any) map[string]any { return map[string]any{"names": of} }

func TestValuesOfADocumentFetch(t *testing.T) {
	const (
		form    = "must be documents/ and the document's URI without https://"
		element = "must not have empty elements, '.', '..' or a slash at the end"
		mark    = "must not have a query, a fragment, white space, a backslash, or percent-encoded dots and slashes"
	)
	key := map[string]any{"name": "secret", "key": "api.key"}
	c := readCRD(t, documentFetchCRD)
	for name, test := range map[string]struct {
		spec map[string]any
		want string // of the error, or "" where it is accepted
	}{
		"a document":                {names(document), ""},
		"other scripts and marks":   {names("documents/a.dev/文書/x+y", "documents/a.dev/a%20b"), ""},
		"as many as may be":         {names(many(20, func(i int) any { return fmt.Sprint("documents/", i) })...), ""},
		"more than may be":          {names(many(21, func(i int) any { return fmt.Sprint("documents/", i) })...), "must have at most 20 items"},
		"none":                      {names(), "should have at least 1 items"},
		"a name of 500 characters":  {names("documents/" + strings.Repeat("é", 490)), ""},
		"a name that is too long":   {names("documents/" + strings.Repeat("é", 491)), "may not be more than 500"},
		"a name twice":              {names(document, document), "Duplicate value"},
		"no prefix":                 {names("a.dev"), form},
		"an address":                {names("https://a.dev"), form},
		"an address with a prefix":  {names("documents/https://a.dev"), form},
		"nothing after the prefix":  {names("documents/"), element},
		"a slash at the end":        {names("documents/a/"), element},
		"an empty element":          {names("documents//a"), element},
		"a name that climbs":        {names("documents/a/../b"), element},
		"a name that climbs, coded": {names("documents/a/%2e%2E/b"), mark},
		"a slash, coded":            {names("documents/a%2Fb"), mark},
		"a NUL, coded":              {names("documents/a%00"), mark},
		"a backslash":               {names(`documents/a\b`), mark},
		"a query":                   {names("documents/a?b"), mark},
		"a fragment":                {names("documents/a#b"), mark},
		"a space":                   {names("documents/a b"), mark},

		"a view":                        {with(names(document), "view", "DOCUMENT_VIEW_BASIC"), ""},
		"another view":                  {with(names(document), "view", "BASIC"), "Unsupported value"},
		"an interval":                   {with(names(document), "interval", "1h"), ""},
		"an interval that is short":     {with(names(document), "interval", "59s"), "must be between 1m and 8760h"},
		"a timeout":                     {with(names(document), "timeout", "90s"), ""},
		"a timeout that is long":        {with(names(document), "timeout", "61m"), "must be between 1s and 1h"},
		"an API key":                    {with(names(document), "identity", map[string]any{"apiKeySecretRef": key}), ""},
		"an API key, and a key file":    {with(names(document), "identity", map[string]any{"apiKeySecretRef": key, "secretRef": key}), "at most one of"},
		"an account, and an API key":    {with(names(document), "identity", map[string]any{"serviceAccountName": "a", "apiKeySecretRef": key}), "at most one of"},
		"a Secret without its key":      {with(names(document), "identity", map[string]any{"secretRef": map[string]any{"name": "a"}}), "Required value"},
		"a key that no Secret can have": {with(names(document), "identity", map[string]any{"secretRef": map[string]any{"name": "a", "key": "a/b"}}), "should match"},
	} {
		t.Run(name, func(t *testing.T) { checkSpec(t, c, "DocumentFetch", test.spec, test.want) })
	}
}

func TestValuesOfADataformFileRead(t *testing.T) {
	const (
		form     = "must have the form projects/PROJECT/locations/LOCATION/repositories/REPOSITORY/workspaces/WORKSPACE"
		element  = "must be relative to the root of the workspace"
		mark     = "must not have a backslash, control characters, or percent-encoded dots and slashes"
		revision = "must be one revision"
	)
	base := map[string]any{"workspace": workspace, "path": "definitions/a.sqlx"}
	c := readCRD(t, dataformFileReadCRD)
	for name, test := range map[string]struct {
		field string
		value any
		want  string // of the error, or "" where it is accepted
	}{
		"what is required": {"path", "a", ""},

		"a project's number":      {"workspace", "projects/123/locations/us/repositories/R_1/workspaces/w-2", ""},
		"a project of a domain":   {"workspace", "projects/example.com:my-project/locations/us/repositories/r/workspaces/w", ""},
		"a repository":            {"workspace", "projects/my-project/locations/us/repositories/r", form},
		"a workspace that climbs": {"workspace", "projects/my-project/locations/us/repositories/r/workspaces/..", form},
		"a method":                {"workspace", workspace + ":writeFile", form},
		"a line more":             {"workspace", workspace + "\n", form},

		"other scripts, spaces and marks": {"path", "über uns/50% + (文) & c=d?e#f.sql", ""},
		"a path that is too long":         {"path", strings.Repeat("é", 1025), "may not be more than 1024"},
		"an absolute path":                {"path", "/etc/passwd", element},
		"a path that climbs":              {"path", "a/../b", element},
		"a folder":                        {"path", "a/", element},
		"a path that climbs, coded":       {"path", "%2e%2e/b", mark},
		"a backslash":                     {"path", `a\b`, mark},
		"a NUL":                           {"path", "a\x00", mark},
		"what turns the direction":        {"path", "a\u202eb", mark},

		"a branch":            {"revision", "feature/größe+1", ""},
		"a parent":            {"revision", "HEAD~1^2", ""},
		"an option":           {"revision", "--all", revision},
		"a range":             {"revision", "v1..v2", revision},
		"a space":             {"revision", "v 1", revision},
		"a file of a commit":  {"revision", "HEAD:b", revision},
		"a glob":              {"revision", "v*", revision},
		"an empty revision":   {"revision", "", "should be at least 1 chars long"},
		"a ConfigMap":         {"output", map[string]any{"configMapName": "a.b"}, ""},
		"a ConfigMap of none": {"output", map[string]any{}, "Required value"},
		"two identities": {"identity", map[string]any{
			"serviceAccountName": "a", "secretRef": map[string]any{"name": "a", "key": "b"},
		}, "at most one of"},
	} {
		t.Run(name, func(t *testing.T) {
			checkSpec(t, c, "DataformFileRead", with(base, test.field, test.value), test.want)
		})
	}
}

func with(spec map[string]any, name string, value any) map[string]any {
	spec = maps.Clone(spec)
	spec[name] = value
	return spec
}

func checkSpec(t *testing.T, c crd, kind string, spec map[string]any, want string) {
	t.Helper()
	errs := c.check(t, map[string]any{
		"apiVersion": "gcloud-operator.dev/v1alpha1", "kind": kind, "metadata": map[string]any{"name": "a"}, "spec": spec,
	})
	if accepted := len(errs) == 0; accepted != (want == "") || !strings.Contains(fmt.Sprint(errs), want) {
		t.Errorf("got %v, want %q", errs, want)
	}
}
