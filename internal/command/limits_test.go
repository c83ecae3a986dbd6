// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"strings"
	"testing"
)

// The API server takes an answer of any length from the webhook, and hands it to the user.
func TestWhateverIsWrongWithTheLongestCommandIsSaidBriefly(t *testing.T) {
	const longest = 16384 // as the schema has it
	const instance = "gcloud compute instances create x --project=my-project "
	repeated := func(start, piece string) string {
		return start + strings.Repeat(piece, (longest-len(start))/len(piece))
	}
	for name, line := range map[string]string{
		"unknown flags":           repeated(instance, "--a "),
		"one long flag":           repeated(instance+"--", "a"),
		"arguments without end":   repeated(instance, "a "),
		"paths":                   repeated(instance, "/a "),
		"flags files":             repeated(instance, "--flags-file=/a "),
		"one long command":        repeated("gcloud compute ", "a"),
		"pipes":                   repeated("gcloud ", "| "),
		"variables":               repeated("gcloud ", "$a "),
		"control characters":      repeated("gcloud ", "\x01"),
		"empty words":             repeated("gcloud ", "'' "),
		"nested formats":          repeated("gcloud compute instances list --project=my-project --format=", "("),
		"nested JSON":             repeated(instance+"--create-disk=", "[{"),
		"the same key repeatedly": repeated(instance+"--metadata=", "a=b,"),
	} {
		_, verdict := Policy{}.Check(Request{Command: line, Project: "projects/my-project"})
		if verdict.OK() {
			t.Errorf("%s: nothing is wrong", name)
		}
		if said := fmt.Sprint(verdict.Errors); len(said) > 32<<10 {
			t.Errorf("%s: %d violations take %d bytes to say", name, len(verdict.Errors), len(said))
		}
	}
}
