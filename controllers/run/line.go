// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/controllers/run/decide"
	"github.com/gcloud-operator/gcloud-operator/internal/jobspec"
)

// joinTurns lets the kind's runs be found that wait for their turn.
func (r *Reconciler[T]) joinTurns(mgr ctrl.Manager) error {
	if err := mgr.GetFieldIndexer().IndexField(context.Background(), r.Kind.New(), stageIndex, stageOf[T]); err != nil {
		return fmt.Errorf("indexing %s by their stage: %w", r.Kind.Name(), err)
	}
	r.Turns.lines = append(r.Turns.lines, r.line)
	return nil
}

// line are the kind's runs in the namespace that wait for their turn.
func (r *Reconciler[T]) line(ctx context.Context, namespace string) (waiters []waiter, err error) {
	err = r.eachAt(ctx, stageQueued, namespace, func(obj T) {
		owner := jobspec.Owner{Namespace: obj.GetNamespace(), Name: obj.GetName(), UID: obj.GetUID()}
		waiters = append(waiters, r.waiter(owner, obj.RunStatus().Run))
	})
	return waiters, err
}

func (r *Reconciler[T]) waiter(owner jobspec.Owner, run *v1alpha1.Run) waiter {
	return waiter{
		kind: r.Kind.Name(), name: types.NamespacedName{Namespace: owner.Namespace, Name: owner.Name},
		uid: owner.UID, queued: run.QueuedTime.Time,
	}
}

// jobEnds lets the events through that make room for another run.
var jobEnds = predicate.Funcs{
	CreateFunc: func(event.CreateEvent) bool { return false },
	UpdateFunc: func(e event.UpdateEvent) bool {
		before, after := e.ObjectOld.(*batchv1.Job), e.ObjectNew.(*batchv1.Job)
		return decide.FinishedJob(before) == nil && decide.FinishedJob(after) != nil
	},
}

// requestsOfTurns returns the kind's resources whose turn it is now that a Job of their namespace has ended.
func (r *Reconciler[T]) requestsOfTurns(ctx context.Context, job client.Object) []reconcile.Request {
	r.Turns.giveBack(job) // else one that is gone already would count as one that the cache doesn't have yet
	waiters, err := r.Turns.next(ctx, job.GetNamespace())
	if err != nil {
		log.FromContext(ctx).Error(err, "Could not find whose turn it is", "job", client.ObjectKeyFromObject(job))
		return nil
	}
	var requests []reconcile.Request
	for _, w := range waiters {
		if w.kind == r.Kind.Name() {
			requests = append(requests, reconcile.Request{NamespacedName: w.name})
		}
	}
	return requests
}
