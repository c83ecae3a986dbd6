// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPauseImageIsAnImageThatLoadCanRead(t *testing.T) {
	program := filepath.Join(t.TempDir(), "pause")
	writeFile(t, program, "a program")
	file := filepath.Join(t.TempDir(), "pause.tar")
	if err := writePauseImage(file, program); err != nil {
		t.Fatal(err)
	}
	manifests, err := readManifests(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(manifests) != 1 || manifests[0].RepoTags[0] != pauseImage || len(manifests[0].content()) != 64 {
		t.Errorf("read %+v", manifests)
	}
}

func TestWhatIsNoImageIsRefused(t *testing.T) {
	manifest := func(text string) archiveFile { return archiveFile{"manifest.json", 0o644, []byte(text)} }
	tests := []struct {
		name string
		file archiveFile
		want string
	}{
		{"a tar file of something else", archiveFile{"README", 0o644, nil}, "no manifest.json"},
		{"an image without a tag", manifest(`[{"Config":"a.json"}]`), "no tag"},
		{"a broken manifest", manifest(`{`), "manifest.json"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			content, err := archive(test.file)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), "image.tar")
			if err := os.WriteFile(file, content, 0o644); err != nil {
				t.Fatal(err)
			}
			if _, err := readManifests(file); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

func TestTagsAreCompletedAsTheKubeletDoes(t *testing.T) {
	for tag, want := range map[string]string{
		"operator:dev":                   "docker.io/library/operator:dev",
		"team/operator:dev":              "docker.io/team/operator:dev",
		"index.docker.io/library/a:1":    "docker.io/library/a:1",
		"localhost/operator:dev":         "localhost/operator:dev",
		"localhost:5000/operator:dev":    "localhost:5000/operator:dev",
		"ghcr.io/team/operator:v1":       "ghcr.io/team/operator:v1",
		"gcloud-operator.dev/runner:dev": "gcloud-operator.dev/runner:dev",
	} {
		if got := (imageManifest{RepoTags: []string{tag}}).names(); got[0] != want {
			t.Errorf("%s becomes %s, want %s", tag, got[0], want)
		}
	}
}

func TestAnImageIsLoadedAgainOnlyWhenItChanged(t *testing.T) {
	const list = `REF                 TYPE     DIGEST        SIZE  PLATFORMS    LABELS
example.com/a:1     app/json sha256:0123   1 MiB linux/amd64  gcloud-operator.dev/config=aaaa,io.cri-containerd.image=managed
example.com/a:10    app/json sha256:0123   1 MiB linux/amd64  gcloud-operator.dev/config=bbbb
example.com/plain:1 app/json sha256:4567   1 MiB linux/amd64  io.cri-containerd.image=managed
`
	tests := []struct {
		name  string
		image imageManifest
		want  bool
	}{
		{"the same image", imageManifest{Config: "sha256:aaaa", RepoTags: []string{"example.com/a:1"}}, true},
		{"the same, as docker names it", imageManifest{Config: "aaaa.json", RepoTags: []string{"example.com/a:1"}}, true},
		{"another content", imageManifest{Config: "bbbb.json", RepoTags: []string{"example.com/a:1"}}, false},
		{"one of two tags lacks", imageManifest{Config: "aaaa.json", RepoTags: []string{"example.com/a:1", "example.com/a:2"}}, false},
		{"loaded by somebody else", imageManifest{Config: "aaaa.json", RepoTags: []string{"example.com/plain:1"}}, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := test.image.loaded(list); got != test.want {
				t.Errorf("loaded: %v, want %v", got, test.want)
			}
		})
	}
}
