// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

func randomText(n int) string {
	b := make([]byte, n)
	rand.New(rand.NewSource(int64(n))).Read(b)
	return string(b)
}

// What a command writes comes byte for byte: by stdout, by stderr and as a file.
func TestBytesComeAsTheyWere(t *testing.T) {
	for name, content := range map[string]string{
		"nothing":                              "",
		"one byte":                             "x",
		"a newline":                            "\n",
		"no newline at the end":                "a\nb",
		"bytes that are not UTF-8":             "\xff\xfe\xc3\x28 \xed\xa0\x80\n",
		"NUL bytes":                            "a\x00b\x00\x00\n\x00",
		"lone carriage returns":                "10%\r20%\r30%\r",
		"lines that end in CR LF":              "a\r\nb\r\n",
		"a terminal's colours":                 "\x1b[1;31mERROR:\x1b[0m (gcloud) \x1b]0;title\a\n",
		"a byte order mark":                    "\xef\xbb\xbfa\n",
		"newlines alone":                       strings.Repeat("\n", 5000),
		"4,096 bytes":                          strings.Repeat("x", 4096),
		"random bytes, less than a message":    randomText(1000),
		"random bytes, as many as a message":   randomText(4096),
		"random bytes, more than a message":    randomText(4097),
		"a quarter megabyte of <":              strings.Repeat("<", 256<<10),
		"a quarter megabyte of control marks":  strings.Repeat("\x01\x02\x1f", 256<<10/3),
		"lines of ten bytes":                   strings.Repeat("123456789\n", 50_000),
		"one line of 3 MB":                     strings.Repeat("x", 3_000_000),
		"one line of 3 MB that is not text":    strings.ReplaceAll(randomText(3_000_000), "\n", "\r"),
		"as much as is kept":                   randomText(result.DefaultCaptureBytes),
		"what looks like a report":             "gcloud-operator-report/1 AAAAAAAAAAAAAAAAAAAAAA 0 00000000 AAAA\n",
		"what looks like a message":            string(result.Started("x", result.HashArgv(nil), time.Unix(1767323045, 0))),
		"UTF-8 that a cut in pieces may break": strings.Repeat("äöü€😀", 60_000),
	} {
		for way, script := range map[string]string{"stdout": "cat ../content", "stderr": "cat ../content >&2", "a file": "cp ../content ."} {
			t.Run(name+", by "+way, func(t *testing.T) {
				t.Parallel()
				p := newPod(t)
				p.write("content", content, 0o644)
				r := p.run(shell(script)).report
				got := map[string]result.Stream{"stdout": r.Stdout, "stderr": r.Stderr}
				for _, f := range r.Files {
					got["a file"] = f.Stream
				}
				s, sum := got[way], sha256.Sum256([]byte(content))
				if s.Truncated() || string(s.Data) != content || s.SHA256 != hex.EncodeToString(sum[:]) {
					t.Errorf("got %d bytes of %d, truncated %v, hash %s", len(s.Data), len(content), s.Truncated(), s.SHA256)
				}
			})
		}
	}
}

func TestMoreThanIsKeptComesAsHeadAndTail(t *testing.T) {
	content := randomText(result.DefaultCaptureBytes + 1)
	sum := sha256.Sum256([]byte(content))
	p := newPod(t)
	p.write("content", content, 0o644)
	s := p.run(shell("cat ../content")).report.Stdout
	head, tail := s.HeadTail()
	if !s.Truncated() || s.Bytes != int64(len(content)) || s.SHA256 != hex.EncodeToString(sum[:]) ||
		!strings.HasPrefix(content, string(head)) || !strings.HasSuffix(content, string(tail)) || len(s.Data) < result.DefaultCaptureBytes-8 {
		t.Errorf("got %d and %d of %d bytes, truncated %v", len(head), len(tail), s.Bytes, s.Truncated())
	}
}

func TestAHugeFileComesAsHeadAndTail(t *testing.T) {
	p := newPod(t)
	e := p.run(shell("(echo first; yes | head -c 60000000; echo last) > huge; sha256sum < huge"))
	f := e.report.Files[0]
	if f.Bytes != 60_000_011 || !f.Truncated() || !strings.HasPrefix(string(e.report.Stdout.Data), f.SHA256) {
		t.Errorf("%d bytes, hash %s, it is %s", f.Bytes, f.SHA256, e.report.Stdout.Data)
	}
	if head, tail := f.HeadTail(); !strings.HasPrefix(string(head), "first\n") || !strings.HasSuffix(string(tail), "last\n") {
		t.Error("head or tail is not the file's")
	}
}

func TestFilesWithUnusualNames(t *testing.T) {
	names := []string{
		"a b", " ", "-rf", "$HOME", "*", "a\nb", "ä/日本語/😀", `quo"te'`, `back\slash`, "tab\t", "a%20b", "dot.", "...", "a:b", "\x01",
		strings.Repeat("n", 255), filepath.Join(strings.Repeat("d", 200), strings.Repeat("e", 200), "f"),
	}
	p := newPod(t)
	for _, name := range names {
		p.write("files/"+name, "content of "+name, 0o644)
	}
	p.write("files/empty/folder/file", "", 0o644)
	r := p.run(shell("mkdir -p nothing/in/it")).report
	got := map[string]string{}
	for _, f := range r.Files {
		got[f.Path] = string(f.Data)
	}
	for _, name := range names {
		if got[name] != "content of "+name {
			t.Errorf("%q: got %q", name, got[name])
		}
	}
	if content, ok := got["empty/folder/file"]; !ok || content != "" || len(got) != len(names)+1 || r.LeftOut != nil {
		t.Errorf("got %d files, left out %+v", len(got), r.LeftOut)
	}
}

func TestThousandsOfSmallFilesKeepTheirContents(t *testing.T) {
	r := newPod(t).run(shell(`mkdir d; for i in $(seq 1000); do echo "content $i" > d/$i; done`)).report
	if len(r.Files) != 1000 || r.LeftOut != nil {
		t.Fatalf("%d files, left out %+v", len(r.Files), r.LeftOut)
	}
	for _, f := range r.Files {
		if want := fmt.Sprintf("content %s\n", filepath.Base(f.Path)); string(f.Data) != want {
			t.Errorf("%s: got %q", f.Path, f.Data)
		}
	}
}
