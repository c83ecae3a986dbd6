// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"k8s.io/apimachinery/pkg/util/validation/field"
	ctrl "sigs.k8s.io/controller-runtime"

	configv1alpha1 "github.com/gcloud-operator/gcloud-operator/api/config/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/validation"
)

// +kubebuilder:webhook:path=/validate-gcloud-operator-dev-v1alpha1-documentfetch,mutating=false,failurePolicy=fail,sideEffects=None,groups=gcloud-operator.dev,resources=documentfetches,verbs=create;update,versions=v1alpha1,name=documentfetches.gcloud-operator.dev,admissionReviewVersions=v1,timeoutSeconds=5

// DocumentFetchValidator refuses DocumentFetches that name nothing that can be read.
type DocumentFetchValidator struct {
	Pods configv1alpha1.Pods
}

// SetupWithManager serves the webhook.
func (v DocumentFetchValidator) SetupWithManager(mgr ctrl.Manager) error {
	return v.validator().setup(mgr, &v1alpha1.DocumentFetch{})
}

func (v DocumentFetchValidator) validator() validator[*v1alpha1.DocumentFetch] {
	return validator[*v1alpha1.DocumentFetch]{
		kind: "DocumentFetch",
		check: func(d *v1alpha1.DocumentFetch) (errs, warnings field.ErrorList) {
			return validation.DocumentFetch(v.Pods, d), nil
		},
	}
}
