// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"slices"
	"strings"
)

// forbidden is the floor of forbidden commands and groups, with the reason for each. It can be extended, never shortened.
var forbidden = []struct{ command, reason string }{
	{"app deploy", "it uploads and builds source from the machine that it runs on"},
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

// forbiddenCommand refuses the forbidden commands and whatever is below them, in every release track.
func forbiddenCommand(in input) []Violation {
	for _, f := range forbidden {
		if isBelow(in.command.Path, strings.Fields(f.command)) {
			return []Violation{inCommand(ForbiddenCommand, in.command.Name(),
				fmt.Sprintf("gcloud %s is forbidden: %s", f.command, f.reason), "Use another command; no configuration allows this one.")}
		}
	}
	for _, f := range in.policy.Forbidden {
		if isBelow(in.command.Path, strings.Fields(f)) {
			return []Violation{inCommand(ForbiddenCommand, in.command.Name(),
				fmt.Sprintf("gcloud %s is forbidden by the operator's configuration", f), "Use another command, or ask who runs the operator.")}
		}
	}
	return nil
}

// isBelow says whether a command's path is the group or command, or below it.
func isBelow(path, group []string) bool {
	return len(group) > 0 && len(path) >= len(group) && slices.Equal(path[:len(group)], group)
}
