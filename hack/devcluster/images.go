// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// contentLabel is put on an image in containerd: the digest of its
// configuration, which names all that is in it.
const contentLabel = "gcloud-operator.dev/config"

// imageManifest is an entry of manifest.json in the tar file of an image.
type imageManifest struct {
	Config   string
	RepoTags []string
	Layers   []string
}

// loadImage imports a tar file, as `docker save` writes it, unless the node has
// the same images already.
func (c cluster) loadImage(ctx context.Context, file string) error {
	manifests, err := readManifests(file)
	if err != nil {
		return fmt.Errorf("reading %s: %w", file, err)
	}
	present, err := c.ctr(ctx, "images", "list")
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(manifests, func(m imageManifest) bool { return !m.loaded(present) }) {
		return nil
	}
	started := time.Now()
	if _, err := c.ctr(ctx, "images", "import", file); err != nil {
		return err
	}
	for _, m := range manifests {
		for _, tag := range m.names() {
			if _, err := c.ctr(ctx, "images", "label", tag, contentLabel+"="+m.content()); err != nil {
				return err
			}
		}
		say("loaded %s in %.1fs", strings.Join(m.names(), ", "), time.Since(started).Seconds())
	}
	return nil
}

// content is a label value that changes with the image's configuration.
func (m imageManifest) content() string {
	return strings.TrimSuffix(strings.TrimPrefix(filepath.Base(m.Config), "sha256:"), ".json")
}

// loaded tells whether the list that ctr prints has every tag, with the label
// of this content.
func (m imageManifest) loaded(list string) bool {
	return !slices.ContainsFunc(m.names(), func(name string) bool {
		return !slices.ContainsFunc(strings.Split(list, "\n"), func(line string) bool {
			return strings.HasPrefix(line, name+" ") && strings.Contains(line, contentLabel+"="+m.content())
		})
	})
}

// names are the tags in full, as containerd and the kubelet complete them.
func (m imageManifest) names() []string {
	var names []string
	for _, tag := range m.RepoTags {
		registry, path, found := strings.Cut(tag, "/")
		switch {
		case !found:
			tag = "docker.io/library/" + tag
		case registry == "index.docker.io":
			tag = "docker.io/" + path
		case registry != "localhost" && !strings.ContainsAny(registry, ".:"):
			tag = "docker.io/" + tag
		}
		names = append(names, tag)
	}
	return names
}

// readManifests reads manifest.json, skipping over the layers.
func readManifests(file string) ([]imageManifest, error) {
	opened, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	for entries := tar.NewReader(opened); ; {
		header, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return nil, errors.New("there is no manifest.json in it: an image as `docker save` writes it is needed")
		}
		if err != nil {
			return nil, err
		}
		if filepath.Clean(header.Name) != "manifest.json" {
			continue
		}
		var manifests []imageManifest
		if err := json.NewDecoder(entries).Decode(&manifests); err != nil {
			return nil, fmt.Errorf("manifest.json: %w", err)
		}
		return manifests, checkTags(manifests)
	}
}

func checkTags(manifests []imageManifest) error {
	for _, m := range manifests {
		if len(m.RepoTags) == 0 {
			return errors.New("an image in it has no tag: nothing could refer to it")
		}
	}
	return nil
}

// ctr runs containerd's own client against the node, in the kubelet's namespace.
func (c cluster) ctr(ctx context.Context, args ...string) (string, error) {
	all := append([]string{"--address", c.containerdSocket(), "--namespace", "k8s.io"}, args...)
	out, err := exec.CommandContext(ctx, "ctr", all...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("ctr %s: %w\n%s", strings.Join(args, " "), err, lastLines(out, 10))
	}
	return string(out), nil
}

// loadPauseImage loads it as soon as containerd serves; the kubelet needs it for
// its first pod only.
func (c cluster) loadPauseImage(ctx context.Context, binaries string) error {
	ctx, cancel := context.WithTimeout(ctx, bootLimit)
	defer cancel()
	for c.containerdServes(ctx) != nil {
		select {
		case <-ctx.Done():
			return fmt.Errorf("loading the pause image: %w", ctx.Err())
		case <-time.After(pollInterval):
		}
	}
	return c.loadImage(ctx, filepath.Join(binaries, "pause.tar"))
}
