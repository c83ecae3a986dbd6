// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

func describeFiles(r result.Report) (files, leftOut []string) {
	for _, f := range r.Files {
		files = append(files, fmt.Sprintf("%s=%s", f.Path, f.Data))
	}
	for _, l := range r.LeftOut {
		leftOut = append(leftOut, l.Path+": "+l.Why)
	}
	slices.Sort(leftOut)
	return files, leftOut
}

func TestOutputFiles(t *testing.T) {
	for name, c := range map[string]struct {
		script  string
		globs   []string
		files   []string
		leftOut []string
	}{
		"without globs all that is new is collected, sorted": {
			"mkdir -p d/e; echo -n 2 > d/e/b; echo -n 1 > a; echo -n 3 > .hidden", nil,
			[]string{".hidden=3", "a=1", "d/e/b=2"}, nil},
		"a failed command's files are collected too": {"echo -n 1 > a; exit 1", nil, []string{"a=1"}, nil},
		"globs select, and say what they don't find": {
			"mkdir -p d/e; echo -n 1 > a.txt; echo -n 2 > d/b.txt; echo -n 3 > d/e/c.txt; echo 4 > d/x",
			[]string{"*.txt", "d/**/c.txt", "none/*"},
			[]string{"a.txt=1", "d/e/c.txt=3"}, []string{"none/*: matches no file"}},
		"links are not followed out of the working directory": {
			"echo -n 1 > a; ln -s a in; ln -s /etc/passwd out; ln -s ../termination-log up; ln -s nowhere gone; ln -s . loop", nil,
			[]string{"a=1", "in=1"},
			[]string{
				"gone: a link that leads nowhere, or out of the working directory",
				"loop: a link to a folder",
				"out: a link that leads nowhere, or out of the working directory",
				"up: a link that leads nowhere, or out of the working directory",
			}},
		"what is no regular file does not hang it": {
			"mkfifo pipe; echo -n 1 > a", nil, []string{"a=1"}, []string{"pipe: not a regular file"}},
		"a name that is not UTF-8 is quoted": {
			`echo 1 > "$(printf 'x\377')"`, nil, nil, []string{`"x\xff": its name is not UTF-8, or has characters that YAML can't hold, or more than 1024 bytes`}},
		"a name that YAML can't hold is quoted": {
			`echo 1 > "$(printf 'x\177')"`, nil, nil, []string{`"x\x7f": its name is not UTF-8, or has characters that YAML can't hold, or more than 1024 bytes`}},
		"a file of a terabyte that takes no space is left out": {
			"truncate -s 1T big", nil, nil, []string{"big: larger than 1073741824 bytes"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			task := shell(c.script)
			task.OutputFiles = c.globs
			files, leftOut := describeFiles(newPod(t).run(task).report)
			if !slices.Equal(files, c.files) {
				t.Errorf("files: got %q, want %q", files, c.files)
			}
			if !slices.Equal(leftOut, c.leftOut) {
				t.Errorf("left out: got %q, want %q", leftOut, c.leftOut)
			}
		})
	}
}

func TestAnOutputFileKeepsItsExecutableBit(t *testing.T) {
	files := newPod(t).run(shell("echo > a; echo > b; chmod 700 b")).report.Files
	if len(files) != 2 || files[0].Executable || !files[1].Executable {
		t.Errorf("got %+v", files)
	}
}

func TestAFileOfAnotherMountIsNotCollected(t *testing.T) {
	p := newIsolatedPod(t)
	other := filepath.Join(p.dir, "files/secret")
	must(t, os.MkdirAll(other, 0o755))
	must(t, os.Chmod(filepath.Join(p.dir, "files"), 0o777))
	const mountTmpfs = `mount -t tmpfs tmpfs "$0" && echo key > "$0/key" && exec "$@"`
	p.wrap = []string{"unshare", "--mount", "sh", "-c", mountTmpfs, other}
	files, leftOut := describeFiles(p.run(shell("cat secret/key; echo -n 1 > a")).report)
	if !slices.Equal(files, []string{"a=1"}) || leftOut != nil {
		t.Errorf("got %q, left out %q", files, leftOut)
	}
}

func TestManyFilesAreLimited(t *testing.T) {
	r := newPod(t).run(shell("mkdir d; cd d; seq 1500 | xargs touch")).report
	if len(r.Files) != maxFiles || len(r.LeftOut) != maxLeftOut+1 {
		t.Fatalf("got %d files, %d left out", len(r.Files), len(r.LeftOut))
	}
	if last := r.LeftOut[maxLeftOut]; last.Why != "400 more, not listed" || last.Path != "" {
		t.Errorf("the last one is %+v", last)
	}
}

func TestLargeFilesShareTheRoom(t *testing.T) {
	task := shell("head -c 3000000 /dev/urandom > large; head -c 3000000 /dev/urandom > larger; echo small > small; echo out")
	r := newPod(t).run(task).report
	total := len(r.Stdout.Data)
	for _, f := range r.Files {
		total += len(f.Data)
		if f.Bytes == 3000000 && (!f.Truncated() || len(f.Data) < 2000000) || f.Path == "small" && f.Truncated() {
			t.Errorf("%s: %d of %d bytes", f.Path, len(f.Data), f.Bytes)
		}
	}
	if len(r.Files) != 3 || total > result.DefaultCaptureBytes || string(r.Stdout.Data) != "out\n" {
		t.Errorf("%d files, %d bytes, stdout %q", len(r.Files), total, r.Stdout.Data)
	}
}

func TestDevicesAndSocketsAreLeftOut(t *testing.T) {
	p := newPod(t)
	must(t, os.MkdirAll(filepath.Join(p.dir, "files"), 0o755))
	socket, err := net.Listen("unix", filepath.Join(p.dir, "files/socket"))
	must(t, err)
	defer socket.Close()
	want := []string{"pipe: not a regular file", "socket: not a regular file"}
	if err := syscall.Mknod(filepath.Join(p.dir, "files/device"), syscall.S_IFCHR|0o666, 1<<8|5); err == nil { // /dev/zero
		want = append([]string{"device: not a regular file"}, want...)
	}
	files, leftOut := describeFiles(p.run(shell("mkfifo pipe; echo -n 1 > a")).report)
	if !slices.Equal(files, []string{"a=1"}) || !slices.Equal(leftOut, want) {
		t.Errorf("got %q, left out %q", files, leftOut)
	}
}

// Between the walk and the reading of a file its size is known, and may change:
// what was killed is gone, but a folder may be another pod's too.
func TestFilesThatChangeWhileTheyAreRead(t *testing.T) {
	for name, c := range map[string]struct {
		change func(t *testing.T, path string)
		file   string
		bytes  int64
		why    string
	}{
		"it vanishes":               {func(t *testing.T, path string) { must(t, os.Remove(path)) }, "", 0, "can't be read: no such file or directory"},
		"it grows":                  {func(t *testing.T, path string) { must(t, os.WriteFile(path, []byte("123456789"), 0o644)) }, "1289", 9, ""},
		"it shrinks":                {func(t *testing.T, path string) { must(t, os.Truncate(path, 1)) }, "1", 1, ""},
		"it becomes a folder":       {func(t *testing.T, path string) { must(t, os.Remove(path)); must(t, os.Mkdir(path, 0o755)) }, "", 0, "can't be read: it was replaced by what is not a regular file"},
		"it becomes a pipe":         {func(t *testing.T, path string) { must(t, os.Remove(path)); must(t, syscall.Mkfifo(path, 0o644)) }, "", 0, "can't be read: it was replaced by what is not a regular file"},
		"it becomes a link outside": {func(t *testing.T, path string) { must(t, os.Remove(path)); must(t, os.Symlink("/etc/passwd", path)) }, "", 0, "can't be read: path escapes from parent"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "f")
			must(t, os.WriteFile(path, []byte("1234"), 0o644))
			got, err := collectFiles(t.Context(), dir, selection{}, func(sizes []int64) []int64 {
				c.change(t, path)
				return sizes
			})
			must(t, err)
			if c.why != "" {
				if len(got.files) != 0 || len(got.leftOut) != 1 || got.leftOut[0].Why != c.why {
					t.Errorf("got %+v", got)
				}
				return
			}
			if len(got.files) != 1 || string(got.files[0].Data) != c.file || got.files[0].Bytes != c.bytes || got.leftOut != nil {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestAFileWithoutEndIsReadUntilTheTimeIsUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "a"), []byte("1234"), 0o644))
	got, err := collectFiles(ctx, dir, selection{redact: true}, func(sizes []int64) []int64 { cancel(); return sizes })
	if err != nil || len(got.files) != 0 || len(got.leftOut) != 1 || got.leftOut[0].Why != "can't be read: no time was left before the end of the grace period" {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestWhatIsLeftOutIsShort(t *testing.T) {
	deep := strings.Repeat("d/", maxDepth+2)
	r := newPod(t).run(shell("mkdir -p " + deep + "; echo > " + deep + "f")).report
	if len(r.Files) != 0 || len(r.LeftOut) != 1 || r.LeftOut[0].Why != "more than 64 folders deep" {
		t.Errorf("got %+v, %+v", r.Files, r.LeftOut)
	}
}
