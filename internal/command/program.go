// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"path"
	"strings"
)

const program = "gcloud"

var tracks = []string{"alpha", "beta", "preview"}

// firstWord refuses a line that does not begin with gcloud.
func firstWord(words []string) []Violation {
	if len(words) == 0 {
		return []Violation{inCommand(Syntax, "", "the command is empty", "Write a gcloud command, such as: gcloud projects describe PROJECT_ID --project=PROJECT_ID")}
	}
	first := words[0]
	message, fix := fmt.Sprintf("the first word is %q; only gcloud is run", first), "Begin the command with gcloud."
	switch {
	case first == program:
		return nil
	case first == "$" || first == "#" || first == "%":
		message, fix = fmt.Sprintf("the command begins with the prompt %q of a terminal", first), "Remove the prompt; begin with gcloud."
	case first == "gsutil":
		fix = "Write gcloud storage, which does the same."
	case path.Base(first) == program:
		fix = "Write gcloud without a folder."
	case strings.Contains(first, "=") && !strings.HasPrefix(first, "-"):
		message = fmt.Sprintf("the command begins with an assignment %q, and no shell runs it", shorten(first))
		fix = "Remove the assignment, and write flags instead, such as --project=PROJECT_ID."
	case strings.EqualFold(first, program):
		fix = "Write gcloud in small letters."
	}
	return []Violation{inCommand(Syntax, first, message, fix)}
}
