// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"time"

	"github.com/google/go-containerregistry/pkg/compression"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// entry is a file, folder or symbolic link of a layer. All belong to root.
type entry struct {
	mode fs.FileMode // type and permissions; fs.ModeSticky is kept too
	link string      // what a symbolic link points to
	read func() ([]byte, error)
}

// tree holds the entries of a layer by path, without a leading slash. Parent
// folders that aren't listed are made, mode 0755.
type tree map[string]entry

func (t tree) file(name string, perm fs.FileMode, data []byte) {
	t[name] = entry{mode: perm, read: func() ([]byte, error) { return data, nil }}
}

func (t tree) copy(name string, perm fs.FileMode, source string) {
	t[name] = entry{mode: perm, read: func() ([]byte, error) { return os.ReadFile(source) }}
}

func (t tree) folder(name string, perm fs.FileMode) {
	t[name] = entry{mode: fs.ModeDir | perm}
}

func (t tree) symlink(name, target string) {
	t[name] = entry{mode: fs.ModeSymlink | 0o777, link: target}
}

// layer packs the tree, compressed with zstd at its fastest: containerd then
// has a quarter of the bytes to copy, and unpacks them faster than gzip's.
func (t tree) layer() (v1.Layer, error) {
	packed, err := t.pack()
	if err != nil {
		return nil, err
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(packed)), nil }
	return tarball.LayerFromOpener(open,
		tarball.WithCompression(compression.ZStd),
		tarball.WithCompressionLevel(1),
		tarball.WithMediaType(types.OCILayerZStd),
		tarball.WithCompressedCaching)
}

// pack writes the tree as a tar stream that depends on nothing but the tree:
// sorted, owned by root, all times zero.
func (t tree) pack() ([]byte, error) {
	var buffer bytes.Buffer
	archive := tar.NewWriter(&buffer)
	all := t.withParents()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if err := packEntry(archive, name, all[name]); err != nil {
			return nil, fmt.Errorf("packing %s: %w", name, err)
		}
	}
	if err := archive.Close(); err != nil {
		return nil, fmt.Errorf("finishing the layer: %w", err)
	}
	return buffer.Bytes(), nil
}

func (t tree) withParents() tree {
	all := maps.Clone(t)
	for name := range t {
		for parent := path.Dir(name); parent != "."; parent = path.Dir(parent) {
			if _, there := all[parent]; !there {
				all.folder(parent, 0o755)
			}
		}
	}
	return all
}

func packEntry(archive *tar.Writer, name string, e entry) error {
	var data []byte
	if e.mode.IsRegular() {
		var err error
		if data, err = e.read(); err != nil {
			return err
		}
	}
	if err := archive.WriteHeader(header(name, e, len(data))); err != nil {
		return err
	}
	_, err := archive.Write(data)
	return err
}

func header(name string, e entry, size int) *tar.Header {
	h := &tar.Header{
		Typeflag: tar.TypeReg,
		Name:     name,
		Linkname: e.link,
		Mode:     int64(e.mode.Perm()),
		Size:     int64(size),
		ModTime:  time.Unix(0, 0),
	}
	if e.mode&fs.ModeSticky != 0 {
		h.Mode |= 0o1000
	}
	switch e.mode.Type() {
	case fs.ModeDir:
		h.Typeflag, h.Name = tar.TypeDir, name+"/"
	case fs.ModeSymlink:
		h.Typeflag = tar.TypeSymlink
	}
	return h
}
