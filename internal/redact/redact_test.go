// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"math/rand"
	"strings"
	"testing"
)

// letters are of base64url, always the same; with digits, as in real tokens.
func letters(n int) string {
	b := make([]byte, n)
	rand.New(rand.NewSource(int64(n))).Read(b)
	return base64.RawURLEncoding.EncodeToString(b)[:n]
}

func jwt(header, payload, signature string) string {
	encode := base64.RawURLEncoding.EncodeToString
	return strings.TrimSuffix(encode([]byte(header))+"."+encode([]byte(payload))+"."+signature, ".")
}

const (
	jwtHeader  = `{"alg":"RS256","kid":"0123456789abcdef","typ":"JWT"}`
	jwtPayload = `{"iss":"https://accounts.google.com","email":"a@b.iam.gserviceaccount.com","exp":1767323045}`
)

// privatePEM is a private key of so many bytes, and what must not remain of it.
func privatePEM(kind string, size int, headers map[string]string) (text string, secret []string) {
	der := make([]byte, size)
	rand.New(rand.NewSource(int64(size))).Read(der)
	text = string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der, Headers: headers}))
	for line := range strings.Lines(text) {
		if !strings.ContainsAny(line, "-:") && line != "\n" {
			secret = append(secret, strings.TrimSpace(line))
		}
	}
	return text, secret
}

func inJSON(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// streamed writes the text in pieces of these lengths, the last one to the end.
func streamed(text string, lengths ...int) (string, int64) {
	var out bytes.Buffer
	w := NewWriter(&out)
	for _, n := range lengths {
		n = min(n, len(text))
		_, _ = w.Write([]byte(text[:n]))
		text = text[n:]
	}
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return out.String(), w.Count()
}

// check redacts the text whole, in two pieces cut anywhere (at some
// places only, in the middle of a long one), and byte by byte.
func check(t *testing.T, text, want string, count int64) {
	t.Helper()
	if got, n := Bytes([]byte(text)); string(got) != want || n != count {
		t.Fatalf("got %d: %q, want %d: %q", n, got, count, want)
	}
	for cut := 0; cut < len(text); cut++ {
		if middle := cut > 100 && cut < len(text)-100; middle && cut%37 != 0 {
			continue
		}
		if got, n := streamed(text, cut); got != want || n != count {
			t.Fatalf("cut at %d, after %q: got %d: %q", cut, text[:cut], n, got)
		}
	}
	if got, n := streamed(text, bytesOf(text)...); got != want || n != count {
		t.Fatalf("byte by byte: got %d: %q", n, got)
	}
}

func bytesOf(text string) []int {
	lengths := make([]int, len(text))
	for i := range lengths {
		lengths[i] = 1
	}
	return lengths
}

// tokens are one of each kind. They are put together here, so that nobody's
// scanner for secrets takes them for real.
func tokens() map[string]string {
	return map[string]string{
		"an access token of a user":              "ya29." + "a0A" + letters(180),
		"an access token of a service account":   "ya29." + "c." + "b0A" + letters(1000),
		"an access token of a federated account": "ya29." + "d." + letters(300),
		"an access token with dots at its end":   "ya29." + letters(60) + "....",
		"a refresh token":                        "1//" + "0g" + letters(100),
		"a refresh token in a URL":               "1%2F%2F" + "0g" + letters(100),
		"a refresh token in JSON":                `1\/\/` + "0g" + letters(100),
		"a client secret":                        "GOCSPX-" + letters(28),
		"an API key":                             "AIza" + letters(35),
		"a JWT":                                  jwt(jwtHeader, jwtPayload, letters(342)),
		"a JWT of a short key":                   jwt(`{"alg":"HS256"}`, jwtPayload, letters(43)),
		"a JWT that is longer than is held back": jwt(jwtHeader, `{"groups":"`+strings.Repeat("g", MaxHeld)+`"}`, letters(342)),
	}
}

func TestTokensAreReplaced(t *testing.T) {
	for name, token := range tokens() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, around := range [][2]string{
				{"", ""}, {"", "\n"}, {"token=", "&x=y\n"}, {"Token: ", "\r\n"}, {`{"token":"`, `","x":1}`}, {"\t", " and more"},
				{`{"message":"failed:\n`, `\n"}`}, {"a%3D", "%26"}, {"\x1b[1;31m", "\x1b[0m"}, {`b'\x00`, `'`}, {`\u003d`, `\u0026`},
				{"\x00\xff", "\x00\xff"}, {"(", ")"}, {"<", ">"}, {"'", "'"},
			} {
				if len(token) > 2000 && around[0] != "token=" {
					continue // long, and cut at each byte
				}
				check(t, around[0]+token+around[1], around[0]+Replacement+around[1], 1)
			}
		})
	}
}

func TestTheTokenAfterAWellKnownNameIsReplaced(t *testing.T) {
	for name, c := range map[string]struct{ before, token, after string }{
		"a header":                    {"Authorization: Bearer ", letters(40), "\n"},
		"a header in lower case":      {"authorization: bearer ", letters(40), "\r\n"},
		"a header that Python prints": {`{'Authorization': b'Bearer `, letters(40), `'}`},
		"a token with any mark":       {"Bearer ", "abc0-._~+/" + letters(20) + "==", "\n"},
		"a long one without digits":   {"Bearer ", strings.Repeat("abcdefgh", 9), "\n"},
		"JSON":                        {`{"access_token": "`, letters(40), `", "expires_in": 3599}`},
		"JSON without spaces":         {`{"access_token":"`, letters(12) + "0", `"}`},
		"JSON over two lines":         {"{\"access_token\":\n    \"", letters(40), "\"\n}"},
		"JSON within JSON":            {`{"body": "{\"access_token\": \"`, letters(40), `\"}"}`},
		"what Python prints":          {`{'id_token': '`, letters(40), `'}`},
		"YAML, as gcloud prints it":   {"access_token: ", letters(40), "\nexpires_in: 3599\n"},
		"a form":                      {"grant_type=x&access_token=", letters(40), "&x=y"},
		"what Go prints":              {"{access_token:", letters(40), " x:1}"},
		"the name in IAM's answers":   {`"accessToken": "`, letters(40), `"`},
		"a refresh token of others":   {`"refresh_token": "`, letters(40), `"`},
	} {
		t.Run(name, func(t *testing.T) { check(t, c.before+c.token+c.after, c.before+Replacement+c.after, 1) })
	}
}

// redactedPEM has each line of the body replaced.
func redactedPEM(text string, secret []string) string {
	for _, line := range secret {
		text = strings.Replace(text, line, Replacement, 1)
	}
	return text
}

func TestPrivateKeysAreReplacedLineByLine(t *testing.T) {
	encrypted := map[string]string{"Proc-Type": "4,ENCRYPTED", "DEK-Info": "AES-256-CBC,0123456789ABCDEF0123456789ABCDEF"}
	for name, c := range map[string]struct {
		kind    string
		size    int
		headers map[string]string
	}{
		"PKCS #8":                        {"PRIVATE KEY", 700, nil},
		"PKCS #8, Ed25519":               {"PRIVATE KEY", 48, nil},
		"PKCS #8, encrypted":             {"ENCRYPTED PRIVATE KEY", 400, nil},
		"RSA":                            {"RSA PRIVATE KEY", 701, nil},
		"RSA, encrypted":                 {"RSA PRIVATE KEY", 400, encrypted},
		"EC":                             {"EC PRIVATE KEY", 121, nil},
		"DSA":                            {"DSA PRIVATE KEY", 300, nil},
		"OpenSSH":                        {"OPENSSH PRIVATE KEY", 399, nil},
		"PGP":                            {"PGP PRIVATE KEY BLOCK", 500, map[string]string{"Version": "GnuPG v2", "Comment": "none, at all"}},
		"a last line of four characters": {"PRIVATE KEY", 48*5 + 1, nil},
		"a last line of two":             {"PRIVATE KEY", 48*5 + 2, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, secret := privatePEM(c.kind, c.size, c.headers)
			want := redactedPEM(text, secret)
			for _, line := range secret {
				if strings.Contains(want, line) {
					t.Fatalf("the test itself keeps %q", line)
				}
			}
			indent := func(s, by string) string {
				return by + strings.ReplaceAll(strings.TrimSuffix(s, "\n"), "\n", "\n"+by) + "\n"
			}
			for spelling, change := range map[string]func(string) string{
				"as it is":            func(s string) string { return "key:\n" + s + "next: line\n" },
				"without last line":   func(s string) string { return s[:strings.LastIndex(s, "-----END")] },
				"without last break":  func(s string) string { return strings.TrimSuffix(s, "\n") },
				"with CR LF":          func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
				"in YAML":             func(s string) string { return "private_key: |\n" + indent(s, "  ") + "type: x\n" },
				"quoted in a mail":    func(s string) string { return indent(s, "> ") },
				"in a table":          func(s string) string { return strings.ReplaceAll(indent(s, "| "), "\n", " |\n") },
				"in JSON":             func(s string) string { return `{"private_key": ` + inJSON(s) + `, "private_key_id": "0123"}` },
				"in JSON within JSON": func(s string) string { return inJSON(`{"private_key": ` + inJSON(s) + `}`) },
				"in JSON, CR LF":      func(s string) string { return inJSON(strings.ReplaceAll(s, "\n", "\r\n")) },
				"as JSON's lines":     func(s string) string { return "[\n  \"" + strings.ReplaceAll(s, "\n", "\",\n  \"") + "\"\n]" },
			} {
				if last := secret[len(secret)-1]; spelling == "in a table" && len(last) < minFirstLine {
					continue // it is none of a line's end, and tells nothing of the key
				}
				check(t, change(text), change(want), 1)
			}
		})
	}
}

func TestSlashesThatJSONEscapesBelongToTheKey(t *testing.T) {
	text, secret := privatePEM("PRIVATE KEY", 1200, nil)
	text = strings.ReplaceAll(inJSON(text), "/", `\/`)
	want := text
	for _, line := range secret {
		want = strings.Replace(want, strings.ReplaceAll(line, "/", `\/`), Replacement, 1)
	}
	if !strings.Contains(text, `\/`) {
		t.Fatal("there is no slash in it")
	}
	check(t, text, want, 1)
}

func TestAServiceAccountsKeyKeepsAllButTheKey(t *testing.T) {
	text, secret := privatePEM("PRIVATE KEY", 1218, nil)
	file := `{
  "type": "service_account",
  "project_id": "my-project",
  "private_key_id": "1234567890abcdef1234567890abcdef12345678",
  "private_key": ` + inJSON(text) + `,
  "client_email": "runner@my-project.iam.gserviceaccount.com",
  "token_uri": "https://oauth2.googleapis.com/token"
}
`
	want := strings.Replace(file, inJSON(text), inJSON(redactedPEM(text, secret)), 1)
	check(t, file, want, 1)
	if !json.Valid([]byte(want)) {
		t.Error("it is no JSON any more")
	}
}

func TestSecretsSideBySideAreAllReplaced(t *testing.T) {
	text, want, n := "", "", int64(0)
	for _, token := range tokens() {
		if len(token) < 2000 {
			text, want, n = text+token+"\n", want+Replacement+"\n", n+1
		}
	}
	key, secret := privatePEM("PRIVATE KEY", 200, nil)
	check(t, text+key+key+text, want+redactedPEM(key, secret)+redactedPEM(key, secret)+want, 2*n+2)
}

func TestTheLineStructureStays(t *testing.T) {
	key, _ := privatePEM("RSA PRIVATE KEY", 1200, nil)
	text := "a\r\n" + key + "ya29." + letters(100) + "\r\n\r\nlast"
	got, _ := Bytes([]byte(text))
	if bytes.Count(got, []byte("\n")) != strings.Count(text, "\n") || bytes.Count(got, []byte("\r")) != 3 {
		t.Errorf("got %q", got)
	}
}

var errFull = errors.New("no space left")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestAWritersErrorIsPassedOn(t *testing.T) {
	w := NewWriter(full{})
	if _, err := w.Write([]byte("some text")); !errors.Is(err, errFull) {
		t.Errorf("got %v", err)
	}
	w = NewWriter(full{})
	if n, err := w.Write([]byte("ya2")); n != 3 || err != nil {
		t.Errorf("it is held back, got %d, %v", n, err)
	}
	if err := w.Close(); !errors.Is(err, errFull) {
		t.Errorf("got %v", err)
	}
}
