// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
)

// pauseImage is the image of the container that holds a pod's namespaces.
const pauseImage = "gcloud-operator.dev/devcluster/pause:1"

// writePauseImage puts one static program into an image, as the tar file that
// `docker save` writes.
func writePauseImage(file, program string) error {
	binary, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	layer, err := archive(archiveFile{"pause", 0o755, binary})
	if err != nil {
		return err
	}
	config, err := json.Marshal(map[string]any{
		"architecture": runtime.GOARCH,
		"os":           "linux",
		"config":       map[string]any{"Entrypoint": []string{"/pause"}, "User": "65535:65535"},
		"rootfs":       map[string]any{"type": "layers", "diff_ids": []string{digest(layer)}},
	})
	if err != nil {
		return err
	}
	manifest, err := json.Marshal([]imageManifest{{
		Config:   digest(config)[len("sha256:"):] + ".json",
		RepoTags: []string{pauseImage},
		Layers:   []string{"layer.tar"},
	}})
	if err != nil {
		return err
	}
	image, err := archive(
		archiveFile{digest(config)[len("sha256:"):] + ".json", 0o644, config},
		archiveFile{"layer.tar", 0o644, layer},
		archiveFile{"manifest.json", 0o644, manifest},
	)
	if err != nil {
		return err
	}
	return os.WriteFile(file, image, 0o644)
}

func digest(content []byte) string {
	return fmt.Sprintf("sha256:%x", sha256.Sum256(content))
}

type archiveFile struct {
	name    string
	mode    int64
	content []byte
}

func archive(files ...archiveFile) ([]byte, error) {
	var out bytes.Buffer
	writer := tar.NewWriter(&out)
	for _, f := range files {
		header := &tar.Header{Name: f.name, Mode: f.mode, Size: int64(len(f.content)), Typeflag: tar.TypeReg}
		if err := writer.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := writer.Write(f.content); err != nil {
			return nil, err
		}
	}
	if err := writer.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
