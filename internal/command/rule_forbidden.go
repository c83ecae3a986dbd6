// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gcloud-operator/gcloud-operator/internal/command/tree"
)

// forbidden is the floor of forbidden commands and groups, with the reason for each. It can be extended, never shortened.
var forbidden = []struct{ command, reason string }{
	{"app deploy", "it builds and uploads source with tools that a run doesn't have"},
	{"app instances ssh", "it opens a shell"},
	{"auth", "it changes or prints credentials; spec.identity says who a command runs as"},
	{"billing", "it changes who pays"},
	{"components", "it changes the installed SDK"},
	{"config", "it changes or prints gcloud's own configuration, which every run begins without"},
	{"docker", "it runs a local program"},
	{"feedback", "it needs a person"},
	{"iam service-accounts", "it changes identities and makes keys"},
	{"info", "it prints the environment of the run"},
	{"init", "it changes gcloud's own configuration, and needs a person"},
	{"meta", "it runs local programs and arbitrary API methods"},
	{"survey", "it needs a person"},
}

// forbiddenCommand refuses the forbidden commands and whatever is below them, in every release track. It looks at what
// the parser understood, and at the plain words too: a line that can't be parsed is no way round.
func forbiddenCommand(in input) []Violation {
	plain := guess(in.command.Argv)
	for _, f := range forbidden {
		words := strings.Fields(f.command)
		if isBelow(in.command.Path, words) || isBelow(plain.Path, words) {
			return []Violation{inCommand(ForbiddenCommand, in.command.Name(), fmt.Sprintf("gcloud %s is forbidden: %s", f.command, f.reason), "Use another command; no configuration allows this one.")}
		}
	}
	for _, f := range in.policy.Forbidden {
		words := forbiddenWords(f)
		if isBelow(in.command.Path, words) || isBelow(plain.Path, words) {
			return []Violation{inCommand(ForbiddenCommand, in.command.Name(), fmt.Sprintf("gcloud %s is forbidden by the operator's configuration", f), "Use another command, or ask who runs the operator.")}
		}
	}
	return nil
}

// forbiddenWords are the words of a configured command as the parser would write them: without gcloud and a release
// track, aliases resolved.
func forbiddenWords(configured string) []string {
	words := strings.Fields(configured)
	if len(words) > 0 && words[0] == program {
		words = words[1:]
	}
	root := tree.Load().Root
	if len(words) > 0 && slices.Contains(tracks, words[0]) {
		words = words[1:]
	}
	n := root
	for _, w := range words {
		if n = n.Child(w); n == nil {
			return words // of another release track, or of a later SDK
		}
	}
	return n.Canonical().Path()
}

// isBelow says whether a command's path is the group or command, or below it.
func isBelow(path, group []string) bool {
	return len(group) > 0 && len(path) >= len(group) && slices.Equal(path[:len(group)], group)
}

// flagsFile refuses --flags-file among all words: gcloud looks for it before it parses anything.
func flagsFile(in input) []Violation {
	for _, w := range in.command.Argv {
		if name, _, _ := strings.Cut(w, "="); name == "--flags-file" {
			return []Violation{inCommand(FlagsFile, w, "--flags-file is replaced by what a file holds, wherever it stands: the command that would run is not the one that is written", "Write the flags themselves.")}
		}
	}
	return nil
}

// commandPolicy applies the operator's lists of allowed and denied commands.
func commandPolicy(in input) []Violation {
	path := strings.Join(in.command.Path, " ")
	for _, glob := range in.policy.DeniedCommands {
		if globMatches(glob, path) {
			return []Violation{inCommand(CommandPolicy, path, fmt.Sprintf("gcloud %s is denied by the operator's configuration (%q)", path, glob), "Use another command, or ask who runs the operator.")}
		}
	}
	if allowed := in.policy.AllowedCommands; len(allowed) > 0 && !anyGlobMatches(allowed, path) {
		return []Violation{inCommand(CommandPolicy, path, fmt.Sprintf("gcloud %s is not among the commands that the operator's configuration allows", path), fmt.Sprintf("Use one of: %s.", list(allowed)))}
	}
	return nil
}
