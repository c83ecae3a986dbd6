// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
)

// pinnedVersion is the SDK whose command tree the operator knows.
const pinnedVersion = "528.0.0"

// publishedImage is Google's own image of the pinned SDK.
const publishedImage = "gcr.io/google.com/cloudsdktool/google-cloud-cli:" + pinnedVersion + "-slim"

// recipe is all that decides what is taken from an SDK and how it is packed, so
// that a change to it makes a new image.
//
//go:embed compile.py image.go layer.go modules.go rootfs.go sdkfiles.go
var recipe embed.FS

// gcloudBase returns an image with gcloud and the version of its SDK. It is
// assembled from the SDK in a folder, or the one on PATH; where there is none,
// it is Google's. Either is kept in the cache.
func gcloudBase(ctx context.Context, sdk string) (v1.Image, string, error) {
	if sdk == "" {
		sdk = findSDK()
	} else if err := checkSDK(sdk); err != nil {
		return nil, "", err
	}
	if sdk == "" {
		base, err := publishedBase(ctx, publishedImage)
		return base, pinnedVersion, err
	}
	return assembledBase(sdk)
}

func assembledBase(sdk string) (v1.Image, string, error) {
	version, err := sdkVersion(sdk)
	if err != nil {
		return nil, "", err
	}
	key, err := assembledKey(sdk, version)
	if err != nil {
		return nil, "", fmt.Errorf("looking for the gcloud image in the cache: %w", err)
	}
	if version != pinnedVersion {
		log.Printf("The SDK in %s is %s; the operator admits the commands of %s", sdk, version, pinnedVersion)
	}
	base, err := cached(key, func() (v1.Image, error) {
		log.Printf("Assembling the gcloud image from the SDK %s in %s; it is kept in the cache", version, sdk)
		return assemble(sdk)
	})
	if err != nil {
		return nil, "", fmt.Errorf("assembling the gcloud image: %w", err)
	}
	return base, version, nil
}

// assembledKey stands for the SDK's version and components, the Debian release
// that the system's packages come from, and the recipe.
func assembledKey(sdk, version string) (string, error) {
	parts := []string{version}
	installed, err := os.ReadDir(filepath.Join(sdk, ".install"))
	if err != nil {
		return "", err
	}
	for _, file := range installed {
		parts = append(parts, file.Name())
	}
	release, err := os.ReadFile("/etc/os-release")
	if err != nil {
		return "", err
	}
	parts = append(parts, string(release))
	err = fs.WalkDir(recipe, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		source, err := recipe.ReadFile(name)
		parts = append(parts, string(source))
		return err
	})
	return cacheKey(parts...), err
}

// assemble makes an image of a small Debian file system and, above it, the
// SDK.
func assemble(sdk string) (v1.Image, error) {
	system, err := rootFS()
	if err != nil {
		return nil, err
	}
	gcloud, err := sdkFiles(sdk)
	if err != nil {
		return nil, err
	}
	return image(v1.Config{Env: []string{"PATH=/usr/bin"}}, system, gcloud)
}

// addRunner puts the runner on top, the layer that changes most, and has the
// image run it, as nobody in particular.
func addRunner(base v1.Image, runner string) (v1.Image, error) {
	files := tree{}
	files.copy("runner", 0o755, runner)
	layer, err := files.layer()
	if err != nil {
		return nil, err
	}
	img, err := mutate.AppendLayers(base, layer)
	if err != nil {
		return nil, err
	}
	file, err := img.ConfigFile()
	if err != nil {
		return nil, err
	}
	config := file.Config
	config.User, config.Entrypoint, config.Cmd = user, []string{"/runner"}, nil
	return mutate.Config(img, config)
}
