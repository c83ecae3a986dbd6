// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"regexp"
	"slices"
)

// resourceProject finds projects in full names of resources.
var resourceProject = regexp.MustCompile(`(?:^|[/=,:])projects/([^/,]+)`)

// projectPolicy checks every project that the resource names against those that its namespace may use.
func projectPolicy(in input) []Violation {
	allowed, ok := globsOf(in.policy.AllowedProjects, in.Namespace)
	if !ok {
		return nil
	}
	var found []Violation
	if name := projectName.FindStringSubmatch(in.Project); name != nil && !anyGlobMatches(allowed, name[1]) {
		v := notAllowed(in, name[1], allowed)
		v.Field = fieldProject
		found = append(found, v)
	}
	for _, project := range projectsIn(in.command) {
		if !anyGlobMatches(allowed, project) {
			found = append(found, notAllowed(in, project, allowed))
		}
	}
	return found
}

func notAllowed(in input, project string, allowed []string) Violation {
	return inCommand(ProjectPolicy, project, fmt.Sprintf("namespace %q may not use project %q", in.Namespace, shorten(project)), fmt.Sprintf("Use one of: %s.", list(allowed)))
}

// projectsIn are the projects that a command names, each once.
func projectsIn(c Command) []string {
	var found []string
	add := func(project string) {
		if project != "" && !slices.Contains(found, project) {
			found = append(found, project)
		}
	}
	for _, f := range c.Flags {
		for _, v := range f.Values {
			if f.Name == projectFlag || f.Name == billingProjectFlag {
				add(v)
			}
			addNamed(v, add)
		}
	}
	for _, p := range c.Positionals {
		if p.Name == "PROJECT_ID" || p.Name == "PROJECT_ID_OR_NUMBER" || p.Name == "PROJECT" {
			add(p.Value)
		}
		addNamed(p.Value, add)
	}
	return found
}

func addNamed(value string, add func(string)) {
	for _, m := range resourceProject.FindAllStringSubmatch(value, -1) {
		add(m[1])
	}
}
