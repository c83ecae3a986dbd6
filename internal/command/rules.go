// SPDX-License-Identifier: Apache-2.0

package command

import "slices"

// Rule is the id of a rule.
type Rule string

const (
	// What the parser itself refuses.
	Syntax             Rule = "Syntax"
	UnknownCommand     Rule = "UnknownCommand"
	UnknownFlag        Rule = "UnknownFlag"
	UnexpectedArgument Rule = "UnexpectedArgument"
	MissingArgument    Rule = "MissingArgument"
	ConflictingFlags   Rule = "ConflictingFlags"
	InvalidValue       Rule = "InvalidValue"
	Placeholder        Rule = "Placeholder"

	ProjectFormat    Rule = "ProjectFormat"
	ForbiddenCommand Rule = "ForbiddenCommand"
	InputPath        Rule = "InputPath"
)

// alwaysEnforced says whether the rule has no other mode than Enforce.
func (r Rule) alwaysEnforced() bool {
	return slices.Contains([]Rule{Syntax, ForbiddenCommand}, r)
}

// input is what a rule looks at.
type input struct {
	Request
	policy  Policy
	command Command
}

// rules are the rules that look at more than gcloud's own syntax.
var rules = []struct {
	id    Rule
	check func(input) []Violation
}{
	{ProjectFormat, projectFormat},
	{ForbiddenCommand, forbiddenCommand},
	{InputPath, inputPath},
}
