// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"regexp"
	"strings"
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
		v.Message, v.Fix = fmt.Sprintf("%q is not of the form projects/PROJECT_ID", shorten(in.Project)), fmt.Sprintf("Write projects/%s.", bare)
	default:
		v.Message = fmt.Sprintf("%q names no project: an id has 6 to 30 small letters, digits and hyphens, begins with a letter and doesn't end with a hyphen", shorten(in.Project))
		v.Fix = "Write projects/PROJECT_ID or projects/PROJECT_NUMBER; gcloud projects list shows both."
	}
	return []Violation{v}
}

// isProject says whether s is a project id, which may have a domain before it, or a project number.
func isProject(s string) bool { return projectID.MatchString(s) || projectNumber.MatchString(s) }
