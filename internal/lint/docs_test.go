// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gcloud-operator/gcloud-operator/internal/config"
)

var yamlBlock = regexp.MustCompile("(?ms)^```yaml\n(.*?)^```$")

func TestManifestsAndConfigurationsInTheDocumentationAreRight(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, page := range append(pages, "../../README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range yamlBlock.FindAllStringSubmatch(string(text), -1) {
			manifest := block[1]
			switch {
			case strings.Contains(manifest, "kind: OperatorConfiguration"):
				expectConfiguration(t, page, manifest)
			case strings.Contains(manifest, "apiVersion: gcloud-operator.dev/"):
				if _, stdout, stderr := run(t, manifest, "-"); stdout != "" || stderr != "" {
					t.Errorf("%s: %s%s in\n%s", page, stdout, stderr, manifest)
				}
			default:
				continue
			}
			seen++
		}
	}
	if seen < 5 {
		t.Errorf("only %d manifests were found", seen)
	}
}

func expectConfiguration(t *testing.T, page, text string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := config.Load(path); err != nil {
		t.Errorf("%s: %v in\n%s", page, err, text)
	}
}
