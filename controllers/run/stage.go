// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/controllers/run/decide"
	"github.com/gcloud-operator/gcloud-operator/internal/metrics"
)

// stageIndex finds Jobs that have not ended, and resources by how far their run is.
const (
	stageIndex    = "stage"
	unfinishedJob = "unfinished"

	stageQueued  = "Queued"
	stageWaiting = "Waiting"
	stageRunning = "Running"
)

func stageOfJob(job client.Object) []string {
	if decide.FinishedJob(job.(*batchv1.Job)) != nil {
		return nil
	}
	return []string{unfinishedJob}
}

// stageOf is how far a resource's run is; none where none is under way. One that is held, or whose resource
// is on its way out, waits for nothing.
func stageOf[T Object](o client.Object) []string {
	status := o.(T).RunStatus()
	if status.Run == nil || status.Run.Ended() || o.GetDeletionTimestamp() != nil {
		return nil
	}
	ready := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionReady)
	switch {
	case ready != nil && ready.Reason == v1alpha1.ReasonSuspended:
		return nil
	case ready != nil && ready.Reason == v1alpha1.ReasonQueued:
		return []string{stageQueued}
	case status.Run.StartTime == nil:
		return []string{stageWaiting}
	}
	return []string{stageRunning}
}

// Stages counts the kind's runs that are under way.
func (r *Reconciler[T]) Stages(ctx context.Context) ([]metrics.Stage, error) {
	var stages []metrics.Stage
	for _, name := range []string{stageQueued, stageWaiting, stageRunning} {
		stage := metrics.Stage{Name: name}
		err := r.eachAt(ctx, name, "", func(obj T) {
			queued := obj.RunStatus().Run.QueuedTime.Time
			if stage.Runs++; stage.Runs == 1 || queued.Before(stage.Oldest) {
				stage.Oldest = queued
			}
		})
		if err != nil {
			return nil, err
		}
		stages = append(stages, stage)
	}
	return stages, nil
}

// eachAt does something with each of the kind's resources at the stage, in all namespaces if none is given.
// It must not change them.
func (r *Reconciler[T]) eachAt(ctx context.Context, stage, namespace string, do func(T)) error {
	list := r.Kind.NewList()
	at := client.MatchingFields{stageIndex: stage}
	if err := r.Client.List(ctx, list, client.InNamespace(namespace), at, client.UnsafeDisableDeepCopy); err != nil {
		return fmt.Errorf("listing the runs of %s that are %s: %w", r.Kind.Name(), stage, err)
	}
	return meta.EachListItem(list, func(item runtime.Object) error {
		do(item.(T))
		return nil
	})
}

// measure notes how long the attempt that has ended took.
func (r *Reconciler[T]) measure(obj T, o *decide.Observation, d *decide.Decision) {
	run := obj.RunStatus().Run
	metrics.RunEnded(r.Kind.Name(), run)
	var made time.Time
	if o.Job != nil {
		made = o.Job.CreationTimestamp.Time
	}
	metrics.RunTook(r.Kind.Name(), metrics.Moments{
		Queued: run.QueuedTime.Time, JobMade: made, Started: d.Outcome.Started, Finished: d.Outcome.Finished, Recorded: o.Now,
	})
}
