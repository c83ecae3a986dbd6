// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gcloud-operator/gcloud-operator/internal/result"
	"github.com/gcloud-operator/gcloud-operator/test/fakes"
)

func TestRetries(t *testing.T) {
	const s = time.Second
	busy := fakes.Error{Code: 503, Status: "UNAVAILABLE", Message: "busy"}
	quota := fakes.Error{Code: 429, Status: "RESOURCE_EXHAUSTED", Message: "quota"}
	asked := quota
	asked.RetryAfter = "7"
	long := quota
	long.RetryAfter = "3600"
	for name, c := range map[string]struct {
		next    []fakes.Error
		timeout time.Duration // by the fake clock; 0 for none
		sleeps  []time.Duration
		reason  result.Reason
		message string // a part of it
	}{
		"a 503, then it goes well":                     {[]fakes.Error{busy}, 0, []time.Duration{s}, result.Fetched, ""},
		"waits double":                                 {[]fakes.Error{busy, busy, busy, busy}, 0, []time.Duration{s, 2 * s, 4 * s, 8 * s}, result.Fetched, ""},
		"after five attempts it is given up":           {slices.Repeat([]fakes.Error{busy}, 5), 0, []time.Duration{s, 2 * s, 4 * s, 8 * s}, result.Unavailable, "busy (HTTP 503) (tried 5 times)"},
		"a 429 without a time is like a 503":           {[]fakes.Error{quota}, 0, []time.Duration{s}, result.Fetched, ""},
		"a 429 waits as long as the server says":       {[]fakes.Error{asked, asked}, 0, []time.Duration{7 * s, 7 * s}, result.Fetched, ""},
		"but not for an hour":                          {[]fakes.Error{long}, 0, nil, result.RateLimited, "quota (HTTP 429); the server asks to wait 1h0m0s"},
		"nor beyond the timeout":                       {[]fakes.Error{asked}, 5 * s, nil, result.RateLimited, "quota (HTTP 429) (tried once); the timeout is over before the next attempt"},
		"a 404 is not tried again":                     {[]fakes.Error{{Code: 404, Message: "gone"}}, 0, nil, result.NotFound, "gone (HTTP 404)"},
		"a 500 is":                                     {[]fakes.Error{{Code: 500}}, 0, []time.Duration{s}, result.Fetched, ""},
		"a 400 is not":                                 {[]fakes.Error{{Code: 400, Message: "bad"}}, 0, nil, result.InvalidArgument, "bad (HTTP 400)"},
		"nor is a 401":                                 {[]fakes.Error{{Code: 401, Message: "who?"}}, 0, nil, result.Unauthenticated, "who? (HTTP 401)"},
		"a 403 for the rate is":                        {[]fakes.Error{{Code: 403, Reason: "RATE_LIMIT_EXCEEDED"}}, 0, []time.Duration{s}, result.Fetched, ""},
		"a 5xx and a 429 count together":               {[]fakes.Error{busy, asked, busy, asked, busy}, 0, []time.Duration{s, 7 * s, 4 * s, 7 * s}, result.Unavailable, "tried 5 times"},
		"a server that asks for nothing is waited for": {[]fakes.Error{{Code: 503, RetryAfter: "0"}}, 0, []time.Duration{s}, result.Fetched, ""},
	} {
		t.Run(name, func(t *testing.T) {
			api := fakes.NewDataform()
			api.Put(workspace, "a", "", []byte("a"))
			api.Set(fakes.Behaviour{Next: c.next})
			h := newHarness(t, api)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if c.timeout > 0 {
				ctx, cancel = context.WithDeadline(ctx, h.clock.now.Add(c.timeout))
				defer cancel()
			}
			report := h.fetchUntil(ctx, file("a", ""))
			if report.Reason != c.reason || !strings.Contains(report.Message, c.message) {
				t.Errorf("%s: %s", report.Reason, report.Message)
			}
			if !slices.Equal(h.clock.sleeps, c.sleeps) {
				t.Errorf("it slept %v, want %v", h.clock.sleeps, c.sleeps)
			}
			if got := strings.Count(h.log.String(), "trying again in"); got != len(c.sleeps) {
				t.Errorf("the log has %q", h.log.String())
			}
		})
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"":                              0,
		"5":                             5 * time.Second,
		"0":                             0,
		"-5":                            0,
		"1.5":                           0,
		"soon":                          0,
		"99999999999999999999":          0,
		"Tue, 01 Sep 2026 12:00:30 GMT": 30 * time.Second,
		"Tue, 01 Sep 2026 11:00:00 GMT": 0,
	} {
		if got := retryAfter(http.Header{"Retry-After": {text}}, now); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}

func TestJitterSpreadsWaits(t *testing.T) {
	s := &session{Fetcher: Fetcher{Clock: &fakeClock{}, Jitter: func() float64 { return 1 }}}
	for _, c := range []struct {
		f    failure
		want time.Duration
	}{
		{failure{}, 500 * time.Millisecond},                  // half as long
		{failure{after: 10 * time.Second}, 11 * time.Second}, // never less than asked for
	} {
		if got, err := s.wait(t.Context(), &c.f, 1); err != nil || got != c.want {
			t.Errorf("got %s, %v, want %s", got, err, c.want)
		}
	}
	for range 100 {
		if j := jitter(); j < 0 || j > 1 {
			t.Fatalf("jitter is %f", j)
		}
	}
}

func TestTheQuotaOfTheServerIsHonoured(t *testing.T) {
	names, documents := manyDocuments(3, 10)
	api := fakes.NewDocuments(documents...)
	api.Set(fakes.Behaviour{Quota: 1})
	h := newHarness(t, api)
	if _, report := h.fetchDocuments(names); report.Reason != result.Fetched {
		t.Fatal(report.Message)
	}
	// The minute is not over before the timeout is.
	_, report := h.fetchDocuments(names)
	if report.Reason != result.RateLimited || len(api.Requests()) != 2 || !strings.Contains(report.Message, "the timeout is over before the next attempt") {
		t.Errorf("%s: %s", report.Reason, report.Message)
	}
}

func TestTheTimeoutEndsAFetch(t *testing.T) {
	names, documents := manyDocuments(3, 10)
	api := fakes.NewDocuments(documents...)
	api.Set(fakes.Behaviour{Latency: time.Minute})
	for name, c := range map[string]struct {
		end    func(context.Context) (context.Context, context.CancelFunc)
		reason result.Reason
	}{
		"its own timeout": {func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 100*time.Millisecond)
		}, result.FetchTimedOut},
		"the pod is told to stop": {func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(100*time.Millisecond, cancel)
			return ctx, cancel
		}, result.FetchStopped},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := c.end(t.Context())
			defer cancel()
			h := newHarness(t, api)
			report := h.fetchUntil(ctx, result.Fetch{Documents: &result.FetchDocuments{Names: names}})
			if report.Reason != c.reason {
				t.Errorf("%s: %s", report.Reason, report.Message)
			}
		})
	}
}

func TestNobodyListens(t *testing.T) {
	h := newHarness(t, fakes.NewDataform())
	h.url = "http://127.0.0.1:1/"
	report := h.fetch(file("a", ""))
	if report.Reason != result.Unavailable || !strings.Contains(report.Message, "connection refused") || len(h.clock.sleeps) != maxAttempts-1 {
		t.Errorf("%s: %s", report.Reason, report.Message)
	}
}
