// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/random"
)

func TestAnImageIsProducedOnce(t *testing.T) {
	t.Setenv("DEVCLUSTER_CACHE", t.TempDir())
	produced := 0
	produce := func() (v1.Image, error) {
		produced++
		return random.Image(100, 1)
	}
	first, err := cached("key", produce)
	if err != nil {
		t.Fatal(err)
	}
	second, err := cached("key", produce)
	if err != nil {
		t.Fatal(err)
	}
	if produced != 1 || digest(t, first) != digest(t, second) {
		t.Errorf("produced %d times, %s then %s", produced, digest(t, first), digest(t, second))
	}
	if _, err := cached("another key", produce); err != nil || produced != 2 {
		t.Errorf("produced %d times (%v), want twice for two keys", produced, err)
	}
}

func TestAFailureIsNotKept(t *testing.T) {
	t.Setenv("DEVCLUSTER_CACHE", t.TempDir())
	failure := errors.New("no network")
	if _, err := cached("key", func() (v1.Image, error) { return nil, failure }); !errors.Is(err, failure) {
		t.Errorf("got %v, want %v", err, failure)
	}
	if _, err := cached("key", func() (v1.Image, error) { return random.Image(100, 1) }); err != nil {
		t.Errorf("the next attempt failed too: %v", err)
	}
}

func TestAnImageThatAnotherProcessKeptMeanwhileStays(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "images", "key")
	var kept []v1.Image
	for range 2 {
		img, err := random.Image(100, 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := save(img, dir); err != nil {
			t.Fatal(err)
		}
		kept = append(kept, img)
	}
	got, err := load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if digest(t, got) != digest(t, kept[0]) {
		t.Errorf("the image is %s, want the first one, %s", digest(t, got), digest(t, kept[0]))
	}
	if left, _ := os.ReadDir(filepath.Dir(dir)); len(left) != 1 {
		t.Errorf("%d folders are left, want the image's alone", len(left))
	}
}

func TestTheKeyDependsOnEveryPartAndItsPlace(t *testing.T) {
	keys := map[string][]string{}
	for _, parts := range [][]string{{"a", "b"}, {"ab"}, {"b", "a"}, {"a", "b", ""}} {
		key := cacheKey(parts...)
		if other, there := keys[key]; there {
			t.Errorf("%q and %q have the same key", parts, other)
		}
		keys[key] = parts
	}
}
