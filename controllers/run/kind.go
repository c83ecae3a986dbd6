// SPDX-License-Identifier: Apache-2.0

// Package run is the engine that all kinds share. It brings a resource's runs to their end, each
// executed at most once: gather all there is to know, decide what comes next (package decide),
// and do that one thing.
package run

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/controllers/run/decide"
	"github.com/gcloud-operator/gcloud-operator/internal/jobspec"
	"github.com/gcloud-operator/gcloud-operator/internal/outcome"
)

// Object is a resource that the engine runs.
type Object interface {
	client.Object
	// RunStatus is the part of its status that all kinds share.
	RunStatus() *v1alpha1.RunStatus
}

// Kind is what the engine asks of a kind: pure functions of its spec and of a run's outcome.
type Kind[T Object] interface {
	// Name is the kind's name, such as GcloudRun.
	Name() string
	// New returns an empty resource, NewList an empty list of them.
	New() T
	NewList() client.ObjectList
	// ConfigMaps are the names of the ConfigMaps that the resource's spec refers to.
	ConfigMaps(T) []string
	// Intent says what the resource's spec asks for, given these ConfigMaps.
	Intent(T, Sources) Intent
	// Begin writes into the resource's status what the run that now begins executes.
	Begin(T, jobspec.Plan)
	// Record writes into the resource's status what a run came to, at most that many bytes of output
	// among it, and returns what holds the rest; that is made before the status is written.
	Record(T, jobspec.Attempt, outcome.Outcome, int64) Kept
	// Forget takes out of the resource's status what only users need.
	Forget(T)
}

// Every is the interval that a spec sets; 0 when it sets none.
func Every(interval *metav1.Duration) time.Duration {
	if interval == nil {
		return 0
	}
	return interval.Duration
}

// Sources are ConfigMaps by name; one that isn't there is missing.
type Sources map[string]*corev1.ConfigMap

// Kept is what holds a run's output beside the status.
type Kept struct {
	ConfigMaps []*corev1.ConfigMap
	// Secret is nil unless the spec asks for one; then it holds all of the output.
	Secret *corev1.Secret
	// Copy is nil unless the spec asks for one: a ConfigMap of a name that users know, whose contents
	// the next run replaces.
	Copy *corev1.ConfigMap
}

// Intent is what a spec asks for.
type Intent struct {
	Plan jobspec.Plan
	// Fields are those fields of the spec that decide what is executed, by name. A field that is
	// unset, or set to its default, is left out: so a field that is added later changes no key.
	Fields map[string]string
	// Refusal says why the spec can't be run, and what to do; nil when it can.
	Refusal *decide.Refusal
	// Interval is how long after the end of a run the same is run again; 0 for never.
	Interval time.Duration
	// Suspended says that no new run may begin.
	Suspended bool
}
