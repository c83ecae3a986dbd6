// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/gcloud-operator/gcloud-operator/internal/result"
	"github.com/gcloud-operator/gcloud-operator/test/fakes"
)

func query(name string, values []string) string {
	var parts []string
	for _, v := range values {
		parts = append(parts, name+"="+url.QueryEscape(v))
	}
	return strings.Join(parts, "&")
}

// The paths and parameters are those of the APIs' discovery documents:
// v1/documents:batchGet, v1/{+name}, and v1/{+workspace}:readFile.
func TestRequestsAreAsTheAPIsDocumentThem(t *testing.T) {
	const common = "alt=json&"
	for name, c := range map[string]struct {
		task result.Fetch
		want string
	}{
		"one document": {
			documents("documents/docs.cloud.google.com/storage/docs/creating-buckets"),
			"/v1/documents/docs.cloud.google.com/storage/docs/creating-buckets?alt=json&prettyPrint=false&view=DOCUMENT_VIEW_CONTENT",
		},
		"marks in the path of one document": {
			documents("documents/a.dev/x+y/50%/z&é=文?q#f g"),
			"/v1/documents/a.dev/x+y/50%25/z&%C3%A9=%E6%96%87%3Fq%23f%20g?alt=json&prettyPrint=false&view=DOCUMENT_VIEW_CONTENT",
		},
		"several documents": {
			documents("documents/a.dev/x+y", "documents/a.dev/50%", "documents/a.dev/é文&b=c#d"),
			"/v1/documents:batchGet?alt=json&names=documents%2Fa.dev%2Fx%2By&names=documents%2Fa.dev%2F50%25&names=documents%2Fa.dev%2F%C3%A9%E6%96%87%26b%3Dc%23d&prettyPrint=false&view=DOCUMENT_VIEW_CONTENT",
		},
		"another view": {
			result.Fetch{Documents: &result.FetchDocuments{Names: []string{"documents/a"}, View: "DOCUMENT_VIEW_FULL"}},
			"/v1/documents/a?alt=json&prettyPrint=false&view=DOCUMENT_VIEW_FULL",
		},
		"a file": {
			file("definitions/a.sqlx", ""),
			"/v1/" + workspace + ":readFile?" + common + "path=definitions%2Fa.sqlx&prettyPrint=false",
		},
		"a revision": {
			file("a", "feature/x+1"),
			"/v1/" + workspace + ":readFile?" + common + "path=a&prettyPrint=false&revision=feature%2Fx%2B1",
		},
		"marks in the path of a file": {
			file("über uns/50%+1/文&x=y?z#.sql", ""),
			"/v1/" + workspace + ":readFile?" + common + "path=%C3%BCber+uns%2F50%25%2B1%2F%E6%96%87%26x%3Dy%3Fz%23.sql&prettyPrint=false",
		},
		"a project of a domain": {
			result.Fetch{File: &result.FetchFile{Workspace: "projects/example.com:p/locations/l/repositories/r/workspaces/w", Path: "a"}},
			"/v1/projects/example.com:p/locations/l/repositories/r/workspaces/w:readFile?" + common + "path=a&prettyPrint=false",
		},
	} {
		t.Run(name, func(t *testing.T) {
			knowledge, dataform := fakes.NewDocuments(), fakes.NewDataform()
			var seen []fakes.Request
			if c.task.Documents != nil {
				newHarness(t, knowledge).fetch(c.task)
				seen = knowledge.Requests()
			} else {
				newHarness(t, dataform).fetch(c.task)
				seen = dataform.Requests()
			}
			if got := requestsOf(seen[:1]); !slices.Equal(got, []string{"GET " + c.want}) {
				t.Errorf("got  %s\nwant GET %s", got[0], c.want)
			}
		})
	}
}

func documents(names ...string) result.Fetch {
	return result.Fetch{Documents: &result.FetchDocuments{Names: names}}
}

func file(path, revision string) result.Fetch {
	return result.Fetch{File: &result.FetchFile{Workspace: workspace, Path: path, Revision: revision}}
}

// What the client sends arrives as what was meant.
func TestMarksInNamesArriveAsTheyAre(t *testing.T) {
	for _, name := range []string{"documents/a.dev/x+y", "documents/a.dev/50%", "documents/a.dev/a%20b", "documents/a.dev/é文 ?#&=;,:@!$'()*~"} {
		api := fakes.NewDocuments(fakes.Document{Name: name, Content: "one"}, fakes.Document{Name: name + "2", Content: "two"})
		got, report := newHarness(t, api).fetchDocuments([]string{name})
		if report.Reason != result.Fetched {
			t.Errorf("%s alone: %+v", name, got)
		}
		if _, report := newHarness(t, api).fetchDocuments([]string{name, name + "2"}); report.Reason != result.Fetched {
			t.Errorf("%s with another: %s", name, report.Message)
		}
	}
	for _, path := range []string{"a+b", "50%.sql", "a%2Fb", "über uns/文 ?#&=;,:@!$'()*~.sqlx"} {
		api := fakes.NewDataform()
		api.Put(workspace, path, "v1+%é", []byte("x"))
		if report := newHarness(t, api).fetch(file(path, "v1+%é")); report.Reason != result.Fetched {
			t.Errorf("%s: %s", path, report.Message)
		}
	}
}
