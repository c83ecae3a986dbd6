// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/binary"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestWhatIsLeftOutOfTheSDK(t *testing.T) {
	tests := map[string]struct {
		name   string
		folder bool
		unused bool
	}{
		"a library of gcloud stays":                     {"lib/googlecloudsdk", true, false},
		"a command group that is called test stays":     {"lib/surface/firebase/test", true, false},
		"what Python compiled by itself goes":           {"lib/surface/__pycache__", true, true},
		"S3 stays, for gcloud storage":                  {"lib/third_party/botocore/data/s3", true, false},
		"Amazon's other services go":                    {"lib/third_party/botocore/data/ec2", true, true},
		"what Amazon's services have in common stays":   {"lib/third_party/botocore/data/endpoints.json", false, false},
		"notes on a component that is there stay":       {".install/alpha.manifest", false, false},
		"notes on a component for one platform stay":    {".install/gcloud-deps-linux-x86_64.snapshot.json", false, false},
		"notes on a component that isn't there go":      {".install/kubectl.manifest", false, true},
		"notes on all components stay":                  {".install/component_mapping.yaml", false, false},
		"downloads of the installer go":                 {".install/.download", true, true},
		"the interpreter stays":                         {"platform/bundledpythonunix/bin/python3", false, false},
		"the installer of Python packages goes":         {"platform/bundledpythonunix/bin/pip3", false, true},
		"a program that is written in Python goes":      {"platform/bundledpythonunix/bin/idle3", false, true},
		"Python's shared library stays":                 {"platform/bundledpythonunix/lib/libpython3.12.so.1.0", false, false},
		"its name for the linker goes":                  {"platform/bundledpythonunix/lib/libpython3.12.so", false, true},
		"its static twin goes":                          {"platform/bundledpythonunix/lib/libpython3.12.a", false, true},
		"the tests of a Python package go":              {"platform/bundledpythonunix/lib/python3.12/site-packages/setuptools/tests", true, true},
		"setuptools stays, for ai-platform's packaging": {"platform/bundledpythonunix/lib/python3.12/site-packages/setuptools", true, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := isUnused(test.name, dirEntry(t, test.name, test.folder)); got != test.unused {
				t.Errorf("isUnused(%q) = %t, want %t", test.name, got, test.unused)
			}
		})
	}
}

func dirEntry(t *testing.T, name string, folder bool) fs.DirEntry {
	t.Helper()
	var mode fs.FileMode
	if folder {
		mode = fs.ModeDir
	}
	info, err := fs.Stat(fstest.MapFS{name: {Mode: mode}}, name)
	if err != nil {
		t.Fatal(err)
	}
	return fs.FileInfoToDirEntry(info)
}

// writeModule installs a module in an SDK, compiled for the source that it has.
func writeModule(t *testing.T, sdk, module, source, bytecode string) {
	t.Helper()
	local := filepath.Join(sdk, module)
	writeFile(t, local, source)
	info, err := os.Stat(local)
	if err != nil {
		t.Fatal(err)
	}
	header := []byte("MAGC\x00\x00\x00\x00")
	header = binary.LittleEndian.AppendUint32(header, uint32(info.ModTime().Unix()))
	header = binary.LittleEndian.AppendUint32(header, uint32(info.Size()))
	writeFile(t, filepath.Join(sdk, bytecodePath(module, "cpython-312")), string(header)+bytecode)
}

func TestTheImageHasTheSDKCompiledAndNothingOfTheMachine(t *testing.T) {
	sdk := t.TempDir()
	writeFile(t, filepath.Join(sdk, "VERSION"), "528.0.0\n")
	writeFile(t, filepath.Join(sdk, "bin/gcloud"), "#!/bin/sh")
	writeFile(t, filepath.Join(sdk, "bin/kubectl"), "ELF")
	writeFile(t, filepath.Join(sdk, "properties"), "[core]\nproject = somebody's\n")
	writeFile(t, filepath.Join(sdk, ".install/core.manifest"), "")
	writeFile(t, filepath.Join(sdk, "lib/surface/storage/cp.yaml"), "command")
	writeFile(t, filepath.Join(sdk, "platform/bundledpythonunix/bin/python3"), "ELF")
	writeModule(t, sdk, "platform/bundledpythonunix/lib/python3.12/os.py", "source", "os")
	writeModule(t, sdk, "data/cli/gcloud_completions.py", "source", "tree")
	writeModule(t, sdk, "lib/gcloud.py", "script", "main")
	writeModule(t, sdk, "lib/googlecloudsdk/core/log.py", "source", "log")
	writeModule(t, sdk, "lib/surface/projects/list.py", "source", "list")
	if err := os.Symlink("python3", filepath.Join(sdk, "platform/bundledpythonunix/bin/python")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(sdk, "bin/gcloud"), 0o700); err != nil {
		t.Fatal(err)
	}

	files, err := sdkFiles(sdk)
	if err != nil {
		t.Fatal(err)
	}
	const unchecked = "MAGC\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
	want := map[string]string{
		".install/core.manifest":          "",
		"VERSION":                         "528.0.0\n",
		"bin/gcloud":                      "#!/bin/sh",
		"data/cli/gcloud_completions.pyc": unchecked + "tree",
		"lib/gcloud.py":                   "script",
		"lib/googlecloudsdk/core/log.pyc": unchecked + "log",
		"lib/surface/projects/__pycache__/list.cpython-312.pyc": unchecked + "list",
		"lib/surface/projects/list.py":                          "",
		"lib/surface/storage/cp.yaml":                           "command",
		"platform/bundledpythonunix/bin/python":                 "-> python3",
		"platform/bundledpythonunix/bin/python3":                "ELF",
		"platform/bundledpythonunix/lib/python3.12/os.pyc":      unchecked + "os",
		"properties":       sdkProperties,
		"../../bin/gcloud": "-> ../lib/google-cloud-sdk/bin/gcloud",
	}
	got := contents(t, files, sdkHome)
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if content, wanted := want[name]; !wanted {
			t.Errorf("%s is in the image", name)
		} else if got[name] != content {
			t.Errorf("%s holds %q, want %q", name, got[name], content)
		}
		delete(want, name)
	}
	if len(want) > 0 {
		t.Errorf("not in the image: %v", slices.Sorted(maps.Keys(want)))
	}
	if mode := files[path.Join(sdkHome, "bin/gcloud")].mode; mode != 0o755 {
		t.Errorf("bin/gcloud has the mode %v, so that not everybody can run it", mode)
	}
}

// contents is what the files of a tree hold, by their path from a folder.
func contents(t *testing.T, files tree, from string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for name, file := range files {
		relative, err := filepath.Rel(from, name)
		if err != nil {
			t.Fatal(err)
		}
		if file.mode.Type() == fs.ModeSymlink {
			all[relative] = "-> " + file.link
			continue
		}
		data, err := file.read()
		if err != nil {
			t.Fatal(err)
		}
		all[relative] = string(data)
	}
	return all
}

func TestAnAbsoluteLinkInTheSDKIsRefused(t *testing.T) {
	sdk := t.TempDir()
	writeFile(t, filepath.Join(sdk, "lib/gcloud.py"), "")
	writeFile(t, filepath.Join(sdk, "platform/bundledpythonunix/lib/python3.12/os.py"), "")
	if err := os.Symlink("/opt/python3", filepath.Join(sdk, "platform/bundledpythonunix/python3")); err != nil {
		t.Fatal(err)
	}
	_, err := sdkFiles(sdk)
	if err == nil || !strings.Contains(err.Error(), "/opt/python3") {
		t.Errorf("got %v, want an error that names the link's target", err)
	}
}
