// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/controllers/run/decide"
)

// retryStale is how soon a pass is repeated that met a newer object than the cache had.
const retryStale = 20 * time.Millisecond

// Reconciler brings the runs of one kind to their end.
type Reconciler[T Object] struct {
	// Client reads from the cache; Live asks the API server.
	Client   client.Client
	Live     client.Reader
	Logs     Logs
	Clock    clock.PassiveClock
	Recorder events.EventRecorder
	Kind     Kind[T]
	// Turns are shared by all kinds.
	Turns *Turns
	// InlineBytes is how many bytes of a run's output stand in the status, as they are encoded there.
	InlineBytes int64
	// ImagePullPatience is how long an image that can't be pulled is tried again.
	ImagePullPatience time.Duration

	// leaving holds the ends of logs of pods that are being deleted, by UID, until their reports are read.
	leaving sync.Map
}

// Reconcile makes passes until there is nothing to do but wait.
func (r *Reconciler[T]) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	obj := r.Kind.New()
	found, err := find(ctx, r.Client, request.NamespacedName, obj)
	if err != nil {
		return ctrl.Result{}, err
	}
	if !found {
		return ctrl.Result{}, r.releaseOrphans(ctx, request)
	}
	for newest := false; ; newest = true {
		next, again, after, err := r.pass(ctx, obj, newest)
		switch {
		case apierrors.IsConflict(err) || apierrors.IsNotFound(err):
			log.FromContext(ctx).V(1).Info("Met a newer state than the cache has", "cause", err.Error())
			return ctrl.Result{RequeueAfter: retryStale}, nil
		case err != nil:
			return ctrl.Result{}, err
		case !again:
			return ctrl.Result{RequeueAfter: after}, nil
		}
		obj = next
	}
}

// pass gathers, decides, and does the one thing that was decided. It returns the resource as it is
// then, and says whether there may be more to do at once, and when to look again otherwise. Newest says
// that the resource is what the pass before it returned.
func (r *Reconciler[T]) pass(ctx context.Context, obj T, newest bool) (next T, again bool, after time.Duration, err error) {
	o, err := r.gather(ctx, obj)
	if err != nil {
		return obj, false, 0, err
	}
	o.Newest = newest
	d := decide.Decide(o)
	if err = r.act(ctx, obj, o, &d); refused(o, err) {
		d = decide.Decide(o)
		err = r.act(ctx, obj, o, &d)
	}
	if err != nil {
		return obj, false, 0, err
	}
	next, wrote, err := r.writeStatus(ctx, obj, o, &d)
	if err != nil {
		return obj, false, 0, err
	}
	if d.Writes() || wrote {
		log.FromContext(ctx).V(1).Info("Decided", "rule", d.Rule, "run", runNumber(next))
	}
	// What was written to the cluster comes back as an event; what was written to the status is in
	// next already.
	return next, wrote && !d.Writes(), d.After, nil
}

// refused notes what the cluster said to a write that it will not take, and so is decided about anew.
func refused(o *decide.Observation, err error) bool {
	var taken takenError
	var rejection rejectedError
	var full fullError
	switch {
	case errors.As(err, &full):
		o.Turn.Running = full.running
	case errors.As(err, &taken):
		o.Taken = taken.what
	case errors.As(err, &rejection):
		o.Rejection = rejection.Error()
	default:
		return false
	}
	return true
}

// announce tells of a run's end in an event that names the Job.
func (r *Reconciler[T]) announce(obj T) {
	run := obj.RunStatus().Run
	kind := corev1.EventTypeWarning
	if run.Reason == v1alpha1.ReasonSucceeded {
		kind = corev1.EventTypeNormal
	}
	r.Recorder.Eventf(obj, nil, kind, run.Reason, "Run", "Run %d (Job %s): %s", run.Number, run.JobName, shorten(run.Message))
}

// maxNote is how long an event's note may be, in bytes.
const maxNote = 900

func shorten(text string) string {
	return strings.ToValidUTF8(text[:min(len(text), maxNote)], "")
}

// releaseOrphans lets go of the pods of a resource that is gone: nobody waits for their reports. That
// it is gone only the API server can say.
func (r *Reconciler[T]) releaseOrphans(ctx context.Context, request ctrl.Request) error {
	pods, err := r.podsOf(ctx, request.Namespace, request.Name)
	if err != nil || len(pods) == 0 {
		return err
	}
	found, err := find(ctx, r.Live, request.NamespacedName, r.Kind.New())
	if err != nil || found {
		return err
	}
	for i := range pods {
		if !decide.HoldsReport(&pods[i]) {
			continue
		}
		if err := r.release(ctx, &pods[i]); err != nil {
			return err
		}
	}
	return nil
}

func runNumber(obj Object) int64 {
	if run := obj.RunStatus().Run; run != nil {
		return run.Number
	}
	return 0
}
