// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// bundledPython is where an SDK has its own interpreter, and python that
// interpreter's library.
const (
	bundledPython = "platform/bundledpythonunix"
	python        = bundledPython + "/lib/python3.*"
)

// sdkHome is where the image has the SDK, whatever its place on the machine
// that assembles it.
const sdkHome = "usr/lib/google-cloud-sdk"

// sdkParts is what runs gcloud. The rest of an SDK is other programs (bq,
// gsutil, kubectl, kpt, emulators) and their notes.
var sdkParts = []string{
	".install", // which components are there: gcloud looks before it runs a command of one
	"LICENSE",
	"VERSION",
	"bin/gcloud",
	"data/cli/gcloud_completions.py", // "did you mean" after a mistyped command
	"lib",
	bundledPython,
}

// sdkUnused are patterns of what no gcloud command reads in these parts.
var sdkUnused = []string{
	bundledPython + "/include",
	bundledPython + "/share", // manual, terminal descriptions
	bundledPython + "/bin/[^p]*",
	bundledPython + "/bin/p[^y]*", // pip
	bundledPython + "/bin/pydoc*",
	bundledPython + "/bin/python*-config",
	bundledPython + "/lib/libpython3*.a",
	bundledPython + "/lib/libpython3*.so", // the loader asks for the one named .so.1.0
	bundledPython + "/lib/pkgconfig",
	bundledPython + "/lib/itcl*",
	bundledPython + "/lib/tcl*",
	bundledPython + "/lib/tk*",
	bundledPython + "/lib/thread*", // of Tcl
	python + "/config-*",
	python + "/curses", // its compiled half isn't there
	python + "/ensurepip",
	python + "/idlelib",
	python + "/lib2to3",
	python + "/test",
	python + "/tkinter",
	python + "/turtledemo",
	python + "/site-packages/pip",
	python + "/site-packages/pip-*",
	python + "/site-packages/*/tests",
	python + "/site-packages/setuptools/_distutils/tests",
	python + "/site-packages/wheel",
	python + "/site-packages/wheel-*",
}

// awsServices are what gcloud storage needs of the 90 MB of descriptions that
// boto brings for Amazon's services: s3:// URLs, and signing in.
var awsServices = []string{"s3", "sso", "sso-oidc", "sts"}

const awsDescriptions = "lib/third_party/botocore/data"

// components are the SDK's components in the image, by the names of their
// files in .install without a platform.
var components = []string{
	"alpha", "beta", "bundled-python3-unix", "core", "core-nix", "gcloud", "gcloud-deps", "preview",
}

// sdkProperties replaces the installation's own file, which may name
// somebody's project or account.
const sdkProperties = `[core]
disable_usage_reporting = True
[component_manager]
disable_update_check = True
`

// sdkFiles is the part of an SDK that runs gcloud, its Python compiled. The
// SDK itself is only read.
func sdkFiles(sdk string) (tree, error) {
	files := tree{}
	var modules []string
	for _, part := range sdkParts {
		err := fs.WalkDir(os.DirFS(sdk), part, func(name string, d fs.DirEntry, err error) error {
			switch {
			case errors.Is(err, fs.ErrNotExist) && name == part: // LICENSE: not every way of installing brings it
				return nil
			case err != nil:
				return err
			case isUnused(name, d) && d.IsDir():
				return fs.SkipDir
			case isUnused(name, d) || d.IsDir():
				return nil
			case isModule(name, d):
				modules = append(modules, name)
				return nil
			}
			return addSDKFile(files, sdk, name, d)
		})
		if err != nil {
			return nil, fmt.Errorf("reading the SDK: %w", err)
		}
	}
	if err := addModules(files, sdk, modules); err != nil {
		return nil, fmt.Errorf("compiling the SDK's Python modules: %w", err)
	}
	files.file(sdkHome+"/properties", 0o644, []byte(sdkProperties))
	files.symlink("usr/bin/gcloud", "../lib/google-cloud-sdk/bin/gcloud")
	return files, nil
}

// isUnused is true for what the image leaves out, of the parts that it has.
func isUnused(name string, d fs.DirEntry) bool {
	dir, base := path.Split(name)
	switch {
	case base == "__pycache__": // compiled anew
		return true
	case dir == awsDescriptions+"/":
		return d.IsDir() && !slices.Contains(awsServices, base)
	case dir == ".install/":
		return !isComponentFile(base)
	}
	return slices.ContainsFunc(sdkUnused, func(pattern string) bool {
		matched, _ := path.Match(pattern, name)
		return matched
	})
}

// isComponentFile is true for the notes about components that are in the image,
// such as core.manifest and gcloud-deps-linux-x86_64.snapshot.json, and for
// those about none.
func isComponentFile(base string) bool {
	component, suffix, _ := strings.Cut(base, ".")
	component, _, _ = strings.Cut(component, "-linux-")
	return slices.Contains(components, component) || suffix == "yaml"
}

func addSDKFile(files tree, sdk, name string, d fs.DirEntry) error {
	local, inImage := filepath.Join(sdk, name), path.Join(sdkHome, name)
	if d.Type() == fs.ModeSymlink {
		target, err := os.Readlink(local)
		if err != nil {
			return err
		}
		if path.IsAbs(target) {
			return fmt.Errorf("%s is a link to %s: only relative links mean the same in an image", name, target)
		}
		files.symlink(inImage, target)
		return nil
	}
	info, err := d.Info()
	if err != nil {
		return err
	}
	files.copy(inImage, permissions(info.Mode()), local)
	return nil
}

// permissions leaves of a file's mode whether it can be executed.
func permissions(mode fs.FileMode) fs.FileMode {
	if mode&0o111 != 0 {
		return 0o755
	}
	return 0o644
}
