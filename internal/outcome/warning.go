// SPDX-License-Identifier: Apache-2.0

package outcome

import (
	"bytes"
	"strings"
)

// partial is how gcloud says, in a warning, that it listed less than there is. It ends with exit code
// 0 all the same.
var partial = []string{
	"did not succeed",     // compute: "Some requests did not succeed." and, in lines of their own, which
	"unreachable",         // "The following regions were unreachable: …", "Location … may be unreachable."
	"did not respond",     // container, run: "The following zones did not respond: …"
	"may be incomplete",   // fleet: "Status entries may be incomplete"
	"results in incomple", // fleet: "This results in incomplete role binding details in the list"
}

// warning returns what a command that succeeded said of results that are not whole, or nothing.
func warning(stderr []byte) string {
	lines := bytes.Split(stderr, []byte("\n"))
	for i, line := range lines {
		text, ok := strings.CutPrefix(string(line), "WARNING: ")
		if !ok || !isPartial(text) {
			continue
		}
		for _, item := range lines[i+1:] {
			if !bytes.HasPrefix(item, []byte(" - ")) {
				break
			}
			text += string(item)
		}
		return ", with a warning: " + quotation([]byte(text))
	}
	return ""
}

func isPartial(text string) bool {
	for _, words := range partial {
		if strings.Contains(text, words) {
			return true
		}
	}
	return false
}
