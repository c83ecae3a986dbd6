// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/outcome"
)

// end writes down how the run under way ended.
func end(o *Observation, d *Decision, result outcome.Outcome) {
	run := d.Status.Run
	run.Reason, run.Message = result.Reason, shorten(result.Message)
	run.CompletionTime = new(metav1.NewTime(o.Now))
	if !result.Finished.IsZero() {
		run.CompletionTime = new(metav1.NewTime(result.Finished))
	}
	if !result.Started.IsZero() {
		run.StartTime = new(metav1.NewTime(result.Started))
		run.Duration = run.CompletionTime.Sub(result.Started).Round(100 * time.Millisecond).String()
	}
	d.Outcome = &result
	s := stateOfEnd(result.Reason, result.Message)
	if run.Key != o.Key {
		// What has ended is not what the spec asks for by now, so this is no end of that.
		s = underWay(v1alpha1.ReasonPending, fmt.Sprintf("Run %d ended with %s; the spec has changed since", run.Number, result.Reason))
	}
	setConditions(&d.Status, s, o.Generation, o.Now)
}

func stateOfEnd(reason, message string) state {
	if reason == v1alpha1.ReasonSucceeded {
		return succeeded(message)
	}
	return failed(reason, message)
}
