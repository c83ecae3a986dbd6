// SPDX-License-Identifier: Apache-2.0

package output

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

func TestTextStandsAsTextAndBytesAsBase64(t *testing.T) {
	for name, c := range map[string]struct {
		data string
		text bool
	}{
		"nothing":                      {"", true},
		"plain text":                   {"a\n", true},
		"tab and carriage return":      {"a\tb\r\n", true},
		"letters of other scripts":     {"é 日本 😀", true},
		"marks that JSON escapes":      {`<a href="b">&\`, true},
		"the end of a file, NUL":       {"a\x00", false},
		"the escape of a terminal":     {"\x1b[31mred\x1b[0m", false},
		"delete":                       {"\x7f", false},
		"a control character of 8 bit": {"\u0085", false},
		"bytes that aren't UTF-8":      {"caf\xe9", false},
		"a character that is cut":      {"é"[:1], false},
	} {
		t.Run(name, func(t *testing.T) {
			placed, maps := Place(report(c.data, ""), 1000, meta)
			if len(maps) > 0 {
				t.Errorf("it is in %d ConfigMaps", len(maps))
			}
			if text, coded := placed.Stdout.Text != "", placed.Stdout.Stored.Base64 != nil; c.data != "" && (text != c.text || coded == c.text) {
				t.Errorf("as text: %t, as base64: %t", text, coded)
			}
			checkWhole(t, name, c.data, placed.Stdout.Text, placed.Stdout.Stored, maps)
		})
	}
}

func TestSizesAreThoseInJSON(t *testing.T) {
	for name, data := range map[string]string{
		"plain text":                "hello",
		"nothing":                   "",
		"angle brackets":            "<<<>>>&&&",
		"quotes and new lines":      "\"a\"\n\\\t\r",
		"letters of other scripts":  "é日本😀",
		"separators of lines":       "\u2028\u2029",
		"bytes, one":                "\x00",
		"bytes, two":                "\x00\x01",
		"bytes, three":              "\x00\x01\x02",
		"bytes, four":               "\x00\x01\x02\x03",
		"what looks like an escape": `\u003c`,
	} {
		p := piece{stream: stream(data)}
		var value any = data
		if !IsText([]byte(data)) {
			value = []byte(data)
		}
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := p.encodedBytes(), int64(len(text)-2); got != want { // without its quotes
			t.Errorf("%s: got %d, want %d", name, got, want)
		}
	}
}

func TestInlineBorderIsExact(t *testing.T) {
	for name, c := range map[string]struct {
		data string
		size int64 // in JSON
	}{
		"plain text":     {strings.Repeat("x", 300), 300},
		"angle brackets": {strings.Repeat("<", 50), 300},
		"new lines":      {strings.Repeat("\n", 150), 300},
		"bytes":          {noise(225, 1), 300},
	} {
		fits, _ := Place(report(c.data, ""), c.size, meta)
		not, maps := Place(report(c.data, ""), c.size-1, meta)
		if fits.Stdout.Stored.ConfigMaps != nil {
			t.Errorf("%s: with room for %d bytes it is in a ConfigMap", name, c.size)
		}
		if not.Stdout.Stored.ConfigMaps == nil || not.Stdout.Stored.Base64 != nil {
			t.Errorf("%s: with room for %d bytes it stands in the status", name, c.size-1)
		}
		checkWhole(t, name, c.data, not.Stdout.Text, not.Stdout.Stored, maps)
	}
}

func TestSmallPiecesStandInTheStatusFirst(t *testing.T) {
	r := report(strings.Repeat("o", 60), strings.Repeat("e", 30), file("a", strings.Repeat("a", 50)), file("b", strings.Repeat("b", 10)), file("c", ""))
	placed, maps := Place(r, 100, meta)
	var stored []string
	if placed.Stdout.Stored.ConfigMaps != nil {
		stored = append(stored, "stdout")
	}
	if placed.Stderr.Stored.ConfigMaps != nil {
		stored = append(stored, "stderr")
	}
	for _, f := range placed.Files {
		if f.ConfigMaps != nil {
			stored = append(stored, f.Path)
		}
	}
	if got := strings.Join(stored, " "); got != "stdout" || len(maps) != 1 { // 0 + 10 + 30 + 50 of 100
		t.Errorf("in %d ConfigMaps are: %s", len(maps), got)
	}
}

func TestFilesKeepTheirOrderAndNames(t *testing.T) {
	r := report("", "", file("b/c.txt", "1"), file("a.bin", "\x00"), file("c", strings.Repeat("x", 100)))
	r.LeftOut = []result.LeftOut{{Path: "big", Bytes: 7, Why: "too large"}}
	placed, maps := Place(r, 50, meta)
	for i, f := range r.Files {
		if placed.Files[i].Path != f.Path {
			t.Errorf("file %d is %s, want %s", i, placed.Files[i].Path, f.Path)
		}
		checkWhole(t, f.Path, string(f.Data), placed.Files[i].Contents, placed.Files[i].Stored, maps)
	}
	if placed.Files[2].Contents != "" {
		t.Errorf("a file that doesn't fit is shown in part: %q", placed.Files[2].Contents)
	}
	if l := placed.LeftOut; len(l) != 1 || l[0].Path != "big" || l[0].Bytes != 7 || l[0].Reason != "too large" {
		t.Errorf("left out: got %+v", l)
	}
}

func TestLongStreamIsShownByItsEnds(t *testing.T) {
	for name, data := range map[string]string{
		"of one-byte characters":    "begin" + strings.Repeat("x", 10_000) + "end",
		"of two-byte characters":    "b" + strings.Repeat("é", 10_000) + "e",
		"of three-byte characters":  strings.Repeat("日", 10_000),
		"of four-byte characters":   "be" + strings.Repeat("😀", 10_000) + "d",
		"not much longer than fits": strings.Repeat("é", 501),
	} {
		t.Run(name, func(t *testing.T) {
			placed, maps := Place(report(data, ""), 1000, meta)
			text := placed.Stdout.Text
			head, rest, _ := strings.Cut(text, "\n[gcloud-operator: ")
			count, tail, _ := strings.Cut(rest, " bytes are not shown here]\n")
			if !strings.HasPrefix(data, head) || !strings.HasSuffix(data, tail) || head == "" || tail == "" || !utf8.ValidString(text) {
				t.Errorf("got %q", text)
			}
			if want := fmt.Sprint(len(data) - len(head) - len(tail)); count != want {
				t.Errorf("it says that %s bytes are not shown, want %s", count, want)
			}
			if len(head) > excerptBytes || len(tail) > excerptBytes || len(head)+len(tail) < min(len(data)-8, 2*excerptBytes-8) {
				t.Errorf("it shows %d and %d bytes", len(head), len(tail))
			}
			checkWhole(t, name, data, text, placed.Stdout.Stored, maps)
		})
	}
}

func TestStreamOfBytesHasNoExcerpt(t *testing.T) {
	placed, maps := Place(report(noise(5000, 1), ""), 100, meta)
	if placed.Stdout.Text != "" {
		t.Errorf("got %q", placed.Stdout.Text)
	}
	checkWhole(t, "stdout", noise(5000, 1), "", placed.Stdout.Stored, maps)
}

func TestStreamThatTheRunnerCutSaysSo(t *testing.T) {
	whole := strings.Repeat("h", 1000) + strings.Repeat("t", 1000)
	for name, c := range map[string]struct {
		room int64
		want string
	}{
		"what is kept stands in the status": {1000, "h…\n[gcloud-operator: 1900 bytes are not shown here]\nt…"},
		"what is kept doesn't":              {10, "h…\n[gcloud-operator: 1900 bytes are not shown here]\nt…"},
	} {
		placed, maps := Place(result.Report{Stdout: capped(whole, 100)}, c.room, meta)
		s := placed.Stdout.Stored
		text := strings.NewReplacer(strings.Repeat("h", 50), "h…", strings.Repeat("t", 50), "t…").Replace(placed.Stdout.Text)
		if text != c.want || !s.Truncated || s.HeadBytes != 50 || s.Bytes != 2000 || s.SHA256 != stream(whole).SHA256 {
			t.Errorf("%s: got %q, %+v", name, text, s)
		}
		if (s.ConfigMaps != nil) != (c.room == 10) {
			t.Errorf("%s: got the ConfigMaps %v", name, s.ConfigMaps)
		}
		if s.ConfigMaps != nil && string(kept(t, "", s, maps)) != whole[:50]+whole[1950:] {
			t.Errorf("%s: what is kept isn't stored", name)
		}
	}
}

func TestConfigMapsAreFilledToTheBrim(t *testing.T) {
	r := report(noise(1<<20+10, 1), noise(1<<20-20, 2), file("a", noise(9, 3)), file("b", noise(2, 4)))
	placed, maps := Place(r, 0, meta)
	var sizes []int
	for _, m := range maps {
		size := 0
		for key, value := range m.BinaryData {
			size += len(value)
			if errs := validation.IsConfigMapKey(key); len(errs) > 0 {
				t.Errorf("key %q: %v", key, errs)
			}
		}
		sizes = append(sizes, size)
		if m.Immutable == nil || !*m.Immutable {
			t.Errorf("%s can be changed", m.Name)
		}
	}
	if fmt.Sprint(sizes) != "[1048576 1048576 1]" {
		t.Errorf("got ConfigMaps of %v bytes", sizes)
	}
	checkWhole(t, "stdout", string(r.Stdout.Data), "", placed.Stdout.Stored, maps)
	checkWhole(t, "stderr", string(r.Stderr.Data), "", placed.Stderr.Stored, maps)
	for i, f := range placed.Files {
		checkWhole(t, f.Path, string(r.Files[i].Data), "", f.Stored, maps)
	}
}

func TestWithoutConfigMapsBeginningAndEndAreKept(t *testing.T) {
	long := strings.Repeat("a", 3000) + strings.Repeat("b", 3000)
	for name, c := range map[string]struct {
		stream    result.Stream
		text      bool
		headBytes int64
	}{
		"text":                       {stream(long), true, 2048},
		"text that was cut already":  {capped(long, 5000), true, 2048},
		"text between two letters":   {stream(strings.Repeat("é", 3000)[1:] + "\n"), false, 0},
		"bytes":                      {stream(noise(6000, 1)), false, 0},
		"text with letters at a cut": {stream("x" + strings.Repeat("é", 3000)), true, 2047},
	} {
		t.Run(name, func(t *testing.T) {
			placed, maps := Place(result.Report{Stdout: c.stream, Stderr: stream("short")}, 1000, nil)
			got := placed.Stdout
			if len(maps) > 0 || got.Stored.ConfigMaps != nil || got.Stored.Base64 != nil {
				t.Errorf("it refers to %+v", got.Stored)
			}
			if !got.Stored.Truncated || got.Stored.HeadBytes != c.headBytes || got.Stored.Bytes != c.stream.Bytes || got.Stored.SHA256 != c.stream.SHA256 {
				t.Errorf("got %+v", got.Stored)
			}
			head, _, cut := strings.Cut(got.Text, "\n[gcloud-operator: ")
			if cut != c.text || int64(len(head)) != c.headBytes {
				t.Errorf("the beginning is %d bytes long", len(head))
			}
			checkWhole(t, "stderr", "short", placed.Stderr.Text, placed.Stderr.Stored, nil)
		})
	}
}

func TestAFileWithoutConfigMapsIsInTheStatusOrLost(t *testing.T) {
	for _, c := range []struct {
		size int
		lost bool
	}{{300, false}, {3000, true}} {
		inline, stored, maps := PlaceBytes(stream(strings.Repeat("x", c.size)), 1000, nil)
		if len(maps) > 0 || stored.ConfigMaps != nil || stored.Truncated != c.lost || (inline == nil) != c.lost || stored.Bytes != int64(c.size) {
			t.Errorf("of %d bytes %d are in the status, and %+v", c.size, len(inline), stored)
		}
	}
}

func TestWhatASecretCannotTakeStandsNowhere(t *testing.T) {
	placed := PlaceNowhere(report("secret", "", file("key", "secret")))
	for what, s := range map[string]struct {
		text string
		got  v1alpha1.Stored
		lost bool
	}{
		"stdout": {placed.Stdout.Text, placed.Stdout.Stored, true},
		"stderr": {placed.Stderr.Text, placed.Stderr.Stored, false},
		"a file": {placed.Files[0].Contents, placed.Files[0].Stored, true},
	} {
		if s.text != "" || s.got.Base64 != nil || s.got.Secret != nil || s.got.Truncated != s.lost || s.got.SHA256 == "" {
			t.Errorf("%s: got %q, %+v", what, s.text, s.got)
		}
	}
}

func TestNothingIsPlacedNowhere(t *testing.T) {
	placed, maps := Place(result.Report{}, DefaultInlineBytes, meta)
	if len(maps) > 0 || placed.Files != nil || placed.LeftOut != nil || placed.Stdout.Text != "" || !bytes.Equal(placed.Stdout.Stored.Base64, nil) {
		t.Errorf("got %+v and %d ConfigMaps", placed, len(maps))
	}
}

// Whatever was printed, a reader of status and ConfigMaps can have it again, and neither is overfull.
func FuzzWhatIsPlacedCanBeHadAgain(f *testing.F) {
	f.Add([]byte("out"), []byte("err"), []byte{0, 1, 2}, int64(5), uint16(1))
	f.Add([]byte("<<<<"), []byte("é"), []byte("\xff"), int64(24), uint16(1000))
	f.Add(bytes.Repeat([]byte("日"), 400), []byte{}, []byte{}, int64(0), uint16(3000))
	f.Add([]byte("x"), []byte("\x00"), []byte("y"), int64(100_000), uint16(50_000))
	f.Fuzz(func(t *testing.T, stdout, stderr, contents []byte, room int64, repeat uint16) {
		out := strings.Repeat(string(stdout), int(repeat)%3000)
		r := report(out, string(stderr), file("f", string(contents)))
		room = max(room, 0)
		placed, maps := Place(r, room, meta)
		checkWhole(t, "stdout", out, placed.Stdout.Text, placed.Stdout.Stored, maps)
		checkWhole(t, "stderr", string(stderr), placed.Stderr.Text, placed.Stderr.Stored, maps)
		checkWhole(t, "f", string(contents), placed.Files[0].Contents, placed.Files[0].Stored, maps)
		var inline int64
		for _, p := range []struct {
			stored bool
			stream result.Stream
		}{
			{placed.Stdout.Stored.ConfigMaps != nil, r.Stdout}, {placed.Stderr.Stored.ConfigMaps != nil, r.Stderr}, {placed.Files[0].ConfigMaps != nil, r.Files[0].Stream},
		} {
			if !p.stored {
				inline += piece{stream: p.stream}.encodedBytes()
			}
		}
		if inline > room {
			t.Errorf("%d bytes stand in the status, and there was room for %d", inline, room)
		}
		if !utf8.ValidString(placed.Stdout.Text) || !utf8.ValidString(placed.Stderr.Text) {
			t.Error("the status has text that isn't UTF-8")
		}
	})
}
