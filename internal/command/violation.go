// SPDX-License-Identifier: Apache-2.0

package command

import "unicode/utf8"

// Violation is one reason why a command line is refused, or warned of.
type Violation struct {
	Rule    Rule   `json:"rule"`
	Field   string `json:"field"`   // path in the resource, such as spec.inputFiles[0].path
	Value   string `json:"value"`   // what was found, shortened to 100 bytes
	Message string `json:"message"` // what is wrong, and why
	Fix     string `json:"fix"`     // what to write instead
}

// String is the violation on one line: message, then fix.
func (v Violation) String() string {
	if v.Fix == "" {
		return v.Message
	}
	return v.Message + ". " + v.Fix
}

const (
	fieldCommand = "spec.command"
	fieldProject = "spec.project"

	fieldImpersonate = "spec.identity.impersonateServiceAccount"
)

// inCommand makes a violation that concerns the command line.
func inCommand(rule Rule, value, message, fix string) Violation {
	return Violation{Rule: rule, Field: fieldCommand, Value: shorten(value), Message: message, Fix: fix}
}

const maxValue = 100

// shorten cuts a value that is shown in a message at a character's border.
func shorten(s string) string {
	if len(s) <= maxValue {
		return s
	}
	end := maxValue - len("…")
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}
