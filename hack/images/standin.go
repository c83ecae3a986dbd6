// SPDX-License-Identifier: Apache-2.0

package main

import v1 "github.com/google/go-containerregistry/pkg/v1"

// standInImage has a static binary for tests where gcloud would be, and the
// runner: as pods go, it is an image of gcloud.
func standInImage(gcloud, runner string) (v1.Image, error) {
	files := tree{}
	files.copy("usr/bin/gcloud", 0o755, gcloud)
	base, err := image(v1.Config{Env: []string{"PATH=/usr/bin"}}, files)
	if err != nil {
		return nil, err
	}
	return addRunner(base, runner)
}
