// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

// maxRequest is how long the value of an annotation that asks for a run may be, in bytes: it is copied into
// the status.
const maxRequest = 1024

// Annotations checks those that ask the operator for something: one that it can't read would be passed
// over in silence.
func Annotations(obj metav1.Object) field.ErrorList {
	at := field.NewPath("metadata", "annotations")
	var errs field.ErrorList
	for _, name := range []string{v1alpha1.RequestedAtAnnotation, v1alpha1.FluxRequestedAtAnnotation} {
		if len(obj.GetAnnotations()[name]) > maxRequest {
			errs = append(errs, field.TooLong(at.Key(name), "", maxRequest))
		}
	}
	cancel, ok := obj.GetAnnotations()[v1alpha1.CancelRunAnnotation]
	if number, err := strconv.ParseInt(cancel, 10, 64); ok && (err != nil || strconv.FormatInt(number, 10) != cancel || number <= 0) {
		errs = append(errs, field.Invalid(at.Key(v1alpha1.CancelRunAnnotation), shown(cancel),
			"is not the number of a run: write that of the run to cancel, as status.run.number has it"))
	}
	return errs
}
