// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/gcloud-operator/gcloud-operator/internal/command"
	"github.com/gcloud-operator/gcloud-operator/internal/validation"
)

// lintDocuments checks a DocumentFetch.
func lintDocuments(o options, m manifest) (errs, warnings []command.Violation) {
	spec := get(m.root, "spec")
	return violations(o, validation.DocumentNames(field.NewPath("spec", "names"), texts(get(spec, "names")))), nil
}

// lintFileRead checks a DataformFileRead.
func lintFileRead(o options, m manifest) (errs, warnings []command.Violation) {
	spec := get(m.root, "spec")
	return violations(o, validation.DataformFile(field.NewPath("spec"),
		text(get(spec, "workspace")), text(get(spec, "path")), text(get(spec, "revision")))), nil
}

// violations are what validation found. Their rule is what the API server gives as the cause's reason.
// None of it is for gcloud's parser to refuse.
func violations(o options, errs field.ErrorList) []command.Violation {
	if o.parseOnly {
		return nil
	}
	var found []command.Violation
	for _, e := range errs {
		found = append(found, command.Violation{
			Rule: command.Rule(e.Type), Field: e.Field, Value: fmt.Sprint(e.BadValue), Message: e.Detail,
		})
	}
	return found
}
