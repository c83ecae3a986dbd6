// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// texts are the violations as a user sees them, without the value.
func texts(errs field.ErrorList) []string {
	var t []string
	for _, e := range errs {
		t = append(t, e.Field+": "+e.Detail)
	}
	return t
}

func TestDocumentNamesThatAreTaken(t *testing.T) {
	twenty := make([]string, 20)
	for i := range twenty {
		twenty[i] = fmt.Sprintf("documents/a.dev/%d", i)
	}
	for name, names := range map[string][]string{
		"the API's own example":  {documentExample},
		"a host alone":           {"documents/firebase.google.com"},
		"marks that URIs have":   {"documents/a.dev/x+y/~u;v=1,2/(a)!$&'*:@"},
		"an encoded space":       {"documents/a.dev/a%20b"},
		"other scripts":          {"documents/a.dev/文書/é"},
		"dots inside an element": {"documents/a.dev/v1.2..3/...x"},
		"500 characters":         {"documents/" + strings.Repeat("é", 490)},
		"20 names":               twenty,
	} {
		t.Run(name, func(t *testing.T) {
			if errs := DocumentNames(field.NewPath("spec", "names"), names); len(errs) > 0 {
				t.Error(errs)
			}
		})
	}
}

func TestDocumentNamesThatAreRefused(t *testing.T) {
	const (
		noPrefix = "must be documents/ and the document's URI without https://: write "
		encoded  = "must not have percent-encoded dots, slashes, backslashes, percent signs or control characters: write the path as it is, not encoded"
		dots     = `must not have elements "." or "..": write the path without them`
		unseen   = "must not have control characters or invisible ones: leave them out"
	)
	for name, want := range map[string][]string{
		"":                             {noPrefix + documentExample},
		"docs.cloud.google.com/a":      {noPrefix + "documents/docs.cloud.google.com/a"},
		"https://a.dev/b/":             {noPrefix + "documents/a.dev/b"},
		"/documents/a.dev/../b":        {noPrefix + documentExample},
		"Documents/a.dev":              {noPrefix + "documents/Documents/a.dev"},
		"documents/https://a.dev/b":    {"must not have the scheme of the URI: write documents/a.dev/b"},
		"documents/":                   {"must not be empty: write a path such as " + documentExample},
		"documents//a.dev":             {"must not begin with /: leave it out"},
		"documents/a.dev/":             {"must not end with /: leave it out"},
		"documents/a.dev//b":           {"must not have empty elements: write one / in place of several"},
		"documents/a.dev/../b":         {dots},
		"documents/..":                 {dots},
		"documents/a.dev/./b":          {dots},
		"documents/a.dev/%2e%2E/b":     {encoded},
		"documents/a.dev%2fb":          {encoded},
		"documents/a.dev%5Cb":          {encoded},
		"documents/a.dev/%00":          {encoded},
		"documents/a.dev/%252e":        {encoded},
		`documents/a.dev\b`:            {"must not have a backslash: write / between elements"},
		"documents/a.dev/\x00":         {unseen},
		"documents/a.dev/\u202eb":      {unseen},
		"documents/a.dev/\u200b":       {unseen},
		"documents/a.dev/b?hl=de":      {"must not have a query or a fragment: leave out what follows ? or #"},
		"documents/a.dev/b#top":        {"must not have a query or a fragment: leave out what follows ? or #"},
		"documents/a.dev/b c":          {"must not have white space: write the URI as a browser shows it in the address bar"},
		"documents/a.dev/\xff":         {"must be valid UTF-8"},
		"documents//../x?\\%2f":        {"must not have a query or a fragment: leave out what follows ? or #", "must not begin with /: leave it out", dots, "must not have a backslash: write / between elements", encoded},
		"documents/" + long(491, "é"):  {"has 501 characters, and the API takes at most 500"},
		"documents/" + long(600, "a/"): {"has 1210 characters, and the API takes at most 500", "must not end with /: leave it out"},
	} {
		t.Run(shown(name), func(t *testing.T) {
			for i := range want {
				want[i] = "spec.names[0]: " + strings.TrimPrefix(want[i], "spec.names[0]: ")
			}
			if got := texts(DocumentNames(field.NewPath("spec", "names"), []string{name})); !slices.Equal(got, want) {
				t.Errorf("got  %q\nwant %q", got, want)
			}
		})
	}
}

func long(n int, s string) string { return strings.Repeat(s, n) }

func TestAllViolationsOfNamesAreToldAtOnce(t *testing.T) {
	names := []string{"documents/a", "a.dev", "documents/a", "documents/b/"}
	for i := range 18 {
		names = append(names, fmt.Sprintf("documents/n%d", i))
	}
	want := []string{
		"spec.names: 22 names, and one resource has at most 20: spread them over several resources",
		"spec.names[1]: must be documents/ and the document's URI without https://: write documents/a.dev",
		"spec.names[2]: is the same as spec.names[0]: name each document once",
		"spec.names[3]: must not end with /: leave it out",
	}
	if got := texts(DocumentNames(field.NewPath("spec", "names"), names)); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if got := texts(DocumentNames(field.NewPath("spec", "names"), nil)); !slices.Equal(got, []string{"spec.names: name from 1 to 20 documents, such as " + documentExample}) {
		t.Errorf("got %q", got)
	}
}

// FuzzDocumentNames: what is taken stays the same however often a server
// decodes, cleans and splits it, and what is refused says what to write.
func FuzzDocumentNames(f *testing.F) {
	for _, seed := range []string{documentExample, "documents/..", "documents/%2e", "documents/%25%32%65", "documents/a%2", "documents/\xff", "x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		errs := DocumentNames(field.NewPath("names"), []string{name})
		for _, e := range errs {
			if len(e.Error()) > 2000 || !strings.ContainsAny(e.Detail, ":,") && !strings.Contains(e.Detail, "UTF-8") {
				t.Errorf("a message that helps nobody: %s", e.Error())
			}
		}
		if len(errs) > 0 {
			return
		}
		if !strings.HasPrefix(name, documentPrefix) || path.Clean(name) != name || utf8.RuneCountInString(name) > maxDocumentNameLength {
			t.Errorf("%q was taken", name)
		}
		staysBelow(t, name)
	})
}

// staysBelow decodes a path as often as a careless server might.
func staysBelow(t *testing.T, name string) {
	t.Helper()
	for range 3 {
		decoded, err := url.PathUnescape(name)
		if err != nil {
			return
		}
		if path.Clean(decoded) != decoded || strings.Count(decoded, "/") != strings.Count(name, "/") || strings.ContainsAny(decoded, "\\\x00") {
			t.Errorf("%q was taken, and decoded it is %q", name, decoded)
		}
		name = decoded
	}
}
