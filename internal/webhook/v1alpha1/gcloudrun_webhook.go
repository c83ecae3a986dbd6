// SPDX-License-Identifier: Apache-2.0

// Package v1alpha1 is the admission webhook of the resources of that version. It is thin: what it
// says, package validation says.
package v1alpha1

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/command"
	"github.com/gcloud-operator/gcloud-operator/internal/validation"
)

// +kubebuilder:webhook:path=/validate-gcloud-operator-dev-v1alpha1-gcloudrun,mutating=false,failurePolicy=fail,sideEffects=None,groups=gcloud-operator.dev,resources=gcloudruns,verbs=create;update,versions=v1alpha1,name=gcloudruns.gcloud-operator.dev,admissionReviewVersions=v1,timeoutSeconds=5

// GcloudRunValidator refuses GcloudRuns that must not or can't be run.
type GcloudRunValidator struct {
	Policy command.Policy
}

var _ admission.Validator[*v1alpha1.GcloudRun] = GcloudRunValidator{}

// SetupWithManager serves the webhook.
func (v GcloudRunValidator) SetupWithManager(mgr ctrl.Manager) error {
	if err := ctrl.NewWebhookManagedBy(mgr, &v1alpha1.GcloudRun{}).WithValidator(v).Complete(); err != nil {
		return fmt.Errorf("setting up the webhook of GcloudRun: %w", err)
	}
	return nil
}

// ValidateCreate refuses what breaks a rule.
func (v GcloudRunValidator) ValidateCreate(_ context.Context, g *v1alpha1.GcloudRun) (admission.Warnings, error) {
	return v.validate(g)
}

// ValidateUpdate refuses what breaks a rule, unless the resource is on its way out: its finalizers
// must come off whatever the rules say by now.
func (v GcloudRunValidator) ValidateUpdate(_ context.Context, _, g *v1alpha1.GcloudRun) (admission.Warnings, error) {
	if g.DeletionTimestamp != nil {
		return nil, nil
	}
	return v.validate(g)
}

// ValidateDelete refuses nothing.
func (GcloudRunValidator) ValidateDelete(context.Context, *v1alpha1.GcloudRun) (admission.Warnings, error) {
	return nil, nil
}

func (v GcloudRunValidator) validate(g *v1alpha1.GcloudRun) (admission.Warnings, error) {
	_, errs, warnings := validation.GcloudRun(v.Policy, g)
	if len(errs) > 0 {
		kind := v1alpha1.SchemeGroupVersion.WithKind("GcloudRun").GroupKind()
		return warnings, apierrors.NewInvalid(kind, g.Name, errs)
	}
	return warnings, nil
}
