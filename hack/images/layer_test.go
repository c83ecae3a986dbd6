// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// listing describes what a layer holds, one line for an entry in the order of
// the layer: mode, owner, path, and what it is.
func listing(t *testing.T, layer v1.Layer) []string {
	t.Helper()
	stream, err := layer.Uncompressed()
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	var lines []string
	archive := tar.NewReader(stream)
	for {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return lines
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		if !h.ModTime.Equal(time.Unix(0, 0)) {
			t.Errorf("%s has the time %s: the layer differs from build to build", h.Name, h.ModTime)
		}
		line := fmt.Sprintf("%o %d:%d %s", h.Mode, h.Uid, h.Gid, h.Name)
		switch h.Typeflag {
		case tar.TypeSymlink:
			line += " -> " + h.Linkname
		case tar.TypeReg:
			line += " = " + string(data)
		}
		lines = append(lines, line)
	}
}

func TestALayerIsSortedAndBelongsToRoot(t *testing.T) {
	source := filepath.Join(t.TempDir(), "binary")
	writeFile(t, source, "ELF")
	files := tree{}
	files.copy("usr/bin/tool", 0o755, source)
	files.symlink("bin", "usr/bin")
	files.folder("tmp", fs.ModeSticky|0o777)
	files.file("etc/passwd", 0o644, []byte("root"))

	layer, err := files.layer()
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Join([]string{
		"777 0:0 bin -> usr/bin",
		"755 0:0 etc/",
		"644 0:0 etc/passwd = root",
		"1777 0:0 tmp/",
		"755 0:0 usr/",
		"755 0:0 usr/bin/",
		"755 0:0 usr/bin/tool = ELF",
	}, "\n")
	if got := strings.Join(listing(t, layer), "\n"); got != want {
		t.Errorf("the layer holds\n%s\nwant\n%s", got, want)
	}
}

func TestALayerDependsOnNothingButItsFiles(t *testing.T) {
	pack := func(dir string, changed time.Time) []byte {
		t.Helper()
		for _, name := range []string{"a", "b", "c"} {
			source := filepath.Join(dir, name)
			writeFile(t, source, name)
			if err := os.Chtimes(source, changed, changed); err != nil {
				t.Fatal(err)
			}
		}
		files := tree{}
		for _, name := range []string{"a", "b", "c"} {
			files.copy("dir/"+name, 0o644, filepath.Join(dir, name))
		}
		packed, err := files.pack()
		if err != nil {
			t.Fatal(err)
		}
		return packed
	}
	first := pack(t.TempDir(), time.Unix(1, 0))
	second := pack(t.TempDir(), time.Unix(2_000_000_000, 0))
	if !bytes.Equal(first, second) {
		t.Error("the same files, in another folder and of another time, made another layer")
	}
}

func TestALayerOfAFileThatIsGoneNamesIt(t *testing.T) {
	files := tree{}
	files.copy("runner", 0o755, "/nowhere/runner")
	_, err := files.layer()
	if err == nil || !strings.Contains(err.Error(), "/nowhere/runner") {
		t.Errorf("got %v, want an error that names the file", err)
	}
}

func writeFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}
