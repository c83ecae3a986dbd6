// SPDX-License-Identifier: Apache-2.0

package result

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestATaskSurvivesKubernetesExpansion(t *testing.T) {
	want := Task{
		Run: "6f9d2c1e-7a44-4c0b-9d55-0d9f3f1f7a10/3/1", Argv: []string{"gcloud", "$(HOME)", "$$", "a<b>&\"\n", "é"},
		Timeout: time.Minute, Grace: time.Second, InputsSHA256: "ab", OutputFiles: []string{"a/**/*.txt"},
		SecretInputs: []string{"a/key.json"}, KeepSecrets: true, SealTo: "age1x",
		CaptureBytes: 1000, MessageBytes: 3072, LogBytes: 1 << 20,
	}
	text := want.Encode()
	if strings.Contains(text, "$") || strings.Contains(text, "\n") {
		t.Errorf("it has a dollar sign or a newline: %s", text)
	}
	got, err := DecodeTask(text)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestATaskHasDefaults(t *testing.T) {
	got, err := DecodeTask(Task{Run: "r", Argv: []string{"x"}}.Encode())
	want := Task{Run: "r", Argv: []string{"x"}, Grace: DefaultGrace, CaptureBytes: DefaultCaptureBytes, MessageBytes: DefaultMessageBytes, LogBytes: DefaultLogBytes}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestAnInvalidTaskIsRefused(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"it is empty":                      {"", "EOF"},
		"it is no JSON":                    {"{", "unexpected EOF"},
		"it has a field of a later time":   {`{"run":"r","argv":["x"],"seal":1}`, `unknown field "seal"`},
		"it has no argv":                   {`{"run":"r"}`, "argv is empty"},
		"it has no run":                    {`{"argv":["x"]}`, "run has 0 bytes"},
		"its run is too long":              {`{"argv":["x"],"run":"` + strings.Repeat("r", 57) + `"}`, "run has 57 bytes"},
		"its run has a quote":              {`{"argv":["x"],"run":"a\"b"}`, "other than plain letters"},
		"its message is too small":         {`{"run":"r","argv":["x"],"message":1023}`, "message is 1023"},
		"its message is too large":         {`{"run":"r","argv":["x"],"message":4097}`, "message is 4097"},
		"its capture is too large":         {`{"run":"r","argv":["x"],"capture":16777217}`, "capture is 16777217"},
		"its timeout is negative":          {`{"run":"r","argv":["x"],"timeout":-1}`, "must not be negative"},
		"its log is negative":              {`{"run":"r","argv":["x"],"log":-1}`, "must not be negative"},
		"a secret input leaves the folder": {`{"run":"r","argv":["x"],"secretInputs":["../x"]}`, "secret input \"../x\" is not a path relative"},
		"a secret input is the folder":     {`{"run":"r","argv":["x"],"secretInputs":["."]}`, "secret input \".\" is not a path relative"},
		"an output leaves the folder":      {`{"run":"r","argv":["x"],"outputs":["../x"]}`, "below the working directory"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := DecodeTask(c.text); err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), ErrTask.Error()) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestHashInputsDependsOnNamesAndContentsAlone(t *testing.T) {
	base := map[string][]byte{"a": []byte("1"), "b/c": []byte("2")}
	if got, want := HashInputs(base), "0d4f8c0a736f688af67b7ba4f369eb9cfe6b52b7c0368f3ebb9154031b4068c4"; got != want {
		t.Errorf("a release must not change the hash: got %s, want %s", got, want)
	}
	for name, other := range map[string]map[string][]byte{
		"another content":      {"a": []byte("1"), "b/c": []byte("3")},
		"another name":         {"a": []byte("1"), "b/d": []byte("2")},
		"one less":             {"a": []byte("1")},
		"contents swapped":     {"a": []byte("2"), "b/c": []byte("1")},
		"a name with new line": {"a\n": []byte("1"), "b/c": []byte("2")},
		"none":                 {},
	} {
		if HashInputs(other) == HashInputs(base) {
			t.Errorf("%s: the same hash", name)
		}
	}
}

func TestHashArgvTellsWordsApart(t *testing.T) {
	// printf '%s\0' gcloud "a b" | sha256sum
	if got, want := HashArgv([]string{"gcloud", "a b"}), "70b7471c08eee3479e810fce35fe3b8e86a8630f4956e8f842b73e83683831f7"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if HashArgv([]string{"a", "b"}) == HashArgv([]string{"a b"}) || HashArgv([]string{"a", ""}) == HashArgv([]string{"a"}) {
		t.Error("different words have the same hash")
	}
}

func TestGlobs(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"a", "a", true}, {"a", "b", false}, {"a", "a/b", false}, {"a/b", "a/b", true},
		{"*", "a", true}, {"*", "a/b", false}, {"*.txt", ".txt", true}, {"[ab]?", "bz", true}, {`\*`, "*", true}, {`\*`, "a", false},
		{"**", "a", true}, {"**", "a/b/c", true}, {"**/c", "c", true}, {"**/c", "a/b/c", true}, {"**/c", "a/c/b", false},
		{"a/**", "a/b", true}, {"a/**", "b/a", false}, {"a/**/d", "a/d", true}, {"a/**/d", "a/b/c/d", true}, {"a/**/d", "a/b/c", false},
		{"**/b/**", "a/b/c", true}, {"**/**/**/**/x", "a/b/c/d/e/f/y", false}, {"**/a*/*", "x/ab/c", true},
	} {
		if err := CheckGlob(c.pattern); err != nil {
			t.Errorf("%s: %v", c.pattern, err)
		}
		if got := MatchGlob(c.pattern, c.name); got != c.want {
			t.Errorf("%s matches %s: got %v", c.pattern, c.name, got)
		}
	}
}

func TestABadGlobIsRefusedWithWhatToWrite(t *testing.T) {
	for pattern, want := range map[string]string{
		"":       "relative to the working directory",
		"/etc/x": "relative to the working directory",
		"a//b":   "relative to the working directory",
		"out/":   `write "out/**"`,
		"./a":    "without it",
		"a/../b": "without it",
		"[a":     "put a backslash before it",
		`a\`:     "put a backslash before it",
	} {
		if err := CheckGlob(pattern); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", pattern, err, want)
		}
	}
}
