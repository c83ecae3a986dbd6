// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"cloud.google.com/go/compute/metadata"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"

	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

// scope is the one that both APIs take.
const scope = "https://www.googleapis.com/auth/cloud-platform"

// requestTimeout bounds one attempt, so that a server that hangs is asked again.
const requestTimeout = time.Minute

// authenticate returns a client whose requests carry the credentials. It gets
// the first token itself, for then it is clear what went wrong when none comes.
func (s *session) authenticate(ctx context.Context, c result.FetchCredentials) (*http.Client, error) {
	var transport http.RoundTripper
	switch {
	case c.Anonymous:
		transport = s.Transport
	case c.APIKeyFile != "":
		key, err := readKey(c.APIKeyFile)
		if err != nil {
			return nil, err
		}
		s.secret = key
		transport = withHeader{s.Transport, "X-Goog-Api-Key", key}
	default:
		token, err := s.token(ctx, c.KeyFile)
		if err != nil {
			return nil, err
		}
		s.secret = token.AccessToken
		transport = withHeader{s.Transport, "Authorization", token.Type() + " " + token.AccessToken}
	}
	return &http.Client{Transport: transport, Timeout: requestTimeout, CheckRedirect: refuseRedirect}, nil
}

// refuseRedirect keeps the credentials from going to another host.
func refuseRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// readKey reads an API key. A header takes no line end and no other characters.
func readKey(path string) (string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", fail(result.Unauthenticated, "reading the API key: %w", err)
	}
	key := strings.TrimSpace(string(data))
	for _, c := range []byte(key) {
		if c <= ' ' || c > '~' {
			return "", fail(result.Unauthenticated, "the API key has characters that no key has: write the key alone into the Secret")
		}
	}
	if key == "" {
		return "", fail(result.Unauthenticated, "the API key is empty: write the key into the Secret")
	}
	return key, nil
}

// withHeader adds a header to every request.
type withHeader struct {
	http.RoundTripper
	name, value string
}

func (t withHeader) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set(t.name, t.value)
	return t.RoundTripper.RoundTrip(r)
}

// token gets an access token, which lasts longer than a task does, from the
// key file, or from the metadata server where there is none.
func (s *session) token(ctx context.Context, keyFile string) (*oauth2.Token, error) {
	transport := &tokenTransport{RoundTripper: s.Transport}
	client := &http.Client{Transport: transport, Timeout: requestTimeout}
	ctx = context.WithValue(ctx, oauth2.HTTPClient, client)
	get := func() (*oauth2.Token, error) { return metadataToken(ctx, client) }
	if keyFile != "" {
		credentials, err := readCredentials(ctx, keyFile)
		if err != nil {
			return nil, err
		}
		get = credentials.TokenSource.Token
	}
	var token *oauth2.Token
	err := s.try(ctx, func() (err error) {
		token, err = get()
		if err != nil && keyFile == "" {
			return noIdentity(err)
		}
		return noToken(err, transport.unanswered)
	})
	return token, err
}

func readCredentials(ctx context.Context, path string) (*google.Credentials, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fail(result.Unauthenticated, "reading the credentials: %w", err)
	}
	var file struct {
		Type google.CredentialsType `json:"type"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fail(result.Unauthenticated, "the credentials are not JSON: write the whole file of a service account key, or of a federated identity, into the Secret")
	}
	switch file.Type {
	case google.ServiceAccount, google.ExternalAccount, google.ImpersonatedServiceAccount:
	default:
		return nil, fail(result.Unauthenticated, "the credentials are of the type %q: use one of service_account, external_account, impersonated_service_account", file.Type)
	}
	credentials, err := google.CredentialsFromJSONWithType(ctx, data, file.Type, scope)
	if err != nil {
		return nil, fail(result.Unauthenticated, "reading the credentials: %w", err)
	}
	return credentials, nil
}

// metadataTimeout bounds one attempt: the metadata server is on the same node,
// but in a pod's first seconds, or where there is none, nobody answers.
const metadataTimeout = 5 * time.Second

// metadataToken asks for a token of the pod's own identity. The token source of
// package google would remember that there was no metadata server yet.
func metadataToken(ctx context.Context, client *http.Client) (*oauth2.Token, error) {
	ctx, cancel := context.WithTimeout(ctx, metadataTimeout)
	defer cancel()
	text, err := metadata.NewClient(client).GetWithContext(ctx, "instance/service-accounts/default/token?scopes="+url.QueryEscape(scope))
	if err != nil {
		return nil, err
	}
	var token oauth2.Token
	if err := json.NewDecoder(bytes.NewReader([]byte(text))).Decode(&token); err != nil || token.AccessToken == "" {
		return nil, errors.New("its answer is no token")
	}
	return &token, nil
}

// noIdentity: in a pod's first seconds a metadata server may say anything but
// that there is no such account.
func noIdentity(err error) error {
	if unknown, ok := errors.AsType[metadata.NotDefinedError](err); ok {
		return fail(result.Unauthenticated, "the metadata server knows no identity of this pod: %w", unknown)
	}
	return &failure{reason: result.IdentityNotReady, again: true, err: fmt.Errorf(
		"the metadata server gave no token for the pod's identity: %w; set up Workload Identity for the ServiceAccount, or name a Secret in spec.identity", err)}
}

// noToken: whoever answers is right about the credentials.
func noToken(err error, unanswered bool) error {
	if err == nil {
		return nil
	}
	if unanswered {
		return &failure{reason: result.Unavailable, again: true, err: fmt.Errorf("getting an access token: %w", err)}
	}
	return fail(result.Unauthenticated, "no access token for the credentials: %w", err)
}

// tokenTransport remembers whether its last request went unanswered, which the
// errors of the clients that ask for tokens don't tell, and keeps these clients
// from trying again themselves.
type tokenTransport struct {
	http.RoundTripper
	unanswered bool
}

func (t *tokenTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := t.RoundTripper.RoundTrip(r)
	if err == nil && response.StatusCode < 500 && response.StatusCode != http.StatusTooManyRequests {
		t.unanswered = false
		return response, nil
	}
	t.unanswered = true
	switch {
	case r.Context().Err() != nil:
		return response, err
	case err != nil:
		return nil, errors.New(err.Error())
	}
	response.Body.Close()
	return nil, errors.New(response.Status)
}
