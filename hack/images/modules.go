// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A Python module is a .py file, and __pycache__/NAME.TAG.pyc beside it, which
// holds it compiled. By default Python takes the compiled file only if it names
// the time and size of its source. The image's files are of the other kind,
// "unchecked": taken as they are. So the times of files, which don't survive
// every tool that packs an image, don't matter; nor does the source, which is
// half of the SDK's size and would never be read.
//
// So a module is NAME.pyc alone, which Python looks for where there is no
// NAME.py: a third fewer files to unpack. Only gcloud's commands keep theirs,
// empty, since gcloud finds commands by these names.

// commands is where gcloud looks for commands.
const commands = "lib/surface/"

// scripts are modules of which the source is read: run by name instead of
// imported, or shipped to a service as they are.
var scripts = []string{
	"lib/gcloud.py",
	"lib/googlecloudsdk/core/metrics_reporter.py",
	"lib/third_party/ml_sdk",
}

//go:embed compile.py
var compileProgram string

func isModule(name string, d fs.DirEntry) bool {
	return strings.HasSuffix(name, ".py") && d.Type().IsRegular()
}

// addModules adds the SDK's modules to the image. It takes what the SDK has
// compiled itself, and compiles the rest; a module that doesn't compile, such
// as one for Python 2, stays source.
func addModules(files tree, sdk string, modules []string) error {
	tag, err := bytecodeTag(sdk)
	if err != nil {
		return err
	}
	var uncompiled []string
	for _, module := range modules {
		bytecode, err := installedBytecode(sdk, module, tag)
		if err != nil {
			return err
		}
		if bytecode == nil {
			uncompiled = append(uncompiled, module)
			continue
		}
		addModule(files, sdk, module, tag, bytecode)
	}
	compiled, err := compile(sdk, uncompiled)
	if err != nil {
		return err
	}
	for _, module := range uncompiled {
		addModule(files, sdk, module, tag, compiled[module])
	}
	return nil
}

func addModule(files tree, sdk, module, tag string, bytecode []byte) {
	inImage := path.Join(sdkHome, module)
	switch {
	case bytecode == nil || matchesAny(scripts, module):
		files.copy(inImage, 0o644, filepath.Join(sdk, module))
	case strings.HasPrefix(module, commands):
		files.file(inImage, 0o644, nil)
		files.file(bytecodePath(inImage, tag), 0o644, bytecode)
	default:
		files.file(inImage+"c", 0o644, bytecode)
	}
}

// bytecodePath is where Python looks for the compiled module.
func bytecodePath(module, tag string) string {
	dir, base := path.Split(module)
	return path.Join(dir, "__pycache__", strings.TrimSuffix(base, ".py")+"."+tag+".pyc")
}

// bytecodeTag is the name of the kind of compiled files that the SDK's Python
// takes, such as cpython-312.
func bytecodeTag(sdk string) (string, error) {
	libraries, err := filepath.Glob(filepath.Join(sdk, python))
	if err != nil {
		return "", err
	}
	if len(libraries) != 1 {
		return "", fmt.Errorf("looking for the library of the SDK's Python: %d folders match %s", len(libraries), python)
	}
	version := strings.TrimPrefix(filepath.Base(libraries[0]), "python")
	return "cpython-" + strings.ReplaceAll(version, ".", ""), nil
}

// installedBytecode returns the module as the SDK's installation compiled it,
// made unchecked; nil if it didn't or the source is another by now.
func installedBytecode(sdk, module, tag string) ([]byte, error) {
	source, err := os.Stat(filepath.Join(sdk, module))
	if err != nil {
		return nil, err
	}
	bytecode, err := os.ReadFile(filepath.Join(sdk, bytecodePath(module, tag)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !isCurrent(bytecode, source) {
		return nil, nil
	}
	return unchecked(bytecode), nil
}

// The header of a compiled file (Python's PEP 552): four bytes of the
// interpreter's magic number, flags, then time and size of the source or, with
// flagHash, a hash of it.
const (
	bytecodeHeader = 16
	flagHash       = 0b01
)

// isCurrent does what Python does: it takes an unchecked file as it is, and of
// the default kind compares time and size.
func isCurrent(bytecode []byte, source fs.FileInfo) bool {
	if len(bytecode) < bytecodeHeader {
		return false
	}
	switch flags, time, size := field(bytecode, 4), field(bytecode, 8), field(bytecode, 12); flags {
	case flagHash:
		return true
	case 0:
		return time == uint32(source.ModTime().Unix()) && size == uint32(source.Size())
	default:
		return false
	}
}

func field(bytecode []byte, offset int) uint32 {
	return binary.LittleEndian.Uint32(bytecode[offset:])
}

// unchecked returns the bytecode with a header that has Python take it as it
// is. The hash isn't looked at: zero.
func unchecked(bytecode []byte) []byte {
	header := slices.Concat(bytecode[:4], []byte{flagHash, 0, 0, 0}, make([]byte, 8))
	return slices.Concat(header, bytecode[bytecodeHeader:])
}

// compile has the SDK's Python compile modules, and returns those that
// compiled.
func compile(sdk string, modules []string) (map[string][]byte, error) {
	if len(modules) == 0 {
		return nil, nil
	}
	dir, err := os.MkdirTemp("", "images-bytecode-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	// -B: as root, Python would otherwise write what it imports into the SDK.
	interpreter := filepath.Join(sdk, bundledPython, "bin/python3")
	run := exec.Command(interpreter, "-I", "-B", "-W", "ignore", "-c", compileProgram, sdk, dir, "/"+sdkHome)
	run.Stdin = strings.NewReader(strings.Join(modules, "\n"))
	if said, err := run.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("running the SDK's Python: %w\n%s", err, said)
	}
	return compiledModules(dir, modules)
}

func compiledModules(dir string, modules []string) (map[string][]byte, error) {
	compiled := map[string][]byte{}
	for _, module := range modules {
		bytecode, err := os.ReadFile(filepath.Join(dir, module+"c"))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		compiled[module] = bytecode
	}
	return compiled, nil
}
