// SPDX-License-Identifier: Apache-2.0

// Package run is the engine that all kinds share. It brings a resource's runs to their end, each
// executed at most once: gather all there is to know, decide what comes next (package decide),
// and do that one thing.
package run

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/controllers/run/decide"
	"github.com/gcloud-operator/gcloud-operator/internal/jobspec"
	"github.com/gcloud-operator/gcloud-operator/internal/outcome"
	"github.com/gcloud-operator/gcloud-operator/internal/output"
	"github.com/gcloud-operator/gcloud-operator/internal/result"
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
	// Record writes into the resource's status what a run came to, with as much output as there is room
	// for, and returns what holds the rest; that is made before the status is written.
	Record(T, jobspec.Attempt, outcome.Outcome, Room) Kept
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

const (
	defaultRetries = 3
	defaultBackoff = 10 * time.Second
)

// RetryOf is what a spec asks for, with its defaults. On are the ends that are tried again beside those
// of what never started.
func RetryOf(spec v1alpha1.Retry, on ...string) decide.Retry {
	r := decide.Retry{Limit: defaultRetries, Backoff: defaultBackoff, On: on}
	if spec.Limit != nil {
		r.Limit = *spec.Limit
	}
	if spec.Backoff != nil {
		r.Backoff = spec.Backoff.Duration
	}
	return r
}

// Sources are ConfigMaps by name; one that isn't there is missing.
type Sources map[string]*corev1.ConfigMap

// Room is where a run's output can go.
type Room struct {
	// Inline is how many bytes of it stand in the status, as they are encoded there.
	Inline int64
	// StatusOnly says that the cluster keeps nothing beside the status: what doesn't fit there is lost.
	StatusOnly bool
}

// OutputMeta makes the metadata of the ConfigMaps that hold what of a report is too large for the status;
// it is nil where there can be none.
func (r Room) OutputMeta(a jobspec.Attempt, report result.Report) func(index int) metav1.ObjectMeta {
	if r.StatusOnly {
		return nil
	}
	name := a.JobName() + "-out-" + output.Digest(report, r.Inline)
	return func(index int) metav1.ObjectMeta { return a.Meta(fmt.Sprintf("%s-%d", name, index)) }
}

// Kept is what holds a run's output beside the status.
type Kept struct {
	// ResultHash tells one result from another; empty when the run brought none.
	ResultHash string
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
	// Hold says that a resource which was never run waits until it is asked for.
	Hold bool
	// SuccessExitCodes are those that count as success; none for 0 alone.
	SuccessExitCodes []int32
	// Retry says which ends are tried again.
	Retry decide.Retry
}
