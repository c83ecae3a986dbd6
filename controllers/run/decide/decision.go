// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/outcome"
)

// Decision is what a resource needs next: at most one write to the cluster, then the status.
type Decision struct {
	// Rule is the name of the rule that decided.
	Rule string

	// At most one of these writes is set.

	// MakeInputs, MakeSecret and MakeJob are made in this order; what is there already is left as it
	// is. The Secret is nil when the output goes to none.
	MakeInputs []*corev1.ConfigMap
	MakeSecret *corev1.Secret
	MakeJob    *batchv1.Job
	// LetGo is the pod whose gate is taken off, if it still has the UID, with the time before which
	// its command must have been started.
	LetGo       *corev1.Pod
	StartBefore time.Time
	// Release is the pod that is let go of: its report is read, or nobody will.
	Release *corev1.Pod
	// DeleteJob is the Job that is given up.
	DeleteJob *batchv1.Job
	// OnlyIfNewest says that the write would harm a run that the cache doesn't know of yet, or be for
	// one of which it doesn't know yet that it has ended, so that the resource has to be the newest that
	// there is.
	OnlyIfNewest bool

	// Status is the shared part of the status as it is to be.
	Status v1alpha1.RunStatus
	// Begun is true when a run has just begun.
	Begun bool
	// Outcome is set when the run under way has just ended: the kind records what it came to.
	Outcome *outcome.Outcome

	// After is when to look again although nothing happened; 0 for never.
	After time.Duration
}

// Writes says whether the decision writes to the cluster, the status aside.
func (d *Decision) Writes() bool {
	return d.MakeJob != nil || d.LetGo != nil || d.Release != nil || d.DeleteJob != nil
}

// state is what the conditions are made from.
type state struct {
	ready           metav1.ConditionStatus
	reconciling     bool
	stalled         bool
	finished        bool
	reason, message string
}

func underWay(reason, message string) state {
	return state{ready: metav1.ConditionUnknown, reconciling: true, reason: reason, message: message}
}

func succeeded(message string) state {
	return state{ready: metav1.ConditionTrue, finished: true, reason: v1alpha1.ReasonSucceeded, message: message}
}

// failed is for what nothing more happens with until somebody acts.
func failed(reason, message string) state {
	return state{ready: metav1.ConditionFalse, stalled: true, finished: true, reason: reason, message: message}
}

func suspended() state {
	return state{ready: metav1.ConditionFalse, reason: v1alpha1.ReasonSuspended, message: "spec.suspend keeps the next run from starting"}
}

func held() state {
	return state{ready: metav1.ConditionFalse, reason: v1alpha1.ReasonHeld, message: "the operator holds what it sees for the first time: change the annotation " +
		v1alpha1.RequestedAtAnnotation + " to run it"}
}
