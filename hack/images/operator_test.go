// SPDX-License-Identifier: Apache-2.0

package main

import (
	"path/filepath"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// operatorOf is the operator's image of two binaries with these contents.
func operatorOf(t *testing.T, operator, runner string) v1.Image {
	t.Helper()
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "operator"), operator)
	writeFile(t, filepath.Join(dir, "runner"), runner)
	img, err := operatorImage(filepath.Join(dir, "operator"), filepath.Join(dir, "runner"))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func TestTheSameBinariesMakeTheSameImage(t *testing.T) {
	first := digest(t, operatorOf(t, "operator", "runner"))
	if again := digest(t, operatorOf(t, "operator", "runner")); again != first {
		t.Errorf("the same binaries made %s, then %s", first, again)
	}
	if other := digest(t, operatorOf(t, "operator", "another runner")); other == first {
		t.Errorf("another runner made the same image, %s", first)
	}
}

func TestTheOperatorRunsAsNobodyInParticular(t *testing.T) {
	img := operatorOf(t, "operator", "runner")
	config, err := img.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	if config.Config.User != "65532:65532" {
		t.Errorf("the user is %q, want 65532:65532", config.Config.User)
	}
	if got := strings.Join(config.Config.Entrypoint, " "); got != "/operator" {
		t.Errorf("the entry point is %q, want /operator", got)
	}
	layers, err := img.Layers()
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(listing(t, layers[0]), "\n")
	for _, want := range []string{
		"755 0:0 operator = operator",
		"755 0:0 runner = runner",
		"nonroot:x:65532:65532:",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("the layer doesn't hold %q", want)
		}
	}
}
