// SPDX-License-Identifier: Apache-2.0

package main

import (
	"path/filepath"
	"slices"
	"testing"
)

func TestTheStandInIsFoundWhereGcloudWouldBeAndTheRunnerRunsIt(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "gcloud"), "gcloud")
	writeFile(t, filepath.Join(dir, "runner"), "runner")
	img, err := standInImage(filepath.Join(dir, "gcloud"), filepath.Join(dir, "runner"))
	if err != nil {
		t.Fatal(err)
	}
	layers, err := img.Layers()
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, layer := range layers {
		all = append(all, listing(t, layer)...)
	}
	for _, want := range []string{"755 0:0 usr/bin/gcloud = gcloud", "755 0:0 runner = runner"} {
		if !slices.Contains(all, want) {
			t.Errorf("the image holds %q, not %q", all, want)
		}
	}
	file, err := img.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	c := file.Config
	if c.User != user || !slices.Equal(c.Entrypoint, []string{"/runner"}) || !slices.Equal(c.Env, []string{"PATH=/usr/bin"}) {
		t.Errorf("the image runs %q as %q with %q", c.Entrypoint, c.User, c.Env)
	}
}
