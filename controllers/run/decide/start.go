// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/jobspec"
	"github.com/gcloud-operator/gcloud-operator/internal/outcome"
)

func endWhereTheNameIsTaken(o *Observation, d *Decision) bool {
	run := o.current()
	if run == nil || o.Taken == "" || run.PodUID != "" { // with a pod, it has had a Job of its own
		return false
	}
	message := fmt.Sprintf("the %s exists and is not this resource's: delete it or choose another name, then set the annotation %s",
		o.Taken, v1alpha1.RequestedAtAnnotation)
	end(o, d, outcome.NotLetGo(v1alpha1.ReasonNameConflict, message))
	return true
}

func dropTheUnwanted(o *Observation, d *Decision) bool {
	run := o.current()
	if run == nil || run.PodUID != "" {
		return false
	}
	why := o.Unwanted()
	if why == nil {
		return false
	}
	d.DeleteJob, d.OnlyIfNewest = o.Job, true
	end(o, d, outcome.NotLetGo(why.Reason, why.beforeTheStart()))
	return true
}

// holdTheQueued keeps a run that may wait long for its turn from beginning when nobody expects it any more.
func holdTheQueued(o *Observation, d *Decision) bool {
	return o.jobless() && holdTheSuspended(o, d)
}

func waitForATurn(o *Observation, d *Decision) bool {
	if t := o.Turn; !o.jobless() || t.Limit == 0 || t.Running < t.Limit && !t.Behind {
		return false
	}
	d.After = lateness // the end of another comes as an event
	setConditions(&d.Status, underWay(v1alpha1.ReasonQueued, o.Turn.message()), o.Generation, o.Now)
	return true
}

func (t Turn) message() string {
	if t.Running < t.Limit {
		return fmt.Sprintf("The operator's configuration allows %d runs of a namespace at a time, %d are under way, and others have waited longer", t.Limit, t.Running)
	}
	return fmt.Sprintf("The operator's configuration allows %d runs of a namespace at a time, and %d are under way: this one begins when one ends", t.Limit, t.Running)
}

func makeTheJob(o *Observation, d *Decision) bool {
	if !o.jobless() {
		return false
	}
	d.MakeInputs = jobspec.InputConfigMaps(o.Plan, o.attempt())
	d.MakeSecret = jobspec.OutputSecret(o.Plan, o.attempt())
	d.MakeJob, d.OnlyIfNewest = jobspec.Job(o.Plan, o.attempt()), true
	return true
}

func chooseThePod(o *Observation, d *Decision) bool {
	run := o.current()
	if run == nil || run.PodUID != "" || o.suspended() {
		return false
	}
	if pod := o.candidate(); pod != nil {
		d.Status.Run.PodName, d.Status.Run.PodUID = pod.Name, pod.UID
		return true
	}
	return false
}

func letGoOfTheChosen(o *Observation, d *Decision) bool {
	if o.current() == nil || o.Job == nil || o.Job.DeletionTimestamp != nil || o.suspended() {
		return false
	}
	pod := o.chosen()
	if pod == nil || !Gated(pod) || pod.DeletionTimestamp != nil || !ownedBy(pod, o.Job) {
		return false
	}
	d.LetGo, d.StartBefore = pod, o.Now.Add(jobspec.StartWindow)
	return true
}
