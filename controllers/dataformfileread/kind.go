// SPDX-License-Identifier: Apache-2.0

// Package dataformfileread is the kind DataformFileRead: what its spec asks the engine for, and what
// becomes of a run's outcome in its status.
package dataformfileread

import (
	"sigs.k8s.io/controller-runtime/pkg/client"

	configv1alpha1 "github.com/gcloud-operator/gcloud-operator/api/config/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/controllers/run"
	"github.com/gcloud-operator/gcloud-operator/controllers/run/decide"
	"github.com/gcloud-operator/gcloud-operator/controllers/run/read"
	"github.com/gcloud-operator/gcloud-operator/internal/jobspec"
	"github.com/gcloud-operator/gcloud-operator/internal/result"
	"github.com/gcloud-operator/gcloud-operator/internal/validation"
)

// Kind is the kind DataformFileRead under the operator's configuration.
type Kind struct {
	Config configv1alpha1.OperatorConfiguration
}

var _ run.Kind[*v1alpha1.DataformFileRead] = Kind{}

// Name is the kind's name.
func (Kind) Name() string { return "DataformFileRead" }

// New returns an empty resource.
func (Kind) New() *v1alpha1.DataformFileRead { return &v1alpha1.DataformFileRead{} }

// NewList returns an empty list.
func (Kind) NewList() client.ObjectList { return &v1alpha1.DataformFileReadList{} }

// ConfigMaps are none: the spec refers to none that it reads.
func (Kind) ConfigMaps(*v1alpha1.DataformFileRead) []string { return nil }

// Begin has nothing to write.
func (Kind) Begin(*v1alpha1.DataformFileRead, jobspec.Plan) {}

// Intent says what the spec asks for.
func (k Kind) Intent(d *v1alpha1.DataformFileRead, _ run.Sources) run.Intent {
	intent := run.Intent{Suspended: d.Spec.Suspend, Interval: run.Every(d.Spec.Interval), Retry: read.Retry(d.Spec.Retry), Fields: fields(d.Spec)}
	if errs := validation.DataformFileRead(k.Config.Pods, d); len(errs) > 0 {
		intent.Refusal = &decide.Refusal{Reason: v1alpha1.ReasonInvalidSpec, Message: validation.Explain(errs)}
		return intent
	}
	intent.Plan = read.Plan(k.Config, identity(d.Spec), d.Spec.Pod, d.Spec.Timeout, result.Fetch{
		Endpoint: k.Config.Reads.DataformEndpoint,
		File:     &result.FetchFile{Workspace: d.Spec.Workspace, Path: d.Spec.Path, Revision: d.Spec.Revision},
	})
	return intent
}

func identity(spec v1alpha1.DataformFileReadSpec) read.Identity {
	return read.Identity{ServiceAccountName: spec.Identity.ServiceAccountName, SecretRef: spec.Identity.SecretRef}
}

func fields(spec v1alpha1.DataformFileReadSpec) map[string]string {
	f := identity(spec).Fields()
	f["workspace"], f["path"] = spec.Workspace, spec.Path
	if spec.Revision != "" {
		f["revision"] = spec.Revision
	}
	if spec.Output != nil {
		f["output/configMapName"] = spec.Output.ConfigMapName
	}
	return f
}
