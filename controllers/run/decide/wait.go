// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/outcome"
)

// recheck is how soon a run is looked at again that waits for what comes without an event.
const recheck = 10 * time.Second

func wait(o *Observation, d *Decision) bool {
	run := o.current()
	if run == nil {
		return false
	}
	now := ending(o)
	pod := o.chosen()
	leaving := pod != nil && outcome.Leaving(pod)
	if leaving && now.Reason == v1alpha1.ReasonRunning {
		d.After = glance // its log is read meanwhile
		return true
	}
	since := run.QueuedTime.Time
	if now.Phase == outcome.Running {
		since = now.Started
	}
	if left := brief - o.Now.Sub(since); left > 0 {
		d.After = left
		return true
	}
	if now.Phase == outcome.Running && run.StartTime == nil {
		d.Status.Run.StartTime = new(metav1.NewTime(now.Started))
	}
	d.After = lookAgain(o, now)
	reason, message := now.Reason, now.Message
	if g := run.GivenUp; g != nil && now.Phase == outcome.Waiting {
		reason, message = g.Reason, "Given up: "+g.Message
	}
	setConditions(&d.Status, underWay(reason, message), o.Generation, o.Now)
	return true
}

// lookAgain is how long after now the run is looked at again although nothing happens.
func lookAgain(o *Observation, now outcome.Outcome) time.Duration {
	switch {
	case !now.Until.IsZero():
		return max(now.Until.Sub(o.Now), glance)
	case o.Unwatched || now.Phase == outcome.Waiting && o.Status.Run.PodUID == "":
		return recheck
	case now.Phase != outcome.Waiting:
		return 0
	case now.Reason == v1alpha1.ReasonImagePullFailed && !now.Since.IsZero():
		return max(now.Since.Add(o.ImagePullPatience).Sub(o.Now), glance)
	}
	return lateness
}
