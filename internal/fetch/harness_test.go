// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gcloud-operator/gcloud-operator/internal/result"
	"github.com/gcloud-operator/gcloud-operator/test/fakes"
)

// fakeClock is a clock on which sleeping takes no time.
type fakeClock struct {
	now    time.Time
	sleeps []time.Duration
}

func (c *fakeClock) Now() time.Time { return c.now }

func (c *fakeClock) Sleep(ctx context.Context, d time.Duration) error {
	c.sleeps = append(c.sleeps, d)
	c.now = c.now.Add(d)
	return ctx.Err()
}

// harness fetches from a fake.
type harness struct {
	*testing.T
	clock *fakeClock
	log   bytes.Buffer
	url   string
}

func newHarness(t *testing.T, api http.Handler) *harness {
	t.Helper()
	server := httptest.NewServer(api)
	t.Cleanup(server.Close)
	return &harness{T: t, clock: &fakeClock{now: time.Now()}, url: server.URL + "/"}
}

func (h *harness) fetcher() Fetcher {
	return Fetcher{Transport: http.DefaultTransport, Clock: h.clock, Jitter: func() float64 { return 0 }, Log: &h.log}
}

// fetch does the task; without credentials of its own it has none.
func (h *harness) fetch(task result.Fetch) result.Report {
	h.Helper()
	ctx, cancel := context.WithTimeout(h.Context(), 20*time.Second)
	defer cancel()
	return h.fetchUntil(ctx, task)
}

func (h *harness) fetchUntil(ctx context.Context, task result.Fetch) result.Report {
	h.Helper()
	task.Endpoint = h.url
	if task.Credentials == (result.FetchCredentials{}) {
		task.Credentials.Anonymous = true
	}
	return h.fetcher().Fetch(ctx, task)
}

func (h *harness) fetchDocuments(names []string, known ...result.KnownDocument) ([]result.FetchedDocument, result.Report) {
	h.Helper()
	report := h.fetch(result.Fetch{Documents: &result.FetchDocuments{Names: names, Known: known}})
	documents, err := report.UnpackDocuments()
	if err != nil {
		h.Fatal(err)
	}
	return documents, report
}

// file writes a file and returns its path.
func (h *harness) file(contents string) string {
	h.Helper()
	path := filepath.Join(h.TempDir(), "file")
	if err := os.WriteFile(path, []byte(contents), 0o600); err != nil {
		h.Fatal(err)
	}
	return path
}

const workspace = "projects/p-12345/locations/europe-west1/repositories/r/workspaces/w"

// requestsOf are the requests in short: path and query.
func requestsOf(seen []fakes.Request) []string {
	var short []string
	for _, r := range seen {
		short = append(short, r.Method+" "+r.Path+"?"+r.RawQuery)
	}
	return short
}
