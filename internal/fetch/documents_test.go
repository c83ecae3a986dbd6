// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/gcloud-operator/gcloud-operator/internal/result"
	"github.com/gcloud-operator/gcloud-operator/test/fakes"
)

// manyDocuments returns documents of so many bytes, and their names.
func manyDocuments(n, size int) (names []string, documents []fakes.Document) {
	for i := range n {
		name := fmt.Sprintf("documents/docs.cloud.google.com/storage/docs/page-%02d", i)
		names = append(names, name)
		documents = append(documents, fakes.Document{
			Name: name, URI: "https://" + strings.TrimPrefix(name, "documents/"),
			Title: fmt.Sprintf("Página %d", i), Description: "第" + fmt.Sprint(i), UpdateTime: "2026-08-30T10:00:00.123456Z",
			Content: strings.ToValidUTF8(strings.Repeat(fmt.Sprintf("# %02d é\n", i), size/8+1)[:size], "?"),
		})
	}
	return names, documents
}

func TestDocumentsComeInTheOrderOfTheNames(t *testing.T) {
	names, documents := manyDocuments(20, 200<<10)
	missing := "documents/docs.cloud.google.com/storage/docs/none"
	withMissing := slices.Insert(slices.Clone(names[:19]), 7, missing)
	for name, c := range map[string]struct {
		batch    fakes.Batch
		names    []string
		requests int
	}{
		"a batch that has them all":               {fakes.BatchFails, names, 1},
		"a batch in the reverse order":            {fakes.BatchReverses, names, 1},
		"a batch that fails for one missing name": {fakes.BatchFails, withMissing, 21},
		"a batch that leaves a missing name out":  {fakes.BatchLeavesOut, withMissing, 2},
		"both: another order, and one left out":   {fakes.BatchReverses, withMissing, 2},
		"one name needs no batch":                 {fakes.BatchFails, names[3:4], 1},
		"one name that is missing":                {fakes.BatchFails, []string{missing}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			api := fakes.NewDocuments(documents...)
			api.SetBatch(c.batch)
			got, report := newHarness(t, api).fetchDocuments(c.names)
			for i, name := range c.names {
				checkDocument(t, got[i], name, documents)
			}
			if seen := api.Requests(); len(seen) != c.requests {
				t.Errorf("%d requests, want %d", len(seen), c.requests)
			}
			if want := result.Fetched; !slices.Contains(c.names, missing) && report.Reason != want {
				t.Errorf("%s: %s", report.Reason, report.Message)
			}
			if slices.Contains(c.names, missing) && (report.Reason != result.NotFound ||
				!strings.HasPrefix(report.Message, fmt.Sprintf("%d of %d documents were fetched; %s: ", len(c.names)-1, len(c.names), missing))) {
				t.Errorf("%s: %s", report.Reason, report.Message)
			}
		})
	}
}

func checkDocument(t *testing.T, got result.FetchedDocument, name string, documents []fakes.Document) {
	t.Helper()
	i := slices.IndexFunc(documents, func(d fakes.Document) bool { return d.Name == name })
	if i < 0 {
		if got.Name != name || got.Content != nil || got.Error == nil || got.Error.Reason != result.NotFound {
			t.Errorf("got %+v, want that %s is not found", got, name)
		}
		return
	}
	want := documents[i]
	if got.Name != name || got.URI != want.URI || got.Title != want.Title || got.Description != want.Description ||
		got.UpdateTime != want.UpdateTime || got.Error != nil || got.Content == nil || string(got.Content.Data) != want.Content {
		t.Errorf("%s: got another document: %+v", name, got)
	}
}

func TestAnErrorOfOneNameLeavesTheOthers(t *testing.T) {
	for name, c := range map[string]struct {
		err    fakes.Error
		reason result.Reason
	}{
		"denied":         {fakes.Error{Code: 403, Status: "PERMISSION_DENIED", Message: "not yours"}, result.PermissionDenied},
		"refused":        {fakes.Error{Code: 400, Status: "INVALID_ARGUMENT", Message: "no such form"}, result.InvalidArgument},
		"broken for one": {fakes.Error{Code: 500, Status: "INTERNAL", Message: "oops"}, result.Unavailable},
	} {
		t.Run(name, func(t *testing.T) {
			names, documents := manyDocuments(4, 100)
			api := fakes.NewDocuments(documents...)
			api.SetError(names[1], c.err)
			if c.err.Code == 403 {
				// It is none of one name if a batch says it.
				api.SetBatch(fakes.BatchLeavesOut)
				api.Set(fakes.Behaviour{Next: []fakes.Error{{Code: 404, Status: "NOT_FOUND", Message: "one of them"}}})
			}
			got, report := newHarness(t, api).fetchDocuments(names)
			for i := range names {
				if (i == 1) != (got[i].Error != nil) || (i == 1) != (got[i].Content == nil) {
					t.Errorf("%d: %+v", i, got[i])
				}
			}
			if got[1].Error.Reason != c.reason || report.Reason != c.reason || !strings.HasPrefix(report.Message, "3 of 4 documents were fetched") {
				t.Errorf("%s, %s: %s", got[1].Error.Reason, report.Reason, report.Message)
			}
		})
	}
}

func TestAnErrorOfTheIdentityIsNotAskedForTwentyTimes(t *testing.T) {
	names, documents := manyDocuments(20, 10)
	for name, c := range map[string]struct {
		b      fakes.Behaviour
		reason result.Reason
	}{
		"no credentials":        {fakes.Behaviour{Key: "k"}, result.PermissionDenied},
		"the API is off":        {fakes.Behaviour{DisabledIn: "123456"}, result.APIDisabled},
		"the quota is used up":  {fakes.Behaviour{Next: []fakes.Error{{Code: 429, RetryAfter: "3600"}}}, result.RateLimited},
		"the token is no good":  {fakes.Behaviour{Next: []fakes.Error{{Code: 401, Status: "UNAUTHENTICATED"}}}, result.Unauthenticated},
		"a redirect, elsewhere": {fakes.Behaviour{Next: slices.Repeat([]fakes.Error{{Code: 302}}, 40)}, result.Unavailable},
	} {
		t.Run(name, func(t *testing.T) {
			api := fakes.NewDocuments(documents...)
			api.Set(c.b)
			got, report := newHarness(t, api).fetchDocuments(names)
			for _, d := range got {
				if d.Error == nil || d.Error.Reason != c.reason {
					t.Errorf("%+v", d)
				}
			}
			if report.Reason != c.reason || !strings.HasPrefix(report.Message, "0 of 20") || !strings.HasSuffix(report.Message, "and 17 more") {
				t.Errorf("%s: %s", report.Reason, report.Message)
			}
			if n := len(api.Requests()); n > 1 && c.reason != result.Unavailable {
				t.Errorf("%d requests", n)
			}
		})
	}
}

func TestARefreshFetchesWhatHasChangedAlone(t *testing.T) {
	names, documents := manyDocuments(5, 1000)
	api := fakes.NewDocuments(documents...)
	h := newHarness(t, api)
	first, _ := h.fetchDocuments(names)
	var known []result.KnownDocument
	for _, d := range first {
		known = append(known, result.KnownDocument{Name: d.Name, UpdateTime: d.UpdateTime, Bytes: d.Content.Bytes, SHA256: d.Content.SHA256})
	}
	newer := documents[2]
	newer.Content, newer.UpdateTime = "new", "2026-09-01T00:00:00Z"
	touched := documents[2]
	touched.UpdateTime, touched.Title = "2026-09-01T00:00:00Z", "Another"
	longer := documents[2]
	longer.Content += "more"
	untimed := documents[2]
	untimed.UpdateTime = ""
	contentURL := "GET /v1/" + names[2] + "?alt=json&prettyPrint=false&view=DOCUMENT_VIEW_CONTENT"
	basicURL := "GET /v1/documents:batchGet?alt=json&" + query("names", names) + "&prettyPrint=false&view=DOCUMENT_VIEW_BASIC"
	for name, c := range map[string]struct {
		now      fakes.Document
		known    []result.KnownDocument
		changed  []string
		requests []string
	}{
		"nothing has changed": {documents[2], known, nil, []string{basicURL}},
		"one is newer":        {newer, known, names[2:3], []string{basicURL, contentURL}},
		"one is newer, and its content is the same": {touched, known, nil, []string{basicURL, contentURL}},
		"one has another length at the same time":   {longer, known, names[2:3], []string{basicURL, contentURL}},
		"one has no time":                           {untimed, known, nil, []string{basicURL, contentURL}},
		"one was not known": {documents[2], slices.Delete(slices.Clone(known), 2, 3), names[2:3], []string{
			strings.Replace(basicURL, "&"+query("names", names[2:3]), "", 1), contentURL,
		}},
		"none was known": {documents[2], nil, names, []string{strings.Replace(basicURL, "BASIC", "CONTENT", 1)}},
	} {
		t.Run(name, func(t *testing.T) {
			api.Put(c.now)
			api.Forget()
			got, report := h.fetchDocuments(names, c.known...)
			var changed []string
			for i, d := range got {
				if d.Unchanged == (d.Content != nil) || d.Error != nil || d.Name != names[i] {
					t.Errorf("%+v", d)
				}
				if d.Content != nil {
					changed = append(changed, d.Name)
				}
			}
			if !slices.Equal(changed, c.changed) || report.Reason != result.Fetched {
				t.Errorf("changed: %q; %s: %s", changed, report.Reason, report.Message)
			}
			if seen := requestsOf(api.Requests()); !slices.Equal(seen, c.requests) {
				t.Errorf("asked %q\nwant  %q", seen, c.requests)
			}
			if got[2].Title != c.now.Title || got[2].UpdateTime != c.now.UpdateTime {
				t.Errorf("what came of a changed document's description: %+v", got[2])
			}
		})
	}
}

func TestADocumentThatIsGoneByTheRefreshIsNotFound(t *testing.T) {
	names, documents := manyDocuments(3, 10)
	api := fakes.NewDocuments(documents[:2]...)
	known := []result.KnownDocument{{Name: names[2], UpdateTime: documents[2].UpdateTime, Bytes: 10, SHA256: "x"}}
	got, report := newHarness(t, api).fetchDocuments(names, known...)
	if report.Reason != result.NotFound || got[2].Unchanged || got[2].Error == nil || got[0].Content == nil {
		t.Errorf("%s: %+v", report.Message, got)
	}
}

func TestTheBasicViewHasNoContent(t *testing.T) {
	names, documents := manyDocuments(2, 100)
	api := fakes.NewDocuments(documents...)
	h := newHarness(t, api)
	known := []result.KnownDocument{{Name: names[0], UpdateTime: documents[0].UpdateTime, Bytes: 100, SHA256: "x"}}
	report := h.fetch(result.Fetch{Documents: &result.FetchDocuments{Names: names, View: basicView, Known: known}})
	got, err := report.UnpackDocuments()
	if err != nil || report.Reason != result.Fetched || got[0].Content != nil || got[0].Unchanged || got[0].Title != documents[0].Title {
		t.Errorf("%v, %s: %+v", err, report.Message, got)
	}
	if n := len(api.Requests()); n != 1 {
		t.Errorf("%d requests", n)
	}
}

func TestAnEmptyDocumentIsADocument(t *testing.T) {
	names, documents := manyDocuments(1, 0)
	got, report := newHarness(t, fakes.NewDocuments(documents...)).fetchDocuments(names)
	if report.Reason != result.Fetched || got[0].Content == nil || got[0].Content.Bytes != 0 {
		t.Errorf("%s: %+v", report.Message, got)
	}
}

func TestAnAnswerThatIsNoneIsUnavailable(t *testing.T) {
	page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>log in first</html>") })
	h := newHarness(t, page)
	_, report := h.fetchDocuments([]string{"documents/a"})
	if report.Reason != result.Unavailable || len(h.clock.sleeps) != maxAttempts-1 {
		t.Errorf("%s: %s after %v", report.Reason, report.Message, h.clock.sleeps)
	}
}
