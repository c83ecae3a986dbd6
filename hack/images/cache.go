// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
)

// cached returns the image kept under key, and has it produced once if there
// is none. Images are kept in the OCI layout, so that what is asked of them later
// is read, not computed.
func cached(key string, produce func() (v1.Image, error)) (v1.Image, error) {
	root, err := cacheFolder()
	if err != nil {
		return nil, fmt.Errorf("finding the cache (set DEVCLUSTER_CACHE to a folder): %w", err)
	}
	kept := filepath.Join(root, "images", key)
	if img, err := load(kept); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return img, err
	}
	img, err := produce()
	if err != nil {
		return nil, err
	}
	if err := save(img, kept); err != nil {
		return nil, fmt.Errorf("keeping the image in the cache: %w", err)
	}
	return load(kept)
}

func cacheFolder() (string, error) {
	if dir := os.Getenv("DEVCLUSTER_CACHE"); dir != "" {
		return dir, nil
	}
	dir, err := os.UserCacheDir()
	return filepath.Join(dir, "gcloud-operator"), err
}

// load returns the one image in a layout.
func load(dir string) (v1.Image, error) {
	index, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		return nil, err
	}
	manifest, err := index.IndexManifest()
	if err != nil {
		return nil, err
	}
	if len(manifest.Manifests) != 1 {
		return nil, fmt.Errorf("%s holds %d images instead of one: remove it", dir, len(manifest.Manifests))
	}
	return index.Image(manifest.Manifests[0].Digest)
}

// save keeps an image, all of it or nothing. If another process was faster,
// its image stays.
func save(img v1.Image, dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	unfinished, err := os.MkdirTemp(filepath.Dir(dir), "unfinished-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(unfinished)
	path, err := layout.Write(unfinished, empty.Index)
	if err != nil {
		return err
	}
	if err := path.AppendImage(img); err != nil {
		return err
	}
	if err := os.Rename(unfinished, dir); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// cacheKey is a short hash of what decides an image.
func cacheKey(parts ...string) string {
	hash := sha256.Sum256(fmt.Appendf(nil, "%q", append(parts, runtime.GOARCH)))
	return fmt.Sprintf("gcloud-%x", hash[:8])
}
