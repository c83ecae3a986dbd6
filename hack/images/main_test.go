// SPDX-License-Identifier: Apache-2.0

package main

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestAWrongCommandLineSaysWhatToWrite(t *testing.T) {
	tests := map[string]struct {
		args []string
		want string
	}{
		"no command":               {nil, "images gcloud"},
		"an unknown command":       {[]string{"runner"}, `unknown command "runner"`},
		"a flag that is missing":   {[]string{"operator", "--operator=o", "--out=t"}, "--runner is missing"},
		"an argument without flag": {[]string{"gcloud", "runner"}, `unexpected argument "runner"`},
		"a name that no image can have": {
			[]string{"operator", "--operator=main.go", "--runner=main.go", "--out=/dev/null", "--tag=A B"}, "reading the image's name",
		},
		"a folder that is no SDK": {
			[]string{"gcloud", "--runner=r", "--out=t", "--sdk=/proc"}, "/proc is no Google Cloud SDK",
		},
		"a binary that isn't there": {
			[]string{"operator", "--operator=/nowhere", "--runner=r", "--out=t"}, "/nowhere",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			err := run(t.Context(), test.args)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error with %q", err, test.want)
			}
		})
	}
}

func TestAnSDKWithoutItsOwnPythonIsRefusedWithTheRemedy(t *testing.T) {
	sdk := t.TempDir()
	for _, name := range []string{"VERSION", "lib/gcloud.py", "bin/gcloud"} {
		writeFile(t, filepath.Join(sdk, name), "")
	}
	err := checkSDK(sdk)
	if err == nil || !strings.Contains(err.Error(), "gcloud components install bundled-python3-unix") {
		t.Errorf("got %v, want an error that says what to install", err)
	}
}
