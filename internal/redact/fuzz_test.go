// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

// FuzzWriter: in whatever pieces a text is written, the same comes out; what is
// held back is bounded; and no byte is lost where nothing was replaced.
func FuzzWriter(f *testing.F) {
	for _, token := range tokens() {
		f.Add([]byte("x="+token+"&"), uint16(7))
	}
	key, _ := privatePEM("RSA PRIVATE KEY", 300, map[string]string{"Proc-Type": "4,ENCRYPTED"})
	f.Add([]byte(key), uint16(30))
	f.Add([]byte(inJSON(inJSON(key))), uint16(100))
	f.Add([]byte(`{\"access_token\": \"0123456789\"} Bearer 01234567890123456789`), uint16(20))
	f.Add([]byte("eyJabcdefg.eyJabc-eyJabc.eyJ-eyJ"), uint16(3))
	f.Fuzz(func(t *testing.T, text []byte, piece uint16) {
		want, count := Bytes(text)
		var out bytes.Buffer
		w := NewWriter(&out)
		for rest := text; len(rest) > 0; {
			n := min(1+int(piece%1000), len(rest))
			_, _ = w.Write(rest[:n])
			rest = rest[n:]
			if held := len(w.rest()); held > MaxHeld {
				t.Fatalf("it holds %d bytes", held)
			}
		}
		_ = w.Close()
		if !bytes.Equal(out.Bytes(), want) || w.Count() != count {
			t.Errorf("in pieces: %d %q, whole: %d %q", w.Count(), out.Bytes(), count, want)
		}
		if count == 0 && !bytes.Equal(text, want) {
			t.Errorf("nothing was replaced, and it is %q", want)
		}
	})
}

// What would cost more than linear time, if anything did.
func BenchmarkWriter(b *testing.B) {
	key, _ := privatePEM("PRIVATE KEY", 1200, nil)
	line := `{"name": "projects/my-project/zones/europe-west1-b/instances/instance-1", "status": "RUNNING", "id": "1234567890"},` + "\n"
	for name, text := range map[string]string{
		"lines of JSON":               line,
		"yes":                         "y\n",
		"random bytes":                string(shuffled(1 << 20)),
		"base64url":                   letters(1 << 20),
		"keys":                        key,
		"first lines of keys":         "-----BEGIN PRIVATE KEY-----\n",
		"dashes":                      strings.Repeat("-", 100),
		"words that begin like JWTs":  "eyJ-",
		"words with dots, like JWTs":  "eyJabcdefgh.eyJ.",
		"half tokens":                 "ya29.abcdefg 1//0abcdef AIzaabcdefghij Bearer abcdefghijk ",
		"quotes":                      `"access_token" "access_token" `,
		"whole tokens":                "ya29." + letters(200) + "\n",
		"a token without end":         "ya29.aaaaaaaaaaaaaaaaaaaa",
		"escapes of a key":            `-----BEGIN PRIVATE KEY-----\n\\\\\\`,
		"refresh tokens without ends": "1//0" + strings.Repeat("a", 600) + " ",
	} {
		b.Run(name, func(b *testing.B) {
			chunk := []byte(strings.Repeat(text, 1+(32<<10)/len(text)))[:32<<10]
			w := NewWriter(io.Discard)
			b.SetBytes(int64(len(chunk)))
			for b.Loop() {
				_, _ = w.Write(chunk)
			}
		})
	}
}

func shuffled(n int) []byte {
	b := make([]byte, n)
	for i, x := range []byte(letters(n)) {
		b[i] = x*31 + byte(i)
	}
	return b
}
