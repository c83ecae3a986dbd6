// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// writeArchive saves an image under its name as a tarball of the OCI image
// layout: unlike Docker's own format it says that layers are zstd, and keeps
// the image's digest. Like `docker save` it adds a manifest.json for tools that
// know that format only.
func writeArchive(out string, tag name.Tag, img v1.Image) error {
	files := tree{}
	files.file("oci-layout", 0o644, []byte(`{"imageLayoutVersion":"1.0.0"}`))
	if err := addMetadata(files, tag, img); err != nil {
		return err
	}
	if err := addLayers(files, tag, img); err != nil {
		return err
	}
	packed, err := files.pack()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		return err
	}
	return os.WriteFile(out, packed, 0o644)
}

// addLayers adds the layers' blobs and manifest.json, which lists them.
func addLayers(files tree, tag name.Tag, img v1.Image) error {
	id, err := img.ConfigName()
	if err != nil {
		return err
	}
	layers, err := img.Layers()
	if err != nil {
		return err
	}
	docker := tarball.Descriptor{Config: blobPath(id), RepoTags: []string{tag.String()}}
	for _, layer := range layers {
		digest, err := layer.Digest()
		if err != nil {
			return err
		}
		files[blobPath(digest)] = entry{mode: 0o644, read: func() ([]byte, error) { return compressed(layer) }}
		docker.Layers = append(docker.Layers, blobPath(digest))
	}
	manifest, err := json.Marshal(tarball.Manifest{docker})
	if err != nil {
		return err
	}
	files.file("manifest.json", 0o644, manifest)
	return nil
}

// imageIndex names the one image of a layout, the way containerd and Docker
// look for it.
func imageIndex(tag name.Tag, img v1.Image) ([]byte, error) {
	descriptor, err := partial.Descriptor(img)
	if err != nil {
		return nil, err
	}
	descriptor.Annotations = map[string]string{
		"io.containerd.image.name":          containerdName(tag),
		"org.opencontainers.image.ref.name": tag.TagStr(),
	}
	return json.Marshal(v1.IndexManifest{
		SchemaVersion: 2,
		MediaType:     types.OCIImageIndex,
		Manifests:     []v1.Descriptor{*descriptor},
	})
}

// containerdName is the image's full name. Docker's registry is called
// docker.io there, and index.docker.io by who pulls from it.
func containerdName(tag name.Tag) string {
	return strings.Replace(tag.Name(), name.DefaultRegistry, "docker.io", 1)
}

// addMetadata adds index.json, and the manifest and configuration that it
// leads to.
func addMetadata(files tree, tag name.Tag, img v1.Image) error {
	index, err := imageIndex(tag, img)
	if err != nil {
		return err
	}
	manifest, err := img.RawManifest()
	if err != nil {
		return err
	}
	digest, err := img.Digest()
	if err != nil {
		return err
	}
	config, err := img.RawConfigFile()
	if err != nil {
		return err
	}
	id, err := img.ConfigName()
	if err != nil {
		return err
	}
	files.file("index.json", 0o644, index)
	files.file(blobPath(digest), 0o644, manifest)
	files.file(blobPath(id), 0o644, config)
	return nil
}

func blobPath(digest v1.Hash) string {
	return fmt.Sprintf("blobs/%s/%s", digest.Algorithm, digest.Hex)
}

func compressed(layer v1.Layer) ([]byte, error) {
	stream, err := layer.Compressed()
	if err != nil {
		return nil, err
	}
	defer stream.Close()
	return io.ReadAll(stream)
}
