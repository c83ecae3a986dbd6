// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation/field"

	configv1alpha1 "github.com/gcloud-operator/gcloud-operator/api/config/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

const (
	maxWorkspaceLength = 512  // characters
	maxFilePathLength  = 1024 // characters
	maxRevisionLength  = 256  // characters

	workspaceForm = "projects/PROJECT/locations/LOCATION/repositories/REPOSITORY/workspaces/WORKSPACE"
)

// DataformFile checks what names a file of a Dataform workspace. The revision
// may be empty. It returns all violations.
func DataformFile(at *field.Path, workspace, path, revision string) field.ErrorList {
	var errs field.ErrorList
	for _, c := range []struct {
		name, value string
		limit       int
		faults      []string
	}{
		{"workspace", workspace, maxWorkspaceLength, workspaceFaults(workspace)},
		{"path", path, maxFilePathLength, pathFaults(path, "definitions/orders.sqlx")},
		{"revision", revision, maxRevisionLength, revisionFaults(revision)},
	} {
		if n := utf8.RuneCountInString(c.value); n > c.limit {
			c.faults = append(c.faults, fmt.Sprintf("has %d characters, at most %d are allowed", n, c.limit))
		}
		for _, fault := range c.faults {
			errs = append(errs, field.Invalid(at.Child(c.name), shown(c.value), fault))
		}
	}
	return errs
}

// The elements of a workspace's name, and what each may be. Those of
// repositories and workspaces are wider than what the console takes.
var workspaceElements = []struct {
	collection string
	id         *regexp.Regexp
	form       string
}{
	{"projects", regexp.MustCompile(`^([a-z][-a-z0-9:.]{4,61}[a-z0-9]|[0-9]{1,19})$`), "a project's ID or number"},
	{"locations", regexp.MustCompile(`^[a-z0-9][-a-z0-9]{0,62}$`), "a location such as europe-west1"},
	{"repositories", regexp.MustCompile(`^[A-Za-z0-9_][-A-Za-z0-9_.~]{0,127}$`), "letters, digits, - and _"},
	{"workspaces", regexp.MustCompile(`^[A-Za-z0-9_][-A-Za-z0-9_.~]{0,127}$`), "letters, digits, - and _"},
}

func workspaceFaults(workspace string) []string {
	parts := strings.Split(workspace, "/")
	if len(parts) != 2*len(workspaceElements) {
		return []string{"must have the form " + workspaceForm}
	}
	var faults []string
	for i, e := range workspaceElements {
		collection, id := parts[2*i], parts[2*i+1]
		if collection != e.collection {
			return []string{"must have the form " + workspaceForm}
		}
		if !e.id.MatchString(id) {
			faults = append(faults, fmt.Sprintf("%q after %s/ must be %s", shown(id), collection, e.form))
		}
	}
	return faults
}

// revisionFaults: whatever Git takes as one revision, but no ranges, and nothing
// that Git could take for an option.
func revisionFaults(revision string) []string {
	var faults []string
	if strings.HasPrefix(revision, "-") {
		faults = append(faults, "must not begin with -: write a commit, a branch or a tag")
	}
	if strings.Contains(revision, "..") {
		faults = append(faults, "must not have ..: write one revision, not a range")
	}
	if strings.ContainsFunc(revision, func(r rune) bool { return unicode.IsSpace(r) || unseen(r) }) || !utf8.ValidString(revision) {
		faults = append(faults, "must not have white space or invisible characters: leave them out")
	}
	if strings.ContainsAny(revision, `\:?*[`) {
		faults = append(faults, `must not have any of \ : ? * [: write a commit, a branch or a tag`)
	}
	return faults
}

// DataformFileRead checks a resource. It returns all violations.
func DataformFileRead(pods configv1alpha1.Pods, d *v1alpha1.DataformFileRead) field.ErrorList {
	errs := DataformFile(field.NewPath("spec"), d.Spec.Workspace, d.Spec.Path, d.Spec.Revision)
	return append(errs, PodSettings(podPath, pods, d.Spec.Pod)...)
}
