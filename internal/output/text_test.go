// SPDX-License-Identifier: Apache-2.0

package output

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"sigs.k8s.io/yaml"
)

// kubectl makes YAML out of JSON, and fails where YAML can't hold a character.
func TestTextCanBeShownAsYAML(t *testing.T) {
	var all strings.Builder
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if utf8.ValidRune(r) && IsText([]byte(string(r))) {
			all.WriteRune(r)
		}
	}
	text, err := json.Marshal(all.String())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := yaml.JSONToYAML(text); err != nil {
		t.Error(err)
	}
	if n := utf8.RuneCountInString(all.String()); n < 1_100_000 {
		t.Errorf("only %d characters are text", n)
	}
}
