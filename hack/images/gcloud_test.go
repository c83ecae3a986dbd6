// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// inImage runs a command the way a pod does: as nobody in particular, on a
// read-only file system, with /proc and one folder to write into. Its arguments
// are the root folder, then name=value pairs and the command.
const inImage = `
mount --bind "$0" "$0"
mount -t proc proc "$0/proc"
mount --rbind /dev "$0/dev"
mount -t tmpfs tmpfs "$0/run"
chmod 1777 "$0/run"
mount -o remount,ro,bind "$0"
exec chroot --userspec=65532:65532 "$0" /usr/bin/env -i PATH=/usr/bin \
  HOME=/run/home CLOUDSDK_CONFIG=/run/config \
  CLOUDSDK_AUTH_DISABLE_CREDENTIALS=true CLOUDSDK_CORE_DISABLE_PROMPTS=1 \
  CLOUDSDK_CORE_CHECK_GCE_METADATA=false CLOUDSDK_METRICS_ENVIRONMENT=test COLUMNS=200 "$@"
`

func TestGcloudRunsFromTheImageOfTheInstalledSDK(t *testing.T) {
	sdk := installedSDK(t)
	if os.Getuid() != 0 {
		t.Skip("only root can run a command in the image's file system")
	}
	root := t.TempDir()
	base, version, err := gcloudBase(t.Context(), sdk)
	if err != nil {
		t.Fatal(err)
	}
	unpackImage(t, base, root)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"projectId":"p1","name":"asked for %s"}`, r.URL.Path)
	}))
	defer server.Close()

	const python = "/" + sdkHome + "/" + bundledPython + "/bin/python3"
	tests := map[string]struct {
		command []string
		want    string
	}{
		"it says its version": {
			[]string{"gcloud", "version"}, "Google Cloud SDK " + version,
		},
		"it asks an API": {
			[]string{"CLOUDSDK_API_ENDPOINT_OVERRIDES_CLOUDRESOURCEMANAGER=" + server.URL + "/", "gcloud", "projects", "describe", "p1"},
			"asked for /v1/projects/p1",
		},
		"it has the alpha commands and their help": {
			[]string{"gcloud", "alpha", "compute", "instances", "create", "--help"}, "gcloud alpha compute instances create - create",
		},
		"it suggests a command for a mistyped one": {
			[]string{"gcloud", "project", "describe", "p1"}, "gcloud projects describe",
		},
		"it says what to install for a component that isn't there": {
			[]string{"gcloud", "emulators", "spanner", "start"}, "cloud-spanner-emulator",
		},
		"its Python has gRPC and cryptography": {
			[]string{python, "-c", "import grpc, cryptography.hazmat.primitives.asymmetric.rsa, google_crc32c; print('imported')"}, "imported",
		},
		"it knows Amazon's S3, for gcloud storage": {
			[]string{python, "-c", "import sys; sys.path.insert(0, '/" + sdkHome + "/lib/third_party'); import boto3; print(boto3.client('s3', region_name='us-east-1').meta.endpoint_url)"},
			"https://s3.amazonaws.com",
		},
		"it knows time zones": {
			[]string{python, "-c", "import zoneinfo; print(zoneinfo.ZoneInfo('Europe/Rome'))"}, "Europe/Rome",
		},
		"it trusts the usual certificate authorities": {
			[]string{"grep", "-m1", "BEGIN CERTIFICATE", "/" + caBundle}, "BEGIN CERTIFICATE",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			run := exec.Command("unshare", append([]string{"--mount", "sh", "-ec", inImage, root}, test.command...)...)
			// Some of these fail, as they should: what they say is the outcome.
			said, err := run.CombinedOutput()
			if !strings.Contains(string(said), test.want) {
				t.Errorf("%q said (%v)\n%s\nwant %q in it", test.command, err, said, test.want)
			}
		})
	}
}

func unpackImage(t *testing.T, img v1.Image, root string) {
	t.Helper()
	layers, err := img.Layers()
	if err != nil {
		t.Fatal(err)
	}
	for _, layer := range layers {
		stream, err := layer.Uncompressed()
		if err != nil {
			t.Fatal(err)
		}
		defer stream.Close()
		unpack := exec.Command("tar", "-xp", "-C", root)
		unpack.Stdin = stream
		if said, err := unpack.CombinedOutput(); err != nil {
			t.Fatalf("unpacking the image: %v\n%s", err, said)
		}
	}
	if _, err := os.Stat(filepath.Join(root, "usr/bin/gcloud")); err != nil {
		t.Fatal(err)
	}
}
