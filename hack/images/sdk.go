// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// findSDK returns the folder of the SDK whose gcloud is on PATH, or "" if
// there is none or it is one that an image can't be made from: without a
// Python of its own, or on a machine without Debian's packages.
func findSDK() string {
	gcloud, err := exec.LookPath("gcloud")
	if err != nil {
		return ""
	}
	if gcloud, err = filepath.EvalSymlinks(gcloud); err != nil {
		return ""
	}
	sdk := filepath.Dir(filepath.Dir(gcloud))
	if err := checkSDK(sdk); err != nil {
		log.Printf("Not using the SDK whose gcloud is on PATH: %v", err)
		return ""
	}
	return sdk
}

// checkSDK says why an image can't be made from the SDK in a folder.
func checkSDK(sdk string) error {
	for _, name := range []string{"VERSION", "lib/gcloud.py", "bin/gcloud"} {
		if _, err := os.Stat(filepath.Join(sdk, name)); err != nil {
			return fmt.Errorf("%s is no Google Cloud SDK: %w", sdk, err)
		}
	}
	if _, err := os.Stat(filepath.Join(sdk, bundledPython, "bin/python3")); err != nil {
		return fmt.Errorf("the SDK in %s has no Python of its own (gcloud components install bundled-python3-unix): %w", sdk, err)
	}
	for _, tool := range []string{"apt-get", "dpkg-deb"} {
		if _, err := exec.LookPath(tool); err != nil {
			return fmt.Errorf("an image is assembled around an SDK on Debian and its kin only: %w", err)
		}
	}
	return nil
}

func sdkVersion(sdk string) (string, error) {
	version, err := os.ReadFile(filepath.Join(sdk, "VERSION"))
	if err != nil {
		return "", fmt.Errorf("reading the SDK's version: %w", err)
	}
	return strings.TrimSpace(string(version)), nil
}
