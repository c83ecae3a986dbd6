// SPDX-License-Identifier: Apache-2.0

// Package documentfetch is the kind DocumentFetch: what its spec asks the engine for, and what
// becomes of a run's outcome in its status.
package documentfetch

import (
	"strings"

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

const (
	basicView   = "DOCUMENT_VIEW_BASIC"
	contentView = "DOCUMENT_VIEW_CONTENT" // the default
)

// Kind is the kind DocumentFetch under the operator's configuration.
type Kind struct {
	Config configv1alpha1.OperatorConfiguration
}

var _ run.Kind[*v1alpha1.DocumentFetch] = Kind{}

// Name is the kind's name.
func (Kind) Name() string { return "DocumentFetch" }

// New returns an empty resource.
func (Kind) New() *v1alpha1.DocumentFetch { return &v1alpha1.DocumentFetch{} }

// NewList returns an empty list.
func (Kind) NewList() client.ObjectList { return &v1alpha1.DocumentFetchList{} }

// ConfigMaps are none: the spec refers to none.
func (Kind) ConfigMaps(*v1alpha1.DocumentFetch) []string { return nil }

// Begin has nothing to write.
func (Kind) Begin(*v1alpha1.DocumentFetch, jobspec.Plan) {}

// Intent says what the spec asks for. What an earlier run brought needs to come again only if it has
// changed; that decides nothing about whether to run.
func (k Kind) Intent(d *v1alpha1.DocumentFetch, _ run.Sources) run.Intent {
	intent := run.Intent{Suspended: d.Spec.Suspend, Interval: run.Every(d.Spec.Interval), Retry: read.Retry(d.Spec.Retry), Fields: fields(d.Spec)}
	if errs := validation.DocumentFetch(k.Config.Pods, d); len(errs) > 0 {
		intent.Refusal = &decide.Refusal{Reason: v1alpha1.ReasonInvalidSpec, Message: validation.Explain(errs)}
		return intent
	}
	intent.Plan = read.Plan(k.Config, identity(d.Spec), d.Spec.Pod, d.Spec.Timeout, result.Fetch{
		Endpoint:  k.Config.Reads.DeveloperKnowledgeEndpoint,
		Documents: &result.FetchDocuments{Names: d.Spec.Names, View: d.Spec.View, Known: known(d)},
	})
	// The documents are public, and an example of a token in one is part of it.
	intent.Plan.KeepSecrets = true
	return intent
}

func identity(spec v1alpha1.DocumentFetchSpec) read.Identity {
	i := spec.Identity
	return read.Identity{ServiceAccountName: i.ServiceAccountName, SecretRef: i.SecretRef, APIKeyRef: i.APIKeySecretRef}
}

func fields(spec v1alpha1.DocumentFetchSpec) map[string]string {
	f := identity(spec).Fields()
	f["names"] = strings.Join(spec.Names, "\n")
	if spec.View != "" && spec.View != contentView {
		f["view"] = spec.View
	}
	return f
}

// known are the documents whose contents the resource has, whole.
func known(d *v1alpha1.DocumentFetch) []result.KnownDocument {
	var documents []result.KnownDocument
	for _, doc := range d.Status.Documents {
		if doc.SHA256 != "" && !doc.Truncated {
			documents = append(documents, result.KnownDocument{Name: doc.Name, UpdateTime: doc.UpdateTime, Bytes: doc.Bytes, SHA256: doc.SHA256})
		}
	}
	return documents
}
