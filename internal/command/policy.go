// SPDX-License-Identifier: Apache-2.0

package command

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Request is what the rules look at of one resource.
type Request struct {
	Namespace    string   // of the resource
	Project      string   // spec.project
	Command      string   // spec.command
	InputFiles   []string // spec.inputFiles[].path
	OutputFiles  []string // spec.outputFiles, globs
	TimeoutSet   bool     // the spec sets a timeout itself: the user means to wait
	OutputSecret bool     // the output goes to a Secret: spec.output.secretName
	Impersonate  string   // spec.identity.impersonateServiceAccount
}

// Mode says what becomes of a violation of a rule.
type Mode string

const (
	Enforce Mode = "Enforce" // refuse
	Warn    Mode = "Warn"    // admit, and warn
	Off     Mode = "Off"     // say nothing
)

// Policy is the configuration of the rules. The zero value has the defaults.
type Policy struct {
	// Modes are the modes by rule; a rule that is not named has its default. Syntax, ForbiddenCommand and FlagsFile are
	// always enforced.
	Modes map[Rule]Mode `json:"modes,omitempty"`

	// Forbidden extends the built-in list of forbidden commands, such as "compute ssh"; what is below a forbidden group
	// is forbidden too, in every release track.
	Forbidden []string `json:"forbidden,omitempty"`

	// AllowedCommands are globs, such as "compute instances *", of which a command must match one, if there are any.
	// DeniedCommands are globs of which it must match none. Both look at the command's words without its release track;
	// a * stands for any text.
	AllowedCommands []string `json:"allowedCommands,omitempty"`
	DeniedCommands  []string `json:"deniedCommands,omitempty"`

	// AllowedProjects are globs of project ids and numbers by namespace; "*" stands for the namespaces that are not named.
	// A namespace with no entry may use every project.
	AllowedProjects map[string][]string `json:"allowedProjects,omitempty"`

	// AllowedImpersonations are globs of the emails of service accounts by namespace, likewise.
	AllowedImpersonations map[string][]string `json:"allowedImpersonations,omitempty"`
}

// globsOf are the globs of a namespace, and whether it has any.
func globsOf(byNamespace map[string][]string, namespace string) ([]string, bool) {
	if globs, ok := byNamespace[namespace]; ok {
		return globs, true
	}
	globs, ok := byNamespace["*"]
	return globs, ok
}

// Validate says what is wrong with a policy. A policy with errors is not to be used.
func (p Policy) Validate() error {
	var errs []error
	for _, r := range slices.Sorted(maps.Keys(p.Modes)) {
		m := p.Modes[r]
		switch info := r.info(); {
		case info == nil:
			errs = append(errs, fmt.Errorf("modes: there is no rule %q; the rules are %s", r, strings.Join(ruleIDs(), ", ")))
		case m != Enforce && m != Warn && m != Off:
			errs = append(errs, fmt.Errorf("modes: %s: mode %q is none of Enforce, Warn, Off", r, m))
		case info.Fixed && m != Enforce:
			errs = append(errs, fmt.Errorf("modes: %s is always enforced", r))
		}
	}
	for _, f := range p.Forbidden {
		if len(forbiddenWords(f)) == 0 {
			errs = append(errs, fmt.Errorf("forbidden: %q names no command; write its words without gcloud, such as \"compute ssh\"", f))
		}
	}
	return errors.Join(errs...)
}

func ruleIDs() []string {
	ids := make([]string, len(rules))
	for i, r := range rules {
		ids[i] = string(r.ID)
	}
	return ids
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
		if rule.check != nil {
			found := rule.check(in)
			violations = append(violations, found[:min(len(found), maxViolations)]...)
		}
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
	info := r.info()
	if m, ok := p.Modes[r]; ok && !info.Fixed {
		return m
	}
	return info.Default
}
