// SPDX-License-Identifier: Apache-2.0

package fakes

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// Identity is the services that tell who somebody is: Google's token endpoint for keys, the Security
// Token Service, the IAM Credentials API, and a node's metadata server. With them goes one API that
// knows who asks: a project's name is as whom it was asked for.
type Identity struct {
	// Metadata is whom the metadata server's token is of; empty: it answers nobody.
	Metadata string

	mu        sync.Mutex
	tokens    map[string]string // who they are of
	exchanged []string
}

// Tokens are all access tokens that were given away, and the cluster's own that some were given for.
func (f *Identity) Tokens() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := slices.Clone(f.exchanged)
	for token := range f.tokens {
		all = append(all, token)
	}
	slices.Sort(all)
	return all
}

// ServeHTTP answers for all of them: their paths differ.
func (f *Identity) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var answer any
	switch path := r.URL.Path; {
	case path == "/token":
		answer = f.tokenOf(claims(r.FormValue("assertion")).Issuer)
	case path == "/v1/token":
		answer = f.exchange(r)
	case path == "/v1/introspect":
		answer = map[string]any{"active": true, "username": f.tokens[r.FormValue("token")]}
	case strings.HasSuffix(path, ":generateAccessToken"):
		answer = f.impersonate(r)
	case strings.HasPrefix(path, "/v1/projects/"):
		answer = f.project(r)
	case strings.HasPrefix(path, metadataPath) && f.Metadata != "":
		f.metadata(w, r)
		return
	}
	if answer == nil {
		writeJSON(w, http.StatusUnauthorized, map[string]string{"error": "invalid_grant", "error_description": "this is nobody"})
		return
	}
	writeJSON(w, http.StatusOK, answer)
}

// newToken makes an access token.
func (f *Identity) newToken(who string) string {
	if f.tokens == nil {
		f.tokens = map[string]string{}
	}
	token := "ya29.a0" + rand.Text()
	f.tokens[token] = who
	return token
}

func (f *Identity) tokenOf(who string) any {
	if who == "" {
		return nil
	}
	return map[string]any{"access_token": f.newToken(who), "expires_in": 3599, "token_type": "Bearer"}
}

// exchange takes a token that is for the provider alone, as Google does.
func (f *Identity) exchange(r *http.Request) any {
	subject := claims(r.FormValue("subject_token"))
	if provider := r.FormValue("audience"); provider == "" || !slices.Contains(subject.Audience, "https:"+provider) {
		return nil
	}
	f.exchanged = append(f.exchanged, r.FormValue("subject_token"))
	return map[string]any{
		"access_token": f.newToken(subject.Subject), "expires_in": 3599, "token_type": "Bearer",
		"issued_token_type": "urn:ietf:params:oauth:token-type:access_token",
	}
}

func (f *Identity) impersonate(r *http.Request) any {
	who, known := f.tokens[bearer(r)]
	_, account, _ := strings.Cut(strings.TrimSuffix(r.URL.Path, ":generateAccessToken"), "/serviceAccounts/")
	if !known {
		return nil
	}
	return map[string]any{"accessToken": f.newToken(account + " by " + who), "expireTime": "2099-01-01T00:00:00Z"}
}

func (f *Identity) project(r *http.Request) any {
	who, known := f.tokens[bearer(r)]
	if !known {
		return nil
	}
	return map[string]any{"projectId": strings.TrimPrefix(r.URL.Path, "/v1/projects/"), "name": who}
}

const metadataPath = "/computeMetadata/v1/"

func (f *Identity) metadata(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Metadata-Flavor", "Google")
	switch path := strings.TrimPrefix(r.URL.Path, metadataPath); {
	case r.Header.Get("Metadata-Flavor") != "Google":
		w.WriteHeader(http.StatusForbidden)
	case path == "project/numeric-project-id":
		fmt.Fprint(w, "123456")
	case path == "project/project-id":
		fmt.Fprint(w, "my-project")
	case path == "universe/universe-domain":
		fmt.Fprint(w, "googleapis.com")
	case path == "instance/service-accounts/":
		fmt.Fprintf(w, "default/\n%s/\n", f.Metadata)
	case strings.HasSuffix(path, "/email"):
		fmt.Fprint(w, f.Metadata)
	case strings.HasSuffix(path, "/token"):
		writeJSON(w, http.StatusOK, f.tokenOf(f.Metadata))
	case strings.HasPrefix(path, "instance/service-accounts/") && r.FormValue("recursive") == "true":
		writeJSON(w, http.StatusOK, map[string]any{"aliases": []string{"default"}, "email": f.Metadata, "scopes": []string{"https://www.googleapis.com/auth/cloud-platform"}})
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

func bearer(r *http.Request) string {
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return token
}

// jwtClaims are those of a JSON Web Token that say whose it is, and for whom.
type jwtClaims struct {
	Issuer   string   `json:"iss"`
	Subject  string   `json:"sub"`
	Audience audience `json:"aud"`
}

// audience is one or several.
type audience []string

// UnmarshalJSON reads either.
func (a *audience) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*a = audience{one}
		return nil
	}
	return json.Unmarshal(text, (*[]string)(a))
}

// claims are those of a token, whose signature nobody looks at here; none where it is no token.
func claims(token string) (c jwtClaims) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return c
	}
	text, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(parts[1], "="))
	if err == nil {
		_ = json.Unmarshal(text, &c)
	}
	return c
}
