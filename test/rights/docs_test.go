// SPDX-License-Identifier: Apache-2.0

package rights

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var quoted = regexp.MustCompile("`([^`]+)`")

// documented are the rights that docs/rbac.md has a row for.
func documented(t *testing.T) map[right]bool {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "rbac.md"))
	must(t, err)
	found := map[right]bool{}
	role := ""
	for _, line := range strings.Split(string(text), "\n") {
		if heading, ok := strings.CutPrefix(line, "## "); ok {
			role = heading
		}
		cells := strings.Split(line, "|")
		if len(cells) < 5 {
			continue
		}
		for _, resource := range quoted.FindAllStringSubmatch(cells[1], -1) {
			for _, verb := range quoted.FindAllStringSubmatch(cells[2], -1) {
				if strings.TrimSpace(cells[3]) == "" {
					t.Errorf("docs/rbac.md doesn't say why it may %s %s", verb[1], resource[1])
				}
				found[right{role, verb[1], resource[1]}] = true
			}
		}
	}
	return found
}

func TestEachRightIsExplained(t *testing.T) {
	all, explained := shipped(t), documented(t)
	for name := range all {
		if !explained[name] {
			t.Errorf("docs/rbac.md has no row for %s", name)
		}
	}
	for name := range explained {
		if _, ok := all[name]; !ok {
			t.Errorf("docs/rbac.md explains %s, which isn't there", name)
		}
	}
}
