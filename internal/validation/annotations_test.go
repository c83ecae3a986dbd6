// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

func TestARunIsCancelledByItsNumberAlone(t *testing.T) {
	for value, fine := range map[string]bool{
		"1": true, "12": true, "9223372036854775807": true,
		"": false, "true": false, "now": false, "0": false, "-1": false, "+1": false, "01": false, " 1": false, "1.0": false, "9223372036854775808": false,
	} {
		errs := Annotations(&metav1.ObjectMeta{Annotations: map[string]string{v1alpha1.CancelRunAnnotation: value}})
		if (len(errs) == 0) != fine {
			t.Errorf("%q: %v", value, errs)
		}
	}
	if errs := Annotations(&metav1.ObjectMeta{}); errs != nil {
		t.Errorf("without the annotation: %v", errs)
	}
}

func TestWhatIsCopiedIntoTheStatusIsShort(t *testing.T) {
	for _, name := range []string{v1alpha1.RequestedAtAnnotation, v1alpha1.FluxRequestedAtAnnotation} {
		for length, fine := range map[int]bool{0: true, 1024: true, 1025: false} {
			errs := Annotations(&metav1.ObjectMeta{Annotations: map[string]string{name: strings.Repeat("x", length)}})
			if (len(errs) == 0) != fine {
				t.Errorf("%s of %d bytes: %v", name, length, errs)
			}
		}
	}
}
