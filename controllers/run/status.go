// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gcloud-operator/gcloud-operator/controllers/run/decide"
	"github.com/gcloud-operator/gcloud-operator/internal/jobspec"
)

// writeStatus writes the status if it has changed, once, against the version that was read: whoever
// was quicker wins. It returns the resource as it is then, and whether there was something to write.
func (r *Reconciler[T]) writeStatus(ctx context.Context, before T, o *decide.Observation, d *decide.Decision) (T, bool, error) {
	if d.Outcome != nil {
		after, err := r.writeEnd(ctx, before, o, d)
		return after, true, err
	}
	after, _ := before.DeepCopyObject().(T)
	*after.RunStatus() = d.Status
	if d.Begun {
		r.Kind.Begin(after, o.Plan)
	}
	if equality.Semantic.DeepEqual(before, after) {
		return before, false, nil
	}
	return after, true, r.patchStatus(ctx, before, after)
}

// writeEnd writes what the run came to. A status that is too large for the API server is written with
// the output beside it: too much output never fails a run. The event follows, for it tells what is so.
func (r *Reconciler[T]) writeEnd(ctx context.Context, obj T, o *decide.Observation, d *decide.Decision) (T, error) {
	before, err := r.whole(ctx, obj)
	if err != nil {
		return obj, err
	}
	after, err := r.record(ctx, before, o, d, r.InlineBytes)
	if tooLarge(err) {
		after, err = r.record(ctx, before, o, d, 0)
	}
	if err == nil {
		r.announce(after, d)
		r.leaving.Delete(d.Status.Run.PodUID)
	}
	return after, err
}

// whole returns the resource as the API server has it. The cache has forgotten the results of earlier
// runs, and a patch against that would leave parts of them in place.
func (r *Reconciler[T]) whole(ctx context.Context, obj T) (T, error) {
	if obj.RunStatus().Run.Number == 1 {
		return obj, nil
	}
	fresh := r.Kind.New()
	if err := r.Live.Get(ctx, client.ObjectKeyFromObject(obj), fresh); err != nil {
		return fresh, fmt.Errorf("reading %s %s: %w", r.Kind.Name(), client.ObjectKeyFromObject(obj), err)
	}
	if fresh.GetResourceVersion() != obj.GetResourceVersion() {
		return fresh, apierrors.NewConflict(schema.GroupResource{Resource: r.Kind.Name()}, obj.GetName(), errors.New("the cache has an older one"))
	}
	return fresh, nil
}

// record keeps the output and writes the status that refers to it.
func (r *Reconciler[T]) record(ctx context.Context, before T, o *decide.Observation, d *decide.Decision, inline int64) (T, error) {
	after, _ := before.DeepCopyObject().(T)
	*after.RunStatus() = *d.Status.DeepCopy()
	kept := r.Kind.Record(after, jobspec.AttemptOf(o.Owner, d.Status.Run), *d.Outcome, inline)
	if err := r.makeConfigMaps(ctx, kept.ConfigMaps); err != nil {
		return before, err
	}
	err := r.fillSecret(ctx, o, kept.Secret)
	if taken := (takenError{}); errors.As(err, &taken) {
		after.RunStatus().Run.Message += "; the output is lost, because " + taken.Error() + " by now"
	} else if err != nil {
		return before, err
	}
	err = r.keepCopy(ctx, o, kept.Copy)
	if taken := (takenError{}); errors.As(err, &taken) {
		after.RunStatus().Run.Message += "; no copy was made, because " + taken.Error()
	} else if err != nil {
		return before, err
	}
	return after, r.patchStatus(ctx, before, after)
}

func (r *Reconciler[T]) patchStatus(ctx context.Context, before, after T) error {
	patch := client.MergeFromWithOptions(client.Object(before), client.MergeFromWithOptimisticLock{})
	return wrap(r.Client.Status().Patch(ctx, after, patch), "writing the status of %s %s", r.Kind.Name(), client.ObjectKeyFromObject(after))
}

// tooLarge says whether a write was refused for its size: by the API server, or by etcd behind it.
func tooLarge(err error) bool {
	return apierrors.IsRequestEntityTooLargeError(err) || err != nil && strings.Contains(err.Error(), "request is too large")
}
