// SPDX-License-Identifier: Apache-2.0

package leaks

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestAPieceOfACredentialIsFoundHoweverItStands(t *testing.T) {
	credential := rand.Text() + rand.Text()
	standard := func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
	for name, c := range map[string]struct {
		text  string
		found bool
	}{
		"nothing":                               {"", false},
		"other text":                            {strings.Repeat("neither this nor that ", 100), false},
		"as it is":                              {credential, true},
		"within a line":                         {"token: " + credential + ", and so on", true},
		"its first 16 characters":               {credential[:16], true},
		"its last 16 characters":                {credential[len(credential)-16:], true},
		"16 in its middle":                      {"x" + credential[7:23] + "x", true},
		"15 of its characters":                  {credential[:15], false},
		"in base64":                             {standard(credential), true},
		"in base64, behind one character":       {standard("a" + credential + "z"), true},
		"in base64, behind two characters":      {standard("ab" + credential + "yz"), true},
		"in base64, behind three characters":    {standard("abc" + credential + "xyz"), true},
		"a piece in base64, behind other text":  {standard("0123456789" + credential[4:24]), true},
		"in base64 for addresses, without ends": {base64.RawURLEncoding.EncodeToString([]byte("a" + credential)), true},
		"another credential":                    {rand.Text() + rand.Text(), false},
	} {
		var all Credentials
		if !all.Add("the token", credential) {
			t.Errorf("%s: it is too short", name)
		}
		if got := all.Find([]byte(c.text)); slices.Equal(got, []string{"the token"}) != c.found {
			t.Errorf("%s: found %q, want that it is found: %t", name, got, c.found)
		}
	}
}

func TestBytesOfAnyKindAreFoundInJSON(t *testing.T) {
	key := make([]byte, 100)
	_, _ = rand.Read(key) // never fails
	object, err := json.Marshal(map[string]any{"metadata": map[string]string{"name": "a"}, "binaryData": map[string][]byte{"k": slices.Concat([]byte("ab"), key)}})
	if err != nil {
		t.Fatal(err)
	}
	var c Credentials
	c.Add("the key", string(key))
	if len(c.Find(object)) != 1 {
		t.Error("the key stands in an object, and was not found")
	}
}

func TestACredentialThatIsTooShortIsTold(t *testing.T) {
	var c Credentials
	if c.Add("the PIN", "0123") {
		t.Error("four characters are enough")
	}
}
