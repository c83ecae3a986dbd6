// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"google.golang.org/api/googleapi"

	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

// classify finds the reason of an error of an API's client.
func (s *session) classify(err error) error {
	if err == nil {
		return nil
	}
	answer, ok := errors.AsType[*googleapi.Error](err)
	if !ok {
		// No answer, or none that the client can read.
		return &failure{reason: result.Unavailable, again: true, err: err}
	}
	f := &failure{err: errors.New(message(answer)), after: retryAfter(answer.Header, s.Clock.Now())}
	f.reason, f.again = reasonOf(answer.Code)
	info := errorInfoOf(answer)
	switch info.reason {
	case "SERVICE_DISABLED":
		f.reason, f.err = result.APIDisabled, info.disabled()
	case "API_KEY_INVALID":
		f.reason = result.Unauthenticated
	case "RATE_LIMIT_EXCEEDED":
		f.reason, f.again = result.RateLimited, true
	}
	return f
}

// reasonOf is the reason of a status code, and whether the same request may go
// well later.
func reasonOf(code int) (reason result.Reason, again bool) {
	switch {
	case code == http.StatusUnauthorized:
		return result.Unauthenticated, false
	case code == http.StatusForbidden:
		return result.PermissionDenied, false
	case code == http.StatusNotFound:
		return result.NotFound, false
	case code == http.StatusTooManyRequests:
		return result.RateLimited, true
	case code >= 500:
		return result.Unavailable, true
	case code >= 400:
		return result.InvalidArgument, false
	}
	// A redirect, which no API of Google's answers with.
	return result.Unavailable, false
}

// message is what the API says in words.
func message(e *googleapi.Error) string {
	text := cmp.Or(e.Message, strings.TrimSpace(e.Body), http.StatusText(e.Code))
	return fmt.Sprintf("%s (HTTP %d)", shorten(text, maxMessage-len(" (HTTP 000)")), e.Code)
}

// errorInfo is the detail of an error that programs can rely on:
// google.rpc.ErrorInfo.
type errorInfo struct {
	reason   string
	metadata map[string]any
}

const errorInfoType = "type.googleapis.com/google.rpc.ErrorInfo"

func errorInfoOf(e *googleapi.Error) errorInfo {
	for _, detail := range e.Details {
		fields, ok := detail.(map[string]any)
		if !ok || fields["@type"] != errorInfoType {
			continue
		}
		reason, _ := fields["reason"].(string)
		metadata, _ := fields["metadata"].(map[string]any)
		return errorInfo{reason, metadata}
	}
	return errorInfo{}
}

// disabled names the API and the project, and says what to do.
func (i errorInfo) disabled() error {
	service, _ := i.metadata["service"].(string)
	consumer, _ := i.metadata["consumer"].(string)
	project := strings.TrimPrefix(consumer, "projects/")
	if service == "" || project == "" {
		return errors.New("the API is not enabled in the project that the request counts for")
	}
	return fmt.Errorf("the API %s is not enabled in the project %s: enable it (gcloud services enable %s --project=%s) and wait a few minutes",
		service, project, service, project)
}

// retryAfter is how long the server wants to be left alone: seconds, or a date.
// 0 where it doesn't say.
func retryAfter(header http.Header, now time.Time) time.Duration {
	text := header.Get("Retry-After")
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}

// hide keeps a credential out of a message: a server, or a proxy, may repeat
// what it was sent.
func (s *session) hide(text string) string {
	if s.secret == "" {
		return text
	}
	return strings.ReplaceAll(text, s.secret, "[hidden]")
}

// shorten cuts between characters.
func shorten(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	end := limit - len("…")
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}
