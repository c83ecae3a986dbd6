// SPDX-License-Identifier: Apache-2.0

package command

// Request is what the rules look at of one resource.
type Request struct {
	Namespace   string   // of the resource
	Project     string   // spec.project
	Command     string   // spec.command
	InputFiles  []string // spec.inputFiles[].path
	OutputFiles []string // spec.outputFiles, globs
	TimeoutSet  bool     // the spec sets a timeout itself: the user means to wait
}

// Mode says what becomes of a violation of a rule.
type Mode string

const (
	Enforce Mode = "Enforce" // refuse
	Warn    Mode = "Warn"    // admit, and warn
	Off     Mode = "Off"     // say nothing
)

// Policy is the configuration of the rules. The zero value enforces all of them.
type Policy struct {
	// Modes are the modes by rule; a rule that is not named has its default. Syntax and ForbiddenCommand are always
	// enforced.
	Modes map[Rule]Mode `json:"modes,omitempty"`

	// Forbidden extends the built-in list of forbidden commands, such as "compute ssh"; what is below a forbidden group
	// is forbidden too, in every release track.
	Forbidden []string `json:"forbidden,omitempty"`

	// AllowedCommands are globs, such as "compute instances *", of which a command must match one, if there are any.
	// DeniedCommands are globs of which it must match none. Both look at the command without its release track; a * stands
	// for any text.
	AllowedCommands []string `json:"allowedCommands,omitempty"`
	DeniedCommands  []string `json:"deniedCommands,omitempty"`

	// AllowedProjects are globs of project ids by namespace; "*" stands for the namespaces that are not named. A namespace
	// with no entry may use every project.
	AllowedProjects map[string][]string `json:"allowedProjects,omitempty"`
}

// Verdict is what the rules say of a request. It is admitted if there is no error.
type Verdict struct {
	Errors   []Violation
	Warnings []Violation
}

// OK says whether the request is admitted.
func (v Verdict) OK() bool { return len(v.Errors) == 0 }

// Check parses the command of a request and applies every rule. All violations are reported at once.
func (p Policy) Check(r Request) (Command, Verdict) {
	c, violations := Parse(r.Command)
	in := input{Request: r, policy: p, command: c}
	for _, rule := range rules {
		violations = append(violations, rule.check(in)...)
	}
	var verdict Verdict
	for _, v := range violations {
		switch p.mode(v.Rule) {
		case Enforce:
			verdict.Errors = append(verdict.Errors, v)
		case Warn:
			verdict.Warnings = append(verdict.Warnings, v)
		}
	}
	return c, verdict
}

// mode is the rule's mode. The floor can't be configured away.
func (p Policy) mode(r Rule) Mode {
	if m, ok := p.Modes[r]; ok && !r.alwaysEnforced() {
		return m
	}
	return Enforce
}
