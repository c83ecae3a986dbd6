// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

func TestTheTarballHoldsTheImageUnderTheNameThatContainerdGivesIt(t *testing.T) {
	tests := map[string]struct{ tag, want string }{
		"a short name is one of Docker's registry": {"gcloud-operator:test", "docker.io/library/gcloud-operator:test"},
		"a name with a registry stays":             {"localhost:5000/team/operator:v1", "localhost:5000/team/operator:v1"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			binary, out := filepath.Join(dir, "binary"), filepath.Join(dir, "new/folder/operator.tar")
			writeFile(t, binary, "ELF")
			args := []string{"operator", "--operator=" + binary, "--runner=" + binary, "--out=" + out, "--tag=" + test.tag}
			if err := run(t.Context(), args); err != nil {
				t.Fatal(err)
			}
			if said, err := exec.Command("tar", "-xf", out, "-C", dir).CombinedOutput(); err != nil {
				t.Fatalf("unpacking: %v\n%s", err, said)
			}
			checkLayout(t, dir, test.want)
			checkDockerManifest(t, dir, test.tag)
		})
	}
}

// checkLayout asks for one image in a folder, whole and with this name.
func checkLayout(t *testing.T, dir, want string) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(dir, "oci-layout")); err != nil {
		t.Error(err)
	}
	index, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Index(index, validate.Fast); err != nil {
		t.Error(err)
	}
	blobs, err := filepath.Glob(filepath.Join(dir, "blobs/sha256/*"))
	if err != nil || len(blobs) != 3 {
		t.Fatalf("there are %d blobs (%v), want manifest, configuration and one layer", len(blobs), err)
	}
	for _, blob := range blobs {
		data, err := os.ReadFile(blob)
		if err != nil {
			t.Fatal(err)
		}
		if hash := fmt.Sprintf("%x", sha256.Sum256(data)); hash != filepath.Base(blob) {
			t.Errorf("the blob %s has the hash %s", filepath.Base(blob), hash)
		}
	}
	manifest, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	if got := manifest.Manifests[0].Annotations["io.containerd.image.name"]; got != want {
		t.Errorf("the image is called %q, want %q", got, want)
	}
}

// checkDockerManifest asks for files that are there, and this name.
func checkDockerManifest(t *testing.T, dir, want string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	var manifest tarball.Manifest
	if err := json.Unmarshal(data, &manifest); err != nil {
		t.Fatal(err)
	}
	if len(manifest) != 1 || len(manifest[0].Layers) != 1 || !slices.Equal(manifest[0].RepoTags, []string{want}) {
		t.Fatalf("manifest.json is %s, want one image %q of one layer", data, want)
	}
	for _, blob := range append(manifest[0].Layers, manifest[0].Config) {
		if _, err := os.Stat(filepath.Join(dir, blob)); err != nil {
			t.Error(err)
		}
	}
}
