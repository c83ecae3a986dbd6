// SPDX-License-Identifier: Apache-2.0

// Package conformance compares the parser with what gcloud's own parser said of the same commands. hack/conformance asks
// gcloud; this package's test holds the parser to two thousand of its verdicts.
package conformance

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/gcloud-operator/gcloud-operator/internal/command"
	"github.com/gcloud-operator/gcloud-operator/internal/command/tree"
)

// Verdict is what hack/conformance/oracle.py says of one command.
type Verdict struct {
	Argv  []string `json:"argv"` // without gcloud
	OK    bool     `json:"ok"`
	Kind  string   `json:"kind"`
	Path  string   `json:"path,omitempty"`  // dotted, gcloud first
	Taken []Taken  `json:"taken,omitempty"` // what was given to each flag and positional, in order
	Error string   `json:"error,omitempty"`
}

// Taken is the name of a flag or positional, and a list of the words that were given to it.
type Taken [2]any

// Outcome is the result of a comparison.
type Outcome string

const (
	Agreed    Outcome = "agreed"
	Undecided Outcome = "undecided: the contents of a file decide"
	TooStrict Outcome = "refused though gcloud takes it"
	TooLax    Outcome = "taken though gcloud refuses it"
	Differs   Outcome = "taken as something else"
)

// Judge compares the parser's verdict with gcloud's. The detail names the class of a disagreement.
func Judge(v Verdict) (outcome Outcome, detail string) {
	c, violations := command.Parse(command.Quote(append([]string{"gcloud"}, v.Argv...)))
	ok := len(violations) == 0
	switch {
	case v.Kind == "file":
		return Undecided, ""
	case !ok && v.OK:
		return TooStrict, string(violations[0].Rule) + " " + numbers.ReplaceAllString(violations[0].Message, "N")
	case ok && !v.OK:
		return TooLax, v.Kind + " " + classOf(v.Error)
	case !ok || v.Kind == "help":
		return Agreed, ""
	}
	if want := canonical(v.Path); want != strings.Join(c.Words(), " ") {
		return Differs, fmt.Sprintf("command %s, not %s", strings.Join(c.Words(), " "), want)
	}
	if got, want := taken(c), flat(v.Taken); got != want {
		return Differs, "flags " + got + ", not " + want
	}
	return Agreed, ""
}

var (
	numbers = regexp.MustCompile(`[0-9]+`)
	quoted  = regexp.MustCompile(`\[[^]]*\]|'[^']*'|"[^"]*"|\([^)]*\)|received: .*`)
)

// classOf shortens an error of gcloud's to what it is about.
func classOf(message string) string {
	if i := strings.Index(message, "argument "); i >= 0 {
		message = message[i:]
	}
	return quoted.ReplaceAllString(numbers.ReplaceAllString(message, "N"), "…")
}

// canonical is a dotted path of gcloud's with aliases resolved.
func canonical(dotted string) string {
	n := tree.Load().Root
	for _, word := range strings.Split(dotted, ".")[1:] {
		if n = n.Child(word); n == nil {
			return dotted
		}
	}
	return strings.Join(n.Canonical().Path(), " ")
}

// taken writes flags and positionals, each in order, so that they can be compared.
func taken(c command.Command) string {
	var flags, words []string
	for _, f := range c.Flags {
		flags = append(flags, fmt.Sprintf("%s%q", f.Name, f.Values))
	}
	for _, p := range c.Positionals {
		words = append(words, fmt.Sprintf("%s=%q", p.Name, p.Value))
	}
	return strings.Join(append(flags, words...), " ")
}

// flat writes what gcloud has taken in the same way.
func flat(all []Taken) string {
	var flags, words []string
	for _, t := range all {
		name := fmt.Sprint(t[0])
		values := []string{}
		for _, v := range t[1].([]any) {
			values = append(values, fmt.Sprint(v))
		}
		if strings.HasPrefix(name, "-") {
			flags = append(flags, fmt.Sprintf("%s%q", name, values))
			continue
		}
		for _, v := range values {
			words = append(words, fmt.Sprintf("%s=%q", name, v))
		}
	}
	return strings.Join(append(flags, words...), " ")
}
