// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

func TestWhatTheImageTrustsIsTrustedBesideTheBundle(t *testing.T) {
	image := filepath.Join(t.TempDir(), "image.pem")
	must(t, os.WriteFile(image, []byte("IMAGE"), 0o600))
	defer func(before []string) { imageBundles = before }(imageBundles)
	for name, c := range map[string]struct {
		image        []string
		bundle, want string
	}{
		"no bundle":                           {[]string{image}, "", ""},
		"an image that trusts some":           {[]string{"/does/not/exist", image}, "BUNDLE", "IMAGE\nBUNDLE"},
		"an image that trusts nobody":         {[]string{"/does/not/exist"}, "BUNDLE", "BUNDLE"},
		"of two places only the first counts": {[]string{image, image}, "BUNDLE", "IMAGE\nBUNDLE"},
	} {
		imageBundles = c.image
		path := filepath.Join(t.TempDir(), "folder", "ca.pem")
		r := &run{Runner: Runner{Paths: Paths{CABundle: path}, Env: []string{result.CABundleEnv + "=" + c.bundle}}}
		must(t, r.trustBundle())
		got, err := os.ReadFile(path)
		if string(got) != c.want || (err == nil) != (c.bundle != "") {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
}

func TestTheCommandFindsTheBundleInItsFileAlone(t *testing.T) {
	p := newPod(t)
	p.env = append(p.env, result.CABundleEnv+"=BUNDLE")
	e := p.run(task("sh", "-c", "tail -c 7 "+filepath.Join(p.dir, "trust/ca.pem")+"; env"))
	out := string(e.report.Stdout.Data)
	if !strings.HasPrefix(strings.TrimSpace(out), "BUNDLE") || strings.Contains(out, result.CABundleEnv) {
		t.Errorf("got %s", out)
	}
}
