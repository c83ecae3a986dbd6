// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/command"
	"github.com/gcloud-operator/gcloud-operator/internal/validation"
)

// lintDocuments checks a DocumentFetch.
func lintDocuments(o options, m manifest) (errs, warnings []command.Violation) {
	return lintRead(o, m, &v1alpha1.DocumentFetch{}, func(d *v1alpha1.DocumentFetch) field.ErrorList { return validation.DocumentFetch(o.pods, d) })
}

// lintFileRead checks a DataformFileRead.
func lintFileRead(o options, m manifest) (errs, warnings []command.Violation) {
	return lintRead(o, m, &v1alpha1.DataformFileRead{}, func(d *v1alpha1.DataformFileRead) field.ErrorList {
		return validation.DataformFileRead(o.pods, d)
	})
}

// lintRead checks a kind that has no command, so that there is nothing for gcloud's parser to refuse.
func lintRead[T metav1.Object](o options, m manifest, into T, validate func(T) field.ErrorList) (errs, warnings []command.Violation) {
	if o.parseOnly {
		return nil, nil
	}
	errs, ok := decode(m, into)
	if !ok {
		return errs, nil
	}
	return slices.Concat(errs, violations(validate(into)), violations(validation.Annotations(into))), nil
}

// violations are what validation found. Their rule is what the API server gives as the cause's reason.
func violations(errs field.ErrorList) []command.Violation {
	var found []command.Violation
	for _, e := range errs {
		found = append(found, command.Violation{
			Rule: command.Rule(e.Type), Field: e.Field, Value: fmt.Sprint(e.BadValue), Message: e.Detail,
		})
	}
	return found
}
