// SPDX-License-Identifier: Apache-2.0

// Package docs compares what the documentation says with what there is.
package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const repository = "../.."

var (
	namedTest    = regexp.MustCompile("`(Test[A-Z]\\w*)`")
	declaredTest = regexp.MustCompile(`(?m)^func (Test[A-Z]\w*)\(`)
)

func TestEachThreatNamesTestsThatThereAre(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(repository, "docs", "threat-model.md"))
	if err != nil {
		t.Fatal(err)
	}
	there := declaredTests(t)
	for _, match := range namedTest.FindAllStringSubmatch(string(text), -1) {
		if !there[match[1]] {
			t.Errorf("there is no test %s", match[1])
		}
	}
	_, threats, _ := strings.Cut(string(text), "\n### ")
	threats, _, _ = strings.Cut(threats, "\n## ")
	rows := 0
	for line := range strings.Lines(threats) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 4 || strings.Contains(line, "---") || strings.Contains(line, "| attack |") {
			continue
		}
		rows++
		if test := cells[3]; !namedTest.MatchString(test) && !strings.Contains(test, "the same") {
			t.Errorf("no test is named for: %s", cells[0])
		}
	}
	if rows < 30 {
		t.Errorf("only %d threats were found: has the page another form?", rows)
	}
}

// declaredTests are all tests of the repository.
func declaredTests(t *testing.T) map[string]bool {
	t.Helper()
	there := map[string]bool{}
	err := filepath.WalkDir(repository, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := entry.Name(); entry.IsDir() && strings.HasPrefix(name, ".") && path != repository {
			return filepath.SkipDir
		}
		if entry.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		for _, match := range declaredTest.FindAllStringSubmatch(string(text), -1) {
			there[match[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return there
}
