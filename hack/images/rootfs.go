// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// debianPackages is all that gcloud and its bundled Python need of a system.
// Nothing is resolved: a dependency that isn't here isn't used.
var debianPackages = []string{
	"busybox-static",  // the shell and the few tools that gcloud's start script calls, in one 2 MB binary
	"ca-certificates", // for the runner; gcloud brings its own
	"libc6",
	"libgcc-s1",
	"libstdc++6", // for Python's compiled modules: grpc, crc32c
	"netbase",    // /etc/protocols: records of DNS zone files name them
	"tzdata",     // --start-time="2026-01-02 08:00 Europe/Rome"
}

// applets are the names under which busybox is reached: what gcloud's start
// script calls, and what somebody looking into a container reaches for first.
var applets = []string{
	"sh", "cat", "chmod", "cp", "dirname", "env", "find", "grep", "head", "id", "ls",
	"mkdir", "mv", "ps", "readlink", "rm", "sleep", "stat", "tail", "touch", "tr", "uname", "wc", "which",
}

// unused are parts of the packages that nothing in the image reads.
var unused = []string{
	"etc/ca-certificates",
	"etc/ld.so.conf.d", // the loader finds its default folders without
	"usr/lib/*/gconv",  // character sets of the C library: Python has its own
	"usr/sbin",
	"usr/share/ca-certificates", // all in the bundle
	"usr/share/gcc",             // for debuggers
	"usr/share/gdb",
	"usr/share/initramfs-tools",
	"usr/share/lintian",
	"usr/share/man",
	"usr/share/zoneinfo/posix", // where a release has them: each zone a second
	"usr/share/zoneinfo/right", // and a third time
}

// rootFS is a small Debian file system: the packages' files and what their
// installation scripts would have made.
func rootFS() (tree, error) {
	debs, err := download(debianPackages)
	if err != nil {
		return nil, err
	}
	files := baseFiles()
	var bundle bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(debs)) {
		if err := unpack(debs[name], files, &bundle); err != nil {
			return nil, fmt.Errorf("unpacking the Debian package %s: %w", name, err)
		}
	}
	files.file(caBundle, 0o644, bundle.Bytes())
	return files, nil
}

func baseFiles() tree {
	files := tree{}
	for _, dir := range []string{"bin", "lib", "lib64", "sbin"} {
		files.symlink(dir, "usr/"+dir)
		files.folder("usr/"+dir, 0o755)
	}
	for _, applet := range applets {
		files.symlink("usr/bin/"+applet, "busybox")
	}
	for _, dir := range []string{"dev", "proc", "sys", "run", "root", "home"} {
		files.folder(dir, 0o755)
	}
	files.folder("tmp", fs.ModeSticky|0o777)
	files.file("etc/passwd", 0o644, []byte(passwd))
	files.file("etc/group", 0o644, []byte(group))
	files.file("etc/nsswitch.conf", 0o644, []byte("hosts: files dns\n"))
	return files
}

// download returns the packages' .deb files, in the versions that the
// machine's package lists name.
func download(packages []string) (map[string][]byte, error) {
	dir, err := os.MkdirTemp("", "images-debs-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	get := exec.Command("apt-get", append([]string{"download", "-q"}, packages...)...)
	get.Dir = dir
	if said, err := get.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("downloading Debian packages (have you run apt-get update?): %w\n%s", err, said)
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*.deb"))
	if err != nil {
		return nil, err
	}
	debs := map[string][]byte{}
	for _, path := range paths {
		if debs[filepath.Base(path)], err = fileSystem(path); err != nil {
			return nil, err
		}
	}
	return debs, nil
}

// fileSystem returns a package's files as a tar stream.
func fileSystem(deb string) ([]byte, error) {
	data, err := exec.Command("dpkg-deb", "--fsys-tarfile", deb).Output()
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", filepath.Base(deb), err)
	}
	return data, nil
}

// unpack adds a package's files to the tree, and its certificates to the
// bundle, as the package's installation script would.
func unpack(deb []byte, files tree, bundle io.Writer) error {
	archive := tar.NewReader(bytes.NewReader(deb))
	for {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if h.Typeflag == tar.TypeDir {
			continue
		}
		data, err := io.ReadAll(archive)
		if err != nil {
			return err
		}
		if strings.HasPrefix(path.Clean(h.Name), "usr/share/ca-certificates/") {
			if _, err := bundle.Write(data); err != nil {
				return err
			}
		}
		if err := addDebFile(files, h, data); err != nil {
			return err
		}
	}
}

func addDebFile(files tree, h *tar.Header, data []byte) error {
	name := mergeUsr(path.Clean(h.Name))
	if matchesAny(unused, name) || isDocumentation(name) {
		return nil
	}
	switch h.Typeflag {
	case tar.TypeReg:
		files.file(name, h.FileInfo().Mode().Perm(), data)
	case tar.TypeSymlink:
		files.symlink(name, h.Linkname)
	case tar.TypeLink:
		target, there := files[mergeUsr(path.Clean(h.Linkname))]
		if !there {
			return fmt.Errorf("%s is a hard link to %s, which isn't in the image", name, h.Linkname)
		}
		files[name] = target
	default:
		return fmt.Errorf("%s has the type %q, which is no file, folder or link", h.Name, h.Typeflag)
	}
	return nil
}

// isDocumentation is true for all of /usr/share/doc but the packages' terms.
func isDocumentation(name string) bool {
	return strings.HasPrefix(name, "usr/share/doc/") && path.Base(name) != "copyright"
}

// mergeUsr moves a path out of /bin, /lib, /lib64 and /sbin, which are symbolic
// links to the same names in /usr.
func mergeUsr(name string) string {
	top, _, _ := strings.Cut(name, "/")
	switch top {
	case "bin", "lib", "lib64", "sbin":
		return "usr/" + name
	}
	return name
}

// matchesAny says whether a pattern matches name or a folder that name is in.
func matchesAny(patterns []string, name string) bool {
	for ; name != "."; name = path.Dir(name) {
		for _, pattern := range patterns {
			if ok, _ := path.Match(pattern, name); ok {
				return true
			}
		}
	}
	return false
}
