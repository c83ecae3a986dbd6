// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/gcloud-operator/gcloud-operator/internal/result"
	"github.com/gcloud-operator/gcloud-operator/test/fakes"
)

const apiKey = "AIzaSyTestTestTestTestTestTestTestTest"

func TestAnAPIKeyGoesIntoTheHeaderAlone(t *testing.T) {
	names, documents := manyDocuments(2, 10)
	api := fakes.NewDocuments(documents...)
	api.Set(fakes.Behaviour{Key: apiKey})
	h := newHarness(t, api)
	report := h.fetch(result.Fetch{
		Credentials: result.FetchCredentials{APIKeyFile: h.file(apiKey + "\n")},
		Documents:   &result.FetchDocuments{Names: names},
	})
	if report.Reason != result.Fetched {
		t.Error(report.Message)
	}
	for _, r := range api.Requests() {
		if r.Header.Get("X-Goog-Api-Key") != apiKey || strings.Contains(r.RawQuery+r.Path, apiKey) || r.Header.Get("Authorization") != "" {
			t.Errorf("%+v", r)
		}
	}
}

func TestNoMessageHasTheKey(t *testing.T) {
	names, documents := manyDocuments(2, 10)
	wrong := fakes.NewDocuments(documents...)
	wrong.Set(fakes.Behaviour{Key: "another"})
	for name, c := range map[string]struct {
		server http.Handler
		reason result.Reason
	}{
		"a wrong key": {wrong, result.Unauthenticated},
		"a proxy that repeats the request": {http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusBadGateway)
			_ = r.Write(w)
		}), result.Unavailable},
		"an API that repeats the key": {http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprintf(w, `{"error":{"code":403,"message":"key %s has no rights"}}`, r.Header.Get("X-Goog-Api-Key"))
		}), result.PermissionDenied},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t, c.server)
			report := h.fetch(result.Fetch{
				Credentials: result.FetchCredentials{APIKeyFile: h.file(apiKey)},
				Documents:   &result.FetchDocuments{Names: names},
			})
			if report.Reason != c.reason {
				t.Errorf("%s: %s", report.Reason, report.Message)
			}
			if all := report.Message + string(report.Stdout.Data) + h.log.String(); strings.Contains(all, apiKey) {
				t.Errorf("there it is: %s", all)
			}
		})
	}
}

// A redirect would take the key to whoever the server names.
func TestNoRedirectIsFollowed(t *testing.T) {
	elsewhere := fakes.NewDocuments()
	other := httptest.NewServer(elsewhere)
	defer other.Close()
	h := newHarness(t, http.RedirectHandler(other.URL, http.StatusFound))
	report := h.fetch(result.Fetch{
		Credentials: result.FetchCredentials{APIKeyFile: h.file(apiKey)},
		Documents:   &result.FetchDocuments{Names: []string{"documents/a"}},
	})
	if report.Reason != result.Unavailable || len(elsewhere.Requests()) > 0 {
		t.Errorf("%s: %s", report.Reason, report.Message)
	}
}

func TestCredentialsThatAreNone(t *testing.T) {
	for name, c := range map[string]struct {
		key, json *string
		message   string
	}{
		"no file of a key":       {nil, nil, "reading the API key: "},
		"an empty key":           {new(" \n"), nil, "the API key is empty"},
		"two lines":              {new("a\nb"), nil, "write the key alone into the Secret"},
		"a key that is not JSON": {nil, new("AIza"), "the credentials are not JSON"},
		"a type that is unknown": {nil, new(`{"type":"authorized_user","refresh_token":"secret"}`), `of the type "authorized_user": use one of service_account`},
		"a key without a key":    {nil, new(`{"type":"service_account","client_email":"a@b","private_key":"none"}`), "no access token for the credentials: private key should be a PEM"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t, fakes.NewDataform())
			credentials := result.FetchCredentials{APIKeyFile: "/does/not/exist"}
			if c.key != nil {
				credentials = result.FetchCredentials{APIKeyFile: h.file(*c.key)}
			} else if c.json != nil {
				credentials = result.FetchCredentials{KeyFile: h.file(*c.json)}
			}
			report := h.fetch(result.Fetch{Credentials: credentials, File: file("a", "").File})
			if report.Reason != result.Unauthenticated || !strings.Contains(report.Message, c.message) {
				t.Errorf("%s: %s", report.Reason, report.Message)
			}
		})
	}
}

// tokenServer issues tokens as Google's do: for a signed assertion, for a
// federated token, and, as a metadata server, for whoever asks.
func tokenServer(t *testing.T, failures int, fail func(http.ResponseWriter)) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if failures > 0 {
			failures--
			fail(w)
			return
		}
		_ = r.ParseForm()
		metadata := r.URL.Path == "/computeMetadata/v1/instance/service-accounts/default/token" && r.Header.Get("Metadata-Flavor") == "Google" &&
			r.URL.Query().Get("scopes") == scope
		if r.PostForm.Get("assertion") == "" && r.PostForm.Get("subject_token") != "federated" && !metadata {
			http.Error(w, `{"error":"invalid_grant"}`, http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"access_token":"token-1","token_type":"Bearer","expires_in":3600,"issued_token_type":"urn:ietf:params:oauth:token-type:access_token"}`)
	}))
	t.Cleanup(server.Close)
	return server
}

func serviceAccountKey(t *testing.T, tokenURL string) string {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	private := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
	text, err := json.Marshal(map[string]string{
		"type": "service_account", "client_email": "a@p.iam.gserviceaccount.com", "private_key": string(private), "token_uri": tokenURL,
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestTokensComeFromEachKindOfIdentity(t *testing.T) {
	api := fakes.NewDataform()
	api.Put(workspace, "a", "", []byte("a"))
	api.Set(fakes.Behaviour{Token: "token-1"})
	unavailable := func(w http.ResponseWriter) { http.Error(w, "starting", http.StatusServiceUnavailable) }
	refused := func(w http.ResponseWriter) {
		http.Error(w, `{"error":"invalid_grant","error_description":"Invalid JWT Signature."}`, http.StatusBadRequest)
	}
	unknown := func(w http.ResponseWriter) { http.Error(w, "no such account", http.StatusNotFound) }
	const key, federated, metadata = "key", "federated", "metadata"
	for name, c := range map[string]struct {
		identity string
		failures int
		fail     func(http.ResponseWriter)
		reason   result.Reason
		message  string
		sleeps   int
	}{
		"the key of a service account":             {key, 0, nil, result.Fetched, "", 0},
		"a federated identity":                     {federated, 0, nil, result.Fetched, "", 0},
		"the metadata server":                      {metadata, 0, nil, result.Fetched, "", 0},
		"a token server that is down for a moment": {key, 1, unavailable, result.Fetched, "", 1},
		"a token server that is down":              {key, 9, unavailable, result.Unavailable, "getting an access token: ", 4},
		"a key that was deleted":                   {key, 1, refused, result.Unauthenticated, "no access token for the credentials: ", 0},
		"a metadata server that knows no account":  {metadata, 1, unknown, result.Unauthenticated, "the metadata server knows no identity of this pod", 0},
		"a metadata server that answers no token":  {metadata, 1, func(w http.ResponseWriter) { fmt.Fprint(w, "{}") }, result.Fetched, "", 1},
	} {
		t.Run(name, func(t *testing.T) {
			server := tokenServer(t, c.failures, c.fail)
			h := newHarness(t, api)
			api.Forget()
			var credentials result.FetchCredentials
			switch c.identity {
			case key:
				credentials.KeyFile = h.file(serviceAccountKey(t, server.URL))
			case federated:
				credentials.KeyFile = h.file(fmt.Sprintf(`{"type":"external_account","audience":"//iam.googleapis.com/x","token_url":%q,
					"subject_token_type":"urn:ietf:params:oauth:token-type:jwt","credential_source":{"file":%q}}`, server.URL, h.file("federated")))
			case metadata:
				t.Setenv("GCE_METADATA_HOST", strings.TrimPrefix(server.URL, "http://"))
			}
			report := h.fetcher().Fetch(t.Context(), result.Fetch{Endpoint: h.url, Credentials: credentials, File: file("a", "").File})
			if report.Reason != c.reason || !strings.HasPrefix(report.Message, c.message) || len(h.clock.sleeps) != c.sleeps {
				t.Errorf("%s after %v: %s", report.Reason, h.clock.sleeps, report.Message)
			}
			if len(api.Requests()) > 0 != (c.reason == result.Fetched) {
				t.Error("the API was asked without a token")
			}
		})
	}
}

func TestNoMetadataServerIsAnIdentityThatIsNotReady(t *testing.T) {
	t.Setenv("GCE_METADATA_HOST", "127.0.0.1:1")
	h := newHarness(t, fakes.NewDataform())
	report := h.fetcher().Fetch(t.Context(), result.Fetch{Endpoint: h.url, File: file("a", "").File})
	if report.Reason != result.IdentityNotReady || !strings.Contains(report.Message, "name a Secret in spec.identity") || len(h.clock.sleeps) != maxAttempts-1 {
		t.Errorf("%s after %v: %s", report.Reason, h.clock.sleeps, report.Message)
	}
}

func TestTheAPIAndTheProjectAreNamedWhereItIsDisabled(t *testing.T) {
	api := fakes.NewDataform()
	api.Set(fakes.Behaviour{DisabledIn: "123456"})
	report := newHarness(t, api).fetch(file("a", ""))
	want := "the API dataform.googleapis.com is not enabled in the project 123456: enable it (gcloud services enable dataform.googleapis.com --project=123456) and wait a few minutes"
	if report.Reason != result.APIDisabled || report.Message != want {
		t.Errorf("%s: %s", report.Reason, report.Message)
	}
	bare := newHarness(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, `{"error":{"code":403,"message":"off","details":["?",{"@type":"other"},{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"SERVICE_DISABLED"}]}}`)
	})).fetch(file("a", ""))
	if bare.Reason != result.APIDisabled || !strings.HasPrefix(bare.Message, "the API is not enabled") {
		t.Errorf("%s: %s", bare.Reason, bare.Message)
	}
}

func TestTheEndpointsAreGoogles(t *testing.T) {
	var asked []string
	record := roundTripper(func(r *http.Request) (*http.Response, error) {
		asked = append(asked, (&url.URL{Scheme: r.URL.Scheme, Host: r.URL.Host}).String())
		return nil, http.ErrHandlerTimeout
	})
	f := Fetcher{Transport: record, Clock: &fakeClock{}, Jitter: func() float64 { return 0 }, Log: t.Output()}
	for _, task := range []result.Fetch{documents("documents/a"), file("a", "")} {
		asked = nil
		task.Credentials.Anonymous = true
		f.Fetch(t.Context(), task)
		want := "https://dataform.googleapis.com"
		if task.Documents != nil {
			want = "https://developerknowledge.googleapis.com"
		}
		if len(asked) == 0 || asked[0] != want {
			t.Errorf("asked %q, want %s", asked, want)
		}
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
