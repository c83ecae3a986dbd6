// SPDX-License-Identifier: Apache-2.0

// Package fakes has HTTP servers that answer as Google's APIs are published to
// answer, for tests where no cloud is: the same paths, parameters, fields,
// limits and errors, and switches for all that can go wrong.
package fakes

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Request is a request as it came in. Path and RawQuery are as they were sent.
type Request struct {
	Method, Path, RawQuery string
	Header                 http.Header
}

// Behaviour says how an API behaves towards everybody. The zero value answers
// all requests at once.
type Behaviour struct {
	// Latency is how long each answer takes.
	Latency time.Duration
	// Quota is how many requests a minute are answered; 0 is no limit.
	Quota int
	// Key, Token: if one is set, a request has to carry it, as the header
	// X-Goog-Api-Key or as a bearer token. A key in the query is never taken.
	Key, Token string
	// DisabledIn is the number of a project in which the API is not enabled.
	DisabledIn string
	// Next are the errors of the next requests, one each.
	Next []Error
}

// Error is an error as Google's APIs answer it.
type Error struct {
	Code    int
	Status  string // such as NOT_FOUND
	Message string
	// Reason and Metadata are those of google.rpc.ErrorInfo; no detail without a Reason.
	Reason   string
	Metadata map[string]string
	// RetryAfter is the header of that name; none if empty.
	RetryAfter string
}

// api is what the APIs have in common: behaviour and records.
type api struct {
	service string
	mu      sync.Mutex
	b       Behaviour
	answers []time.Time // of the last minute
	seen    []Request
}

// Set changes the behaviour.
func (a *api) Set(b Behaviour) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.b, a.answers = b, nil
}

// Requests returns all requests since the last call of Forget, in their order.
func (a *api) Requests() []Request {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.seen)
}

// Forget forgets all requests.
func (a *api) Forget() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.seen = nil
}

// guard records requests, and answers those itself that get no further.
func (a *api) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		latency, refusal := a.admit(r)
		if latency > 0 {
			select {
			case <-r.Context().Done():
				return
			case <-time.After(latency):
			}
		}
		if refusal != nil {
			refusal.write(w)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (a *api) admit(r *http.Request) (latency time.Duration, refusal *Error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.seen = append(a.seen, Request{r.Method, r.URL.EscapedPath(), r.URL.RawQuery, r.Header.Clone()})
	switch {
	case len(a.b.Next) > 0:
		refusal = &a.b.Next[0]
		a.b.Next = a.b.Next[1:]
	case a.b.Key != "" || a.b.Token != "":
		refusal = a.checkCredentials(r)
	}
	if refusal == nil && a.b.DisabledIn != "" {
		refusal = a.disabled()
	}
	if refusal == nil {
		refusal = a.countAgainstQuota(time.Now())
	}
	return a.b.Latency, refusal
}

func (a *api) checkCredentials(r *http.Request) *Error {
	key := r.Header.Get("X-Goog-Api-Key")
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	switch {
	case a.b.Key != "" && key == a.b.Key, a.b.Token != "" && token == a.b.Token:
		return nil
	case key != "":
		return &Error{Code: 400, Status: "INVALID_ARGUMENT", Message: "API key not valid. Please pass a valid API key.",
			Reason: "API_KEY_INVALID", Metadata: map[string]string{"service": a.service}}
	case token != "":
		return &Error{Code: 401, Status: "UNAUTHENTICATED", Message: "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.",
			Reason: "ACCESS_TOKEN_INVALID", Metadata: map[string]string{"service": a.service}}
	}
	return &Error{Code: 403, Status: "PERMISSION_DENIED", Message: "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API."}
}

func (a *api) disabled() *Error {
	return &Error{
		Code: 403, Status: "PERMISSION_DENIED", Reason: "SERVICE_DISABLED",
		Message: fmt.Sprintf("%s has not been used in project %s before or it is disabled. Enable it, then retry.", a.service, a.b.DisabledIn),
		Metadata: map[string]string{
			"service": a.service, "consumer": "projects/" + a.b.DisabledIn, "containerInfo": a.b.DisabledIn,
		},
	}
}

func (a *api) countAgainstQuota(now time.Time) *Error {
	if a.b.Quota == 0 {
		return nil
	}
	a.answers = slices.DeleteFunc(a.answers, func(t time.Time) bool { return now.Sub(t) >= time.Minute })
	if len(a.answers) < a.b.Quota {
		a.answers = append(a.answers, now)
		return nil
	}
	wait := a.answers[0].Add(time.Minute).Sub(now)
	return &Error{
		Code: 429, Status: "RESOURCE_EXHAUSTED", Reason: "RATE_LIMIT_EXCEEDED",
		Message:    fmt.Sprintf("Quota exceeded for quota metric 'Requests' and limit 'Requests per minute' of service '%s'.", a.service),
		Metadata:   map[string]string{"service": a.service, "quota_limit_value": fmt.Sprint(a.b.Quota)},
		RetryAfter: fmt.Sprint(int(wait/time.Second) + 1),
	}
}

func (e *Error) write(w http.ResponseWriter) {
	body := map[string]any{"code": e.Code, "message": e.Message, "status": e.Status}
	if e.Reason != "" {
		body["details"] = []any{map[string]any{
			"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": e.Reason,
			"domain": "googleapis.com", "metadata": e.Metadata,
		}}
	}
	if e.RetryAfter != "" {
		w.Header().Set("Retry-After", e.RetryAfter)
	}
	writeJSON(w, e.Code, map[string]any{"error": body})
}

func writeJSON(w http.ResponseWriter, code int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(body) // the client is gone
}

// Serve serves an API at an address such as 127.0.0.1:0 until stop is called,
// and returns the base URL, with a trailing slash.
func Serve(address string, handler http.Handler) (url string, stop func(), err error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return "", nil, fmt.Errorf("serving a fake: %w", err)
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }() // ends when it is closed
	return "http://" + listener.Addr().String() + "/", func() { _ = server.Close() }, nil
}
