// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
			`echo 1 > "$(printf 'x\377')"`, nil, nil, []string{`"x\xff": its name is not UTF-8, or longer than 1024 bytes`}},
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

func TestWhatIsLeftOutIsShort(t *testing.T) {
	deep := strings.Repeat("d/", maxDepth+2)
	r := newPod(t).run(shell("mkdir -p " + deep + "; echo > " + deep + "f")).report
	if len(r.Files) != 0 || len(r.LeftOut) != 1 || r.LeftOut[0].Why != "more than 64 folders deep" {
		t.Errorf("got %+v, %+v", r.Files, r.LeftOut)
	}
}
