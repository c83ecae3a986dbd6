// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/gcloud-operator/gcloud-operator/internal/command/tree"
)

// check checks one value of a flag or positional as gcloud's parser does.
func (l *level) check(a *tree.Arg, as, value string) {
	if projectProp(a) {
		l.checkProject(as, value)
	}
	converted, err := convert(a.Type(), value)
	if err != nil {
		l.refuse(InvalidValue, value, fmt.Sprintf("%s: %v", as, err), err.fix)
		return
	}
	if len(a.Choices) > 0 && !slices.Contains(a.Choices, converted) {
		l.refuse(InvalidValue, value, fmt.Sprintf("%s: %q is none of its choices", as, shorten(value)), choiceFix(converted, a.Choices))
	}
}

func projectProp(a *tree.Arg) bool { return a.Prop == "core/project" }

// projectValue is what gcloud takes for the value of --project.
var projectValue = regexp.MustCompile(`^(?:(?:[-a-z0-9]{1,63}\.)*(?:[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?):)?[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?\n?$`)

// placeholder is a word in capitals, as documentation writes it where the reader has to put something.
var placeholder = regexp.MustCompile(`^[A-Z][A-Z0-9_]*$`)

func (l *level) checkProject(as, value string) {
	switch {
	case value == "" || projectValue.MatchString(value):
	case placeholder.MatchString(value):
		l.refuse(Placeholder, value, fmt.Sprintf("%s=%s is a placeholder, which gcloud refuses when it runs", as, value), "Write the id of a project.")
	case strings.HasPrefix(value, "projects/"):
		l.refuse(InvalidValue, value, fmt.Sprintf("%s: %q is no project id", as, shorten(value)), fmt.Sprintf("Write %s=%s, without projects/.", as, value[len("projects/"):]))
	default:
		l.refuse(InvalidValue, value, fmt.Sprintf("%s: %q is no project id", as, shorten(value)), "Write the project's id, in small letters, digits and hyphens; it isn't the project's name.")
	}
}

// choiceFix names the choice that was probably meant, or all of them.
func choiceFix(value string, choices []string) string {
	if near := Nearest(value, choices); near != "" {
		return fmt.Sprintf("Write %s.", near)
	}
	return fmt.Sprintf("Write one of %s.", list(choices))
}

const maxListed = 12

// list joins names for a message; a long list is cut.
func list(names []string) string {
	if len(names) > maxListed {
		return strings.Join(names[:maxListed], ", ") + fmt.Sprintf(" and %d more", len(names)-maxListed)
	}
	return strings.Join(names, ", ")
}
