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

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
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
	if err := r.patchStatus(ctx, before, after); err != nil {
		return after, true, err
	}
	if was, is := before.RunStatus().Run, d.Status.Run; is.Ended() && was.Reason != is.Reason { // another attempt was cancelled
		r.announce(after)
	}
	return after, true, nil
}

// writeEnd writes what the run came to. The event follows, for it tells what is so. What earlier runs left
// is swept at once where no pod is held that stands for it.
func (r *Reconciler[T]) writeEnd(ctx context.Context, obj T, o *decide.Observation, d *decide.Decision) (T, error) {
	before, err := r.whole(ctx, obj)
	if err != nil {
		return obj, err
	}
	all := Room{Inline: r.InlineBytes}
	after, room, err := r.recordWhatFits(ctx, before, o, d, all)
	if err != nil {
		return after, err
	}
	r.announce(after)
	r.measure(after, o, d)
	r.leaving.Delete(d.Status.Run.PodUID)
	spec, held := podOfRun(o)
	if room != all || !held && !isFirst(d.Status.Run) {
		err = r.sweep(ctx, after, spec)
	}
	return after, err
}

// recordWhatFits leaves out what can't be written. A status that is too large for the API server is written
// with the output beside it; what the cluster refuses to keep beside it is lost, and no exit code with it.
func (r *Reconciler[T]) recordWhatFits(ctx context.Context, before T, o *decide.Observation, d *decide.Decision, room Room) (T, Room, error) {
	for {
		after, err := r.record(ctx, before, o, d, room)
		switch {
		case tooLarge(err) && room.Inline > 0:
			room.Inline = 0
		case r.givenUp(d, err) && !room.StatusOnly:
			room.StatusOnly = true
			if !d.Outcome.NeverRan { // else there is nothing to lose
				amend(&d.Status, lost(d.Status.Run, err))
			}
		default:
			return after, room, err
		}
	}
}

// lost says what nobody can have any more, and why.
func lost(run *v1alpha1.Run, cause error) string {
	if run.SecretName != "" {
		return "the output is lost, because " + shorten(cause.Error())
	}
	return "the output is lost as far as it isn't in the status, because " + shorten(cause.Error())
}

// amend adds to what is told of the run's end.
func amend(status *v1alpha1.RunStatus, text string) {
	told := status.Run.Message
	status.Run.Message += "; " + text
	for i := range status.Conditions {
		if status.Conditions[i].Message == told {
			status.Conditions[i].Message = status.Run.Message
		}
	}
}

// whole returns the resource as the API server has it. The cache has forgotten the results of earlier
// runs, and a patch against that would leave parts of them in place.
func (r *Reconciler[T]) whole(ctx context.Context, obj T) (T, error) {
	if run := obj.RunStatus().Run; isFirst(run) && !run.Ended() {
		return obj, nil
	}
	return r.newest(ctx, obj)
}

// newest returns the resource as the API server has it, if that is the version that was read.
func (r *Reconciler[T]) newest(ctx context.Context, obj T) (T, error) {
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
func (r *Reconciler[T]) record(ctx context.Context, before T, o *decide.Observation, d *decide.Decision, room Room) (T, error) {
	after, _ := before.DeepCopyObject().(T)
	*after.RunStatus() = *d.Status.DeepCopy()
	kept := r.Kind.Record(after, jobspec.AttemptOf(o.Owner, d.Status.Run), *d.Outcome, room)
	noteResult(after.RunStatus(), kept.ResultHash)
	if err := r.makeConfigMaps(ctx, kept.ConfigMaps); err != nil {
		return before, rejected(err)
	}
	if err := r.fillSecret(ctx, before, o, kept.Secret); err != nil {
		return before, rejected(err)
	}
	if err := rejected(r.keepCopy(ctx, before, o, kept.Copy)); r.givenUp(d, err) {
		amend(after.RunStatus(), "no copy was made, because "+shorten(err.Error()))
	} else if err != nil {
		return before, err
	}
	return after, r.patchStatus(ctx, before, after)
}

// noteResult notes whether the run brought another result than the one before.
func noteResult(status *v1alpha1.RunStatus, hash string) {
	if hash == "" || hash == status.ResultHash {
		return
	}
	status.ResultHash, status.LastChangedTime = hash, status.Run.CompletionTime
}

func (r *Reconciler[T]) patchStatus(ctx context.Context, before, after T) error {
	patch := client.MergeFromWithOptions(client.Object(before), client.MergeFromWithOptimisticLock{})
	return wrap(r.Client.Status().Patch(ctx, after, patch), "writing the status of %s %s", r.Kind.Name(), client.ObjectKeyFromObject(after))
}

// tooLarge says whether a write was refused for its size: by the API server, or by etcd behind it.
func tooLarge(err error) bool {
	return apierrors.IsRequestEntityTooLargeError(err) || err != nil && strings.Contains(err.Error(), "request is too large")
}
