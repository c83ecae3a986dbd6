// SPDX-License-Identifier: Apache-2.0

// Package fetch reads documents of the Developer Knowledge API, or a file of a
// Dataform workspace, inside a run's pod. It knows nothing of Kubernetes.
package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

// Clock is the time that retries go by.
type Clock interface {
	Now() time.Time
	// Sleep returns early, with the context's error, when the context ends.
	Sleep(ctx context.Context, d time.Duration) error
}

// Fetcher reads from Google's APIs.
type Fetcher struct {
	// Transport carries all requests, those for tokens too.
	Transport http.RoundTripper
	Clock     Clock
	// Jitter returns a number from 0 to 1, by which retries of many pods are spread.
	Jitter func() float64
	// Log gets a line for each request that is tried again.
	Log io.Writer
}

// New returns a Fetcher for the real world that logs to log.
func New(log io.Writer) Fetcher {
	return Fetcher{Transport: http.DefaultTransport, Clock: wallClock{}, Jitter: jitter, Log: log}
}

// Fetch does the task until the context ends, and returns what came of it: the
// report's Reason, Message, Stdout and Files, and no exit code.
func (f Fetcher) Fetch(ctx context.Context, task result.Fetch) result.Report {
	report := result.Report{ExitCode: result.NoExitCode}
	s := &session{Fetcher: f, attempts: maxAttempts}
	client, err := s.authenticate(ctx, task.Credentials)
	switch {
	case err == nil && task.Documents != nil:
		err = s.documents(ctx, client, task, &report)
	case err == nil:
		err = s.file(ctx, client, task, &report)
	}
	if err != nil {
		report.Reason, report.Message = s.explain(ctx, err)
	}
	return report
}

// session is a Fetcher at work on one task.
type session struct {
	Fetcher
	attempts int    // for each request
	secret   string // is kept out of all messages
}

// failure is an error that knows its reason.
type failure struct {
	reason result.Reason
	err    error
	// again says that the same request may go well later; after is how long the
	// server wants it to wait, 0 where it doesn't say.
	again bool
	after time.Duration
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

func fail(reason result.Reason, format string, args ...any) error {
	return &failure{reason: reason, err: fmt.Errorf(format, args...)}
}

// maxMessage bounds what is told of one error, in bytes: servers can answer
// with whole pages.
const maxMessage = 400

// explain says what an error comes to. What could have gone well later, but for
// the end of the time or of the pod, comes to that end.
func (s *session) explain(ctx context.Context, err error) (result.Reason, string) {
	reason := result.Unavailable
	f, ok := errors.AsType[*failure](err)
	if ok {
		reason = f.reason
	}
	if ended := ctx.Err(); ended != nil && (!ok || f.again) {
		reason = result.FetchTimedOut
		if errors.Is(ended, context.Canceled) {
			reason = result.FetchStopped
		}
	}
	return reason, shorten(s.hide(err.Error()), maxMessage)
}
