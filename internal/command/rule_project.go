// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

const (
	projectFlag        = "--project"
	billingProjectFlag = "--billing-project"
)

var (
	projectName   = regexp.MustCompile(`^projects/([^/]+)$`)
	projectID     = regexp.MustCompile(`^(?:[a-z0-9][a-z0-9.-]*[a-z0-9]:)?[a-z][a-z0-9-]{4,28}[a-z0-9]$`)
	projectNumber = regexp.MustCompile(`^[1-9][0-9]{0,18}$`)
)

// projectFormat checks that spec.project is projects/ and an id or number.
func projectFormat(in input) []Violation {
	name := projectName.FindStringSubmatch(in.Project)
	if name != nil && isProject(name[1]) {
		return nil
	}
	v := Violation{Rule: ProjectFormat, Field: fieldProject, Value: shorten(in.Project)}
	bare := in.Project[strings.LastIndexByte(in.Project, '/')+1:]
	switch {
	case in.Project == "":
		v.Message, v.Fix = "the project that pays for the command is missing", "Write projects/PROJECT_ID or projects/PROJECT_NUMBER."
	case isProject(bare):
		v.Message, v.Fix = fmt.Sprintf("%q is not of the form projects/PROJECT_ID", v.Value), fmt.Sprintf("Write projects/%s.", bare)
	default:
		v.Message = fmt.Sprintf("%q names no project: an id has 6 to 30 small letters, digits and hyphens, begins with a letter and doesn't end with a hyphen", v.Value)
		v.Fix = "Write projects/PROJECT_ID or projects/PROJECT_NUMBER; gcloud projects list shows both."
	}
	return []Violation{v}
}

// isProject says whether s is a project id, which may have a domain before it, or a project number.
func isProject(s string) bool { return projectID.MatchString(s) || projectNumber.MatchString(s) }

// projectRequired checks that the command says which project it is for.
func projectRequired(in input) []Violation {
	_, project := in.command.Flag(projectFlag)
	_, billing := in.command.Flag(billingProjectFlag)
	level := aboveProject(in.command)
	own := ownProject(in.Project)
	switch {
	case len(in.command.Argv) == 0: // that there is no command at all is said by Syntax
		return nil
	case level == "" && (project || billing):
		return nil
	case level == "":
		return []Violation{inCommand(ProjectRequired, in.command.Name(), "the command says no project, and none is pre-configured", fmt.Sprintf("Add %s=%s.", projectFlag, own))}
	}
	var found []Violation
	if !billing {
		found = append(found, inCommand(ProjectRequired, level, fmt.Sprintf("%s puts the command above a project, and it says no project that pays", level), fmt.Sprintf("Add %s=%s.", billingProjectFlag, own)))
	}
	if project {
		found = append(found, inCommand(ProjectRequired, projectFlag, fmt.Sprintf("%s puts the command above a project, where %s has no place", level, projectFlag), fmt.Sprintf("Remove %s, and write %s.", projectFlag, billingProjectFlag)))
	}
	return found
}

// ownProject is the project of spec.project, to be shown in a fix.
func ownProject(project string) string {
	if name := projectName.FindStringSubmatch(project); name != nil && isProject(name[1]) {
		return name[1]
	}
	return "PROJECT_ID"
}

// aboveProjectGroups are groups whose commands work on folders and organizations.
var aboveProjectGroups = [][]string{
	{"organizations"}, {"access-context-manager"}, {"resource-manager", "folders"},
}

// aboveProject is the word that puts the command at the level of a folder or an organization; "" if none does.
func aboveProject(c Command) string {
	if len(c.Path) > 0 && c.Path[0] == "projects" {
		return "" // a folder or organization is then where a project is, or goes
	}
	for _, group := range aboveProjectGroups {
		if isBelow(c.Path, group) {
			return c.Name()
		}
	}
	for _, f := range c.Flags {
		value := strings.Join(f.Values, ",")
		switch f.Name {
		case "--organization", "--folder":
			return f.Name
		case "--parent", "--scope":
			if strings.HasPrefix(value, "organizations/") || strings.HasPrefix(value, "folders/") {
				return f.Name + "=" + shorten(value)
			}
		}
	}
	return ""
}

// notBillingProjects are values of --billing-project that mean something to a gcloud that is configured.
var notBillingProjects = []string{"LEGACY", "CURRENT_PROJECT", "CURRENT_PROJECT_WITH_FALLBACK"}

func billingProjectValue(in input) []Violation {
	value, written := in.command.Flag(billingProjectFlag)
	switch {
	case !written || isProject(value):
		return nil
	case slices.Contains(notBillingProjects, value):
		return []Violation{inCommand(BillingProjectValue, value, fmt.Sprintf("%s=%s refers to gcloud's configuration, and a run has none", billingProjectFlag, value), fmt.Sprintf("Write %s=%s.", billingProjectFlag, ownProject(in.Project)))}
	case placeholder.MatchString(value):
		return []Violation{inCommand(Placeholder, value, fmt.Sprintf("%s=%s is a placeholder", billingProjectFlag, value), "Write the id of a project.")}
	}
	return []Violation{inCommand(BillingProjectValue, value, fmt.Sprintf("%s=%q is no project id or number", billingProjectFlag, shorten(value)), fmt.Sprintf("Write %s=%s.", billingProjectFlag, ownProject(in.Project)))}
}
