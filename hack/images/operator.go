// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"io/fs"
	"os"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// operatorImage holds the two static binaries and what a static Go binary reads
// at run time, on top of nothing.
func operatorImage(operator, runner string) (v1.Image, error) {
	files := tree{}
	files.copy("operator", 0o755, operator)
	files.copy("runner", 0o755, runner)
	files.file("etc/passwd", 0o644, []byte(passwd))
	files.file("etc/group", 0o644, []byte(group))
	bundle, err := os.ReadFile("/" + caBundle)
	switch {
	case err == nil:
		files.file(caBundle, 0o644, bundle)
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	return image(v1.Config{User: user, Entrypoint: []string{"/operator"}}, files)
}
