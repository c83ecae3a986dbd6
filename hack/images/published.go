// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"log"
	"runtime"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// publishedBase is an image that its registry is asked for once.
func publishedBase(ctx context.Context, image string) (v1.Image, error) {
	return cached(cacheKey(image), func() (v1.Image, error) {
		log.Printf("Pulling %s; it is kept in the cache", image)
		return pull(ctx, image)
	})
}

// pull fetches an image for this machine's architecture from its registry.
func pull(ctx context.Context, image string) (v1.Image, error) {
	ref, err := name.ParseReference(image)
	if err != nil {
		return nil, err
	}
	img, err := remote.Image(ref,
		remote.WithContext(ctx),
		remote.WithPlatform(v1.Platform{OS: "linux", Architecture: runtime.GOARCH}))
	if err != nil {
		return nil, fmt.Errorf("pulling %s (no Google Cloud SDK was found that an image can be made from; install one with its bundled Python, or reach that registry): %w", image, err)
	}
	return img, nil
}
