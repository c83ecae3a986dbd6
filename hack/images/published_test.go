// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// publish serves an image for this machine's architecture, and one for another,
// from a registry of its own. It returns the image's name, this machine's
// image, and what stops the registry.
func publish(t *testing.T) (string, v1.Image, func()) {
	t.Helper()
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(server.Close)
	ref, err := name.ParseReference(strings.TrimPrefix(server.URL, "http://") + "/google-cloud-cli:528.0.0-slim")
	if err != nil {
		t.Fatal(err)
	}
	ours, other := publishedFor(t, runtime.GOARCH), publishedFor(t, "s390x")
	index := mutate.AppendManifests(empty.Index, addendum(other, "s390x"), addendum(ours, runtime.GOARCH))
	if err := remote.WriteIndex(ref, index); err != nil {
		t.Fatal(err)
	}
	return ref.String(), ours, server.Close
}

func publishedFor(t *testing.T, arch string) v1.Image {
	t.Helper()
	img, err := random.Image(1024, 2)
	if err != nil {
		t.Fatal(err)
	}
	img, err = mutate.ConfigFile(img, &v1.ConfigFile{
		OS: "linux", Architecture: arch,
		Config: v1.Config{Env: []string{"PATH=/google-cloud-sdk/bin"}, Cmd: []string{"/bin/bash"}},
		RootFS: rootFSOf(t, img),
	})
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func rootFSOf(t *testing.T, img v1.Image) v1.RootFS {
	t.Helper()
	config, err := img.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	return config.RootFS
}

func addendum(img v1.Image, arch string) mutate.IndexAddendum {
	return mutate.IndexAddendum{
		Add:        img,
		Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: arch}},
	}
}

func TestThePublishedImageIsPulledOnceForThisArchitecture(t *testing.T) {
	t.Setenv("DEVCLUSTER_CACHE", t.TempDir())
	ref, want, stop := publish(t)
	for _, when := range []string{"from the registry", "from the cache, the registry being down"} {
		got, err := publishedBase(t.Context(), ref)
		if err != nil {
			t.Fatalf("%s: %v", when, err)
		}
		if digest(t, got) != digest(t, want) {
			t.Errorf("%s: got the image %s, want %s", when, digest(t, got), digest(t, want))
		}
		stop()
	}
}

func TestTheRunnerIsTheTopOfThePublishedImage(t *testing.T) {
	t.Setenv("DEVCLUSTER_CACHE", t.TempDir())
	ref, published, _ := publish(t)
	base, err := publishedBase(t.Context(), ref)
	if err != nil {
		t.Fatal(err)
	}
	runner := filepath.Join(t.TempDir(), "runner")
	writeFile(t, runner, "runner")
	img, err := addRunner(base, runner)
	if err != nil {
		t.Fatal(err)
	}
	layers, err := img.Layers()
	if err != nil {
		t.Fatal(err)
	}
	below, err := published.Layers()
	if err != nil {
		t.Fatal(err)
	}
	if len(layers) != len(below)+1 {
		t.Fatalf("the image has %d layers, want one more than %d", len(layers), len(below))
	}
	if got := listing(t, layers[len(below)]); len(got) != 1 || got[0] != "755 0:0 runner = runner" {
		t.Errorf("the top layer holds %q, want the runner alone", got)
	}
	config, err := img.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(config.Config.User, config.Config.Entrypoint, config.Config.Cmd, config.Config.Env)
	if want := "65532:65532[/runner] [] [PATH=/google-cloud-sdk/bin]"; got != want {
		t.Errorf("user, entry point, command and environment are %q, want %q", got, want)
	}
}

func TestARegistryOutOfReachSaysWhatElseWorks(t *testing.T) {
	t.Setenv("DEVCLUSTER_CACHE", t.TempDir())
	ref, _, stop := publish(t)
	stop()
	_, err := publishedBase(t.Context(), ref)
	if err == nil || !strings.Contains(err.Error(), "no Google Cloud SDK was found") {
		t.Errorf("got %v, want an error that says that an SDK works too", err)
	}
	if left, _ := os.ReadDir(filepath.Join(os.Getenv("DEVCLUSTER_CACHE"), "images")); len(left) > 0 {
		t.Errorf("the cache holds %v after a failure", left)
	}
}

func digest(t *testing.T, img v1.Image) v1.Hash {
	t.Helper()
	hash, err := img.Digest()
	if err != nil {
		t.Fatal(err)
	}
	return hash
}
