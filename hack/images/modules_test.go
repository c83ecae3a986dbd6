// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestWhichCompiledFilesAreOfTheirSource(t *testing.T) {
	sdk := t.TempDir()
	const module = "lib/a.py"
	tests := map[string]func(){
		"compiled from another time's source": func() {
			changed := time.Unix(1_000_000_000, 0)
			if err := os.Chtimes(filepath.Join(sdk, module), changed, changed); err != nil {
				t.Fatal(err)
			}
		},
		"compiled from a source of another size": func() {
			local := filepath.Join(sdk, module)
			info, err := os.Stat(local)
			if err != nil {
				t.Fatal(err)
			}
			writeFile(t, local, "longer source")
			if err := os.Chtimes(local, info.ModTime(), info.ModTime()); err != nil {
				t.Fatal(err)
			}
		},
		"to be checked by the source's hash": func() {
			writeFile(t, filepath.Join(sdk, bytecodePath(module, "cpython-312")), "MAGC\x03\x00\x00\x00"+"any hash"+"code")
		},
		"cut off": func() { writeFile(t, filepath.Join(sdk, bytecodePath(module, "cpython-312")), "MAGC") },
		"gone": func() {
			if err := os.Remove(filepath.Join(sdk, bytecodePath(module, "cpython-312"))); err != nil {
				t.Fatal(err)
			}
		},
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			writeModule(t, sdk, module, "source", "code")
			bytecode, err := installedBytecode(sdk, module, "cpython-312")
			if err != nil || bytecode == nil {
				t.Fatalf("a current file isn't taken: %v", err)
			}
			change()
			if bytecode, err = installedBytecode(sdk, module, "cpython-312"); err != nil || bytecode != nil {
				t.Errorf("got %q and %v, want nothing", bytecode, err)
			}
		})
	}
}

func TestAnUncheckedFileIsCurrentWhateverItsSource(t *testing.T) {
	sdk := t.TempDir()
	writeFile(t, filepath.Join(sdk, "lib/a.py"), "source")
	file := "MAGC\x01\x00\x00\x00" + "any hash" + "code"
	writeFile(t, filepath.Join(sdk, "lib/__pycache__/a.cpython-312.pyc"), file)
	bytecode, err := installedBytecode(sdk, "lib/a.py", "cpython-312")
	if err != nil || !strings.HasSuffix(string(bytecode), "code") {
		t.Errorf("got %q and %v, want the file", bytecode, err)
	}
}

// installedSDK is the machine's SDK; without one that an image can be made
// from, the test is skipped.
func installedSDK(t *testing.T) string {
	t.Helper()
	sdk := findSDK()
	if sdk == "" {
		t.Skip("no Google Cloud SDK on PATH that an image can be made from")
	}
	return sdk
}

func TestPythonRunsWhatWasCompiledWithoutItsSource(t *testing.T) {
	interpreter := filepath.Join(installedSDK(t), bundledPython, "bin/python3")
	sdk := t.TempDir()
	writeFile(t, filepath.Join(sdk, "lib/good.py"), "answer = 42")
	writeFile(t, filepath.Join(sdk, "lib/surface/good.py"), "answer = 43")
	writeFile(t, filepath.Join(sdk, "lib/old.py"), "print 'Python 2'")
	writeFile(t, filepath.Join(sdk, "platform/bundledpythonunix/lib/python3.12/os.py"), "")
	if err := os.MkdirAll(filepath.Join(sdk, bundledPython, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(interpreter, filepath.Join(sdk, bundledPython, "bin/python3")); err != nil {
		t.Fatal(err)
	}
	files := tree{}
	if err := addModules(files, sdk, []string{"lib/good.py", "lib/surface/good.py", "lib/old.py"}); err != nil {
		t.Fatal(err)
	}
	unpacked := t.TempDir()
	for name, content := range contents(t, files, sdkHome+"/lib") {
		writeFile(t, filepath.Join(unpacked, name), content)
	}
	run := exec.Command(interpreter, "-B", "-c", "import good, surface.good; print(good.answer, surface.good.answer, good.__file__)")
	run.Dir = unpacked
	run.Env = []string{"PYTHONPATH=" + unpacked}
	said, err := run.CombinedOutput()
	if want := "42 43 " + filepath.Join(unpacked, "good.pyc"); err != nil || strings.TrimSpace(string(said)) != want {
		t.Errorf("Python said %q and %v, want %q", said, err, want)
	}
	if source := contents(t, files, sdkHome)["lib/old.py"]; source != "print 'Python 2'" {
		t.Errorf("what doesn't compile holds %q, want its source", source)
	}
}
