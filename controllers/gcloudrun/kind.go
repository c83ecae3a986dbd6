// SPDX-License-Identifier: Apache-2.0

// Package gcloudrun is the kind GcloudRun: what its spec asks the engine for, and what becomes of
// a run's outcome in its status.
package gcloudrun

import (
	"sigs.k8s.io/controller-runtime/pkg/client"

	configv1alpha1 "github.com/gcloud-operator/gcloud-operator/api/config/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/controllers/run"
	"github.com/gcloud-operator/gcloud-operator/internal/command"
)

// Kind is the kind GcloudRun under the operator's configuration.
type Kind struct {
	Config configv1alpha1.OperatorConfiguration
	Policy command.Policy
	// SealTo is whom output is encrypted for that goes to a Secret.
	SealTo string
}

var _ run.Kind[*v1alpha1.GcloudRun] = Kind{}

// Name is the kind's name.
func (Kind) Name() string { return "GcloudRun" }

// New returns an empty resource.
func (Kind) New() *v1alpha1.GcloudRun { return &v1alpha1.GcloudRun{} }

// NewList returns an empty list.
func (Kind) NewList() client.ObjectList { return &v1alpha1.GcloudRunList{} }
