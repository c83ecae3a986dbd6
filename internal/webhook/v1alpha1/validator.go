// SPDX-License-Identifier: Apache-2.0

// Package v1alpha1 is the admission webhook of the resources of that version. It is thin: what it
// says, package validation says.
package v1alpha1

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/metrics"
	"github.com/gcloud-operator/gcloud-operator/internal/validation"
)

// validator is what the kinds share: when a resource is checked, and how it is refused.
type validator[T client.Object] struct {
	kind  string
	check func(T) (errs, warnings field.ErrorList)
	// preview is what a dry run is told of a resource that is admitted; nil for nothing.
	preview func(T) string
}

// setup serves the webhook of the kind that empty is of.
func (v validator[T]) setup(mgr ctrl.Manager, empty T) error {
	if err := ctrl.NewWebhookManagedBy(mgr, empty).WithValidator(v).Complete(); err != nil {
		return fmt.Errorf("setting up the webhook of %s: %w", v.kind, err)
	}
	return nil
}

// ValidateCreate refuses what breaks a rule.
func (v validator[T]) ValidateCreate(ctx context.Context, obj T) (admission.Warnings, error) {
	return v.validate(ctx, obj)
}

// ValidateUpdate refuses what breaks a rule, unless the resource is on its way out: its finalizers
// must come off whatever the rules say by now.
func (v validator[T]) ValidateUpdate(ctx context.Context, _, obj T) (admission.Warnings, error) {
	if obj.GetDeletionTimestamp() != nil {
		return nil, nil
	}
	return v.validate(ctx, obj)
}

// ValidateDelete refuses nothing.
func (validator[T]) ValidateDelete(context.Context, T) (admission.Warnings, error) {
	return nil, nil
}

func (v validator[T]) validate(ctx context.Context, obj T) (admission.Warnings, error) {
	errs, warnings := v.check(obj)
	errs = append(errs, validation.Annotations(obj)...)
	metrics.Admission(v.kind, errs, warnings)
	texts := validation.Texts(warnings)
	if len(errs) > 0 {
		kind := v1alpha1.SchemeGroupVersion.WithKind(v.kind).GroupKind()
		return texts, apierrors.NewInvalid(kind, obj.GetName(), errs)
	}
	if v.preview != nil && isDryRun(ctx) {
		texts = append(texts, v.preview(obj))
	}
	return texts, nil
}

// isDryRun says whether the request makes nothing.
func isDryRun(ctx context.Context) bool {
	request, err := admission.RequestFromContext(ctx)
	return err == nil && request.DryRun != nil && *request.DryRun
}
