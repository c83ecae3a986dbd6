// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"
	ctrl "sigs.k8s.io/controller-runtime"

	configv1alpha1 "github.com/gcloud-operator/gcloud-operator/api/config/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/command"
	"github.com/gcloud-operator/gcloud-operator/internal/validation"
)

// +kubebuilder:webhook:path=/validate-gcloud-operator-dev-v1alpha1-gcloudrun,mutating=false,failurePolicy=fail,sideEffects=None,groups=gcloud-operator.dev,resources=gcloudruns,verbs=create;update,versions=v1alpha1,name=gcloudruns.gcloud-operator.dev,admissionReviewVersions=v1,timeoutSeconds=5

// GcloudRunValidator refuses GcloudRuns that must not or can't be run.
type GcloudRunValidator struct {
	Policy command.Policy
	Pods   configv1alpha1.Pods
}

// SetupWithManager serves the webhook.
func (v GcloudRunValidator) SetupWithManager(mgr ctrl.Manager) error {
	return v.validator().setup(mgr, &v1alpha1.GcloudRun{})
}

func (v GcloudRunValidator) validator() validator[*v1alpha1.GcloudRun] {
	return validator[*v1alpha1.GcloudRun]{
		kind: "GcloudRun",
		check: func(g *v1alpha1.GcloudRun) (errs, warnings field.ErrorList) {
			_, errs, warnings = validation.GcloudRun(v.Policy, v.Pods, g)
			return errs, warnings
		},
		preview: argv,
	}
}

// argv shows the words that will be executed. A warning is all that an answer has room for.
func argv(g *v1alpha1.GcloudRun) string {
	cmd, _ := command.Parse(g.Spec.Command) // what is wrong with it was said
	return fmt.Sprintf("this dry run executes nothing; a run executes %q", cmd.Argv)
}
