// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"time"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

// maxMessage bounds a condition's message, in bytes: Kubernetes refuses 32,768, and nobody reads
// as much.
const maxMessage = 4096

// setConditions writes the state into the conditions. Reconciling and Stalled are there only while
// they are true, as kstatus has it.
func setConditions(status *v1alpha1.RunStatus, s state, generation int64, now time.Time) {
	status.ObservedGeneration = generation
	set := func(kind string, value metav1.ConditionStatus) {
		meta.SetStatusCondition(&status.Conditions, metav1.Condition{
			Type: kind, Status: value, ObservedGeneration: generation, LastTransitionTime: metav1.NewTime(now),
			Reason: s.reason, Message: shorten(s.message),
		})
	}
	setOrRemove := func(kind string, present bool) {
		if present {
			set(kind, metav1.ConditionTrue)
			return
		}
		meta.RemoveStatusCondition(&status.Conditions, kind)
	}
	set(v1alpha1.ConditionReady, s.ready)
	setOrRemove(v1alpha1.ConditionReconciling, s.reconciling)
	setOrRemove(v1alpha1.ConditionStalled, s.stalled)
	set(v1alpha1.ConditionFinished, truth(s.finished))
}

func truth(b bool) metav1.ConditionStatus {
	if b {
		return metav1.ConditionTrue
	}
	return metav1.ConditionFalse
}

// shorten cuts a message that is too long between two characters.
func shorten(message string) string {
	if len(message) <= maxMessage {
		return message
	}
	end := maxMessage - len("…")
	for end > 0 && !utf8.RuneStart(message[end]) {
		end--
	}
	return message[:end] + "…"
}
