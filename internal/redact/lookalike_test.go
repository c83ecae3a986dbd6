// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/rand"
	"strings"
	"testing"
)

func TestWhatOnlyLooksLikeASecretStays(t *testing.T) {
	unsigned := jwt(jwtHeader, jwtPayload, "")
	certificate := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: []byte(letters(900))}))
	publicKey := string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: []byte(letters(294))}))
	for name, text := range map[string]string{
		"a host name that begins like a token":      "ya29.example.com maya29." + letters(100),
		"a token cut short":                         "ya29." + letters(19),
		"the beginning of a token in the docs":      "ya29.…, ya29.[TOKEN], ya29.ACCESS_TOKEN",
		"an integer division":                       "x = 1//0 + 1//0x1f; y = a1//0" + letters(50),
		"a path with two slashes":                   "gs://bucket/1//0" + letters(50) + "\n",
		"base64 that begins like a refresh token":   "1//0" + letters(50) + "+" + letters(20) + "\n1//0" + letters(50) + "==\n",
		"a word with a client secret's prefix":      "GOCSPX-secret, GOCSPX-",
		"an API key's prefix":                       "AIza, AIza..., AIzaSy",
		"one character less than an API key":        "AIza" + letters(34) + "\n",
		"one character more than an API key":        "AIza" + letters(36) + "\n",
		"an API key's characters in a longer word":  "xAIza" + letters(35) + "\n",
		"base64 that begins like an API key":        "AIza" + letters(35) + "+" + letters(36) + "\n",
		"a page token, which is JSON in base64":     base64.StdEncoding.EncodeToString([]byte(`{"offset":100,"key":"projects/p/instances/i"}`)) + "\n",
		"a JWT without signature":                   unsigned + " " + unsigned + ".\n",
		"a JWT whose signature is cut":              unsigned + "." + letters(19) + "\n",
		"words with dots":                           "eyJ.eyJ.eyJ, eyJson.eyJson.what-is-no-signature-at-all",
		"how to write a header":                     "Authorization: Bearer $(gcloud auth print-access-token), Bearer ACCESS_TOKEN, Bearer <token>",
		"a placeholder in a header":                 "Bearer YOUR_VERY_OWN_ACCESS_TOKEN_GOES_HERE",
		"a challenge":                               `WWW-Authenticate: Bearer realm="https://accounts.google.com/", error="invalid_token"`,
		"prose about bearers":                       "Bearer authentication-is-what-is-required, the bearer of good news, forbearer " + letters(40),
		"a schema of a token":                       `{"access_token": {"type": "string"}, "id_token": "string", "refresh_token": null, "access_token": ""}`,
		"a placeholder for a token":                 `{"access_token": "<your token>", "access_token": "ACCESS_TOKEN", "id_token": "your-id-token"}`,
		"other fields of a token's answer":          `{"token_type": "Bearer", "expires_in": 3599, "access_token_uri": "https://oauth2.googleapis.com/token0"}`,
		"the token's name in a list":                `{"response_types": ["code", "id_token", "access_token"], "x": "0123456789abcdef"}`,
		"a resource in the token's field":           `{"access_token": "projects/my-project-1/secrets/token/versions/1"}` + "\naccess_token: projects/my-project-1/secrets/token/versions/1\nid_token=https://example.com/0123456789abcdefghij\n",
		"code that gets a token":                    "access_token = get_token_v2(creds)\nexport access_token=$(gcloud auth print-access-token)\nmy_access_token: " + letters(40) + "\n",
		"a field of another name":                   "access_tokens: " + letters(40) + "\naccess_token_id: " + letters(40) + "\n",
		"the ID of a private key":                   `{"private_key_id": "1234567890abcdef1234567890abcdef12345678"}`,
		"a certificate":                             certificate,
		"a public key":                              publicKey + inJSON(publicKey),
		"a public key of OpenSSH":                   "ssh-rsa AAAAB3NzaC1yc2E" + letters(300) + " me@host\n",
		"a private key's first line in prose":       "-----BEGIN PRIVATE KEY----- is the first line\nand -----END PRIVATE KEY----- the last one\n",
		"a private key's first line alone":          "-----BEGIN PRIVATE KEY-----",
		"a private key in the docs":                 "-----BEGIN RSA PRIVATE KEY-----\n...\n-----END RSA PRIVATE KEY-----\nnext\n",
		"a private key in the docs, on one line":    `"-----BEGIN PRIVATE KEY-----\n[your key]\n-----END PRIVATE KEY-----\n"`,
		"what grep finds":                           "a.pem:-----BEGIN PRIVATE KEY-----\nb.pem:-----BEGIN PRIVATE KEY-----\nsums: " + strings.Repeat("0123456789abcdef", 4) + "\n",
		"a first line and then text":                "-----BEGIN PRIVATE KEY-----\nPlease paste your key above this line, and the project: " + letters(40) + "\n",
		"lines of dashes":                           strings.Repeat("-", 200) + "\nBEGIN PRIVATE KEY\n-----  ----- BEGIN\n-----BEGIN \n-----BEGIN A LABEL THAT IS LONGER THAN ANY OF A PRIVATE KEY-----\n",
		"a hash":                                    "sha256:" + strings.Repeat("0123456789abcdef", 4) + " " + strings.Repeat("ya29", 10) + "\n",
		"a UUID":                                    "6f9d2c1e-7a44-4c0b-9d55-0d9f3f1f7a10",
		"names of resources":                        "projects/my-project/secrets/access_token/versions/1 //iam.googleapis.com/projects/p/serviceAccounts/a@b.iam.gserviceaccount.com/keys/" + strings.Repeat("0123456789", 4),
		"a line of a progress display":              "Waiting for operation [1] to complete...........................done.\n",
		"bytes that are no text":                    "\x00\xff\xfe\r\n\xc3\x28ya29.\x00AIza\x00-----BEGIN \x00",
		"what was redacted before":                  "Bearer " + Replacement + ` {"access_token": "` + Replacement + `"}`,
		"escapes that end in the middle of nothing": `-----BEGIN PRIVATE KEY-----\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\n`,
	} {
		t.Run(name, func(t *testing.T) { check(t, text, text, 0) })
	}
}

// Ordinary data, and much of it: what is rare must not happen either.
func TestOrdinaryDataStays(t *testing.T) {
	random := make([]byte, 2<<20)
	rand.New(rand.NewSource(1)).Read(random)
	wrapped := func(s string, width int) string {
		var b strings.Builder
		for ; len(s) > width; s = s[width:] {
			b.WriteString(s[:width] + "\n")
		}
		return b.String() + s
	}
	var records strings.Builder
	for i := range 20_000 {
		_ = json.NewEncoder(&records).Encode(map[string]any{
			"id": fmt.Sprintf("%x", random[i*16:i*16+16]), "etag": base64.StdEncoding.EncodeToString(random[i*20 : i*20+20]),
			"name":          fmt.Sprintf("projects/p/zones/europe-west1-b/instances/i-%d", i),
			"nextPageToken": base64.URLEncoding.EncodeToString(fmt.Appendf(nil, `{"a":"%x"}`, random[i*9:i*9+9])),
		})
	}
	for name, text := range map[string]string{
		"random bytes":             string(random),
		"base64 in one line":       base64.StdEncoding.EncodeToString(random),
		"base64 in lines":          wrapped(base64.StdEncoding.EncodeToString(random), 76),
		"base64 in PEM's lines":    wrapped(base64.StdEncoding.EncodeToString(random), 64),
		"base64 for URLs in lines": wrapped(base64.RawURLEncoding.EncodeToString(random), 64),
		"hexadecimal":              wrapped(hex.EncodeToString(random), 64),
		"records":                  records.String(),
	} {
		if got, n := Bytes([]byte(text)); n != 0 || string(got) != text {
			t.Errorf("%s: %d secrets", name, n)
		}
	}
}
