// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"k8s.io/apimachinery/pkg/util/validation/field"
	ctrl "sigs.k8s.io/controller-runtime"

	configv1alpha1 "github.com/gcloud-operator/gcloud-operator/api/config/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/validation"
)

// +kubebuilder:webhook:path=/validate-gcloud-operator-dev-v1alpha1-dataformfileread,mutating=false,failurePolicy=fail,sideEffects=None,groups=gcloud-operator.dev,resources=dataformfilereads,verbs=create;update,versions=v1alpha1,name=dataformfilereads.gcloud-operator.dev,admissionReviewVersions=v1,timeoutSeconds=5

// DataformFileReadValidator refuses DataformFileReads that name nothing that can be read.
type DataformFileReadValidator struct {
	Pods configv1alpha1.Pods
}

// SetupWithManager serves the webhook.
func (v DataformFileReadValidator) SetupWithManager(mgr ctrl.Manager) error {
	return v.validator().setup(mgr, &v1alpha1.DataformFileRead{})
}

func (v DataformFileReadValidator) validator() validator[*v1alpha1.DataformFileRead] {
	return validator[*v1alpha1.DataformFileRead]{
		kind: "DataformFileRead",
		check: func(d *v1alpha1.DataformFileRead) (errs, warnings field.ErrorList) {
			return validation.DataformFileRead(v.Pods, d), nil
		},
	}
}
