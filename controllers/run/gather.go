// SPDX-License-Identifier: Apache-2.0

package run

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/controllers/run/decide"
	"github.com/gcloud-operator/gcloud-operator/internal/jobspec"
	"github.com/gcloud-operator/gcloud-operator/internal/outcome"
	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

// gather reads all that the decision depends on. It reads from the cache, and asks the API server
// itself only where an old answer could do harm: before a Job or a pod counts as gone.
func (r *Reconciler[T]) gather(ctx context.Context, obj T) (*decide.Observation, error) {
	sources, err := r.sources(ctx, obj)
	if err != nil {
		return nil, err
	}
	o := r.observe(obj, sources)
	if err := r.gatherPods(ctx, o); err != nil {
		return nil, err
	}
	run := o.Status.Run
	switch {
	case run == nil:
		return o, nil
	case run.Ended() && run.Reason != v1alpha1.ReasonNodeLost:
		return o, r.gatherOver(ctx, o)
	}
	if err := r.gatherJob(ctx, o); err != nil {
		return nil, err
	}
	if run.PodUID == "" {
		return o, r.gatherPodless(ctx, o)
	}
	pod, err := r.chosenPod(ctx, o)
	if err != nil || pod == nil {
		return o, err
	}
	if outcome.Leaving(pod) {
		r.keepLog(ctx, pod)
	}
	o.Log, err = r.readRest(ctx, pod, jobspec.AttemptOf(o.Owner, run).Identity())
	return o, err
}

// sources reads the ConfigMaps that the spec refers to. They aren't cached: only what the cluster
// knows of them is, which tells when to look again.
func (r *Reconciler[T]) sources(ctx context.Context, obj T) (Sources, error) {
	sources := Sources{}
	for _, name := range r.Kind.ConfigMaps(obj) {
		source := &corev1.ConfigMap{}
		found, err := find(ctx, r.Live, types.NamespacedName{Namespace: obj.GetNamespace(), Name: name}, source)
		if err != nil {
			return nil, err
		}
		if found {
			sources[name] = source
		}
	}
	return sources, nil
}

// observe is what the resource itself says.
func (r *Reconciler[T]) observe(obj T, sources Sources) *decide.Observation {
	status := obj.RunStatus()
	intent := r.Kind.Intent(obj, sources)
	annotations := obj.GetAnnotations()
	o := &decide.Observation{
		Now:         r.Clock.Now(),
		Owner:       jobspec.Owner{Kind: r.Kind.Name(), Namespace: obj.GetNamespace(), Name: obj.GetName(), UID: obj.GetUID()},
		Generation:  obj.GetGeneration(),
		Deleted:     obj.GetDeletionTimestamp() != nil,
		Suspended:   intent.Suspended,
		Interval:    intent.Interval,
		Hold:        intent.Hold,
		Cancel:      annotations[v1alpha1.CancelRunAnnotation],
		Retry:       intent.Retry,
		Status:      *status.DeepCopy(),
		Request:     cmp.Or(annotations[v1alpha1.RequestedAtAnnotation], status.LastHandledRequest),
		ReconcileAt: cmp.Or(annotations[v1alpha1.FluxRequestedAtAnnotation], status.LastHandledReconcileAt),
		Plan:        intent.Plan,
		Refusal:     intent.Refusal,

		SuccessExitCodes:  intent.SuccessExitCodes,
		ImagePullPatience: r.ImagePullPatience,
	}
	o.Plan.JobLabels = queueLabels(obj.GetLabels())
	o.Key = key(o.Owner.Kind, o.Request, o.ReconcileAt, intent.Fields)
	return o
}

func (r *Reconciler[T]) gatherPods(ctx context.Context, o *decide.Observation) error {
	pods, err := r.podsOf(ctx, o.Owner.Namespace, o.Owner.Name)
	if err != nil {
		return err
	}
	for _, p := range pods {
		if p.Labels[v1alpha1.OwnerUIDLabel] == string(o.Owner.UID) {
			o.Pods = append(o.Pods, p)
		} else {
			o.Strangers = append(o.Strangers, p)
		}
	}
	return nil
}

func (r *Reconciler[T]) podsOf(ctx context.Context, namespace, name string) ([]corev1.Pod, error) {
	var pods corev1.PodList
	owner := client.MatchingFields{ownerIndex: r.Kind.Name() + "/" + name}
	if err := r.Client.List(ctx, &pods, client.InNamespace(namespace), owner); err != nil {
		return nil, fmt.Errorf("listing the pods of %s %s/%s: %w", r.Kind.Name(), namespace, name, err)
	}
	return pods.Items, nil
}

// gatherJob reads the Job of the run under way. That the cache doesn't have it is no matter while
// the same Job would be made, for there can't be two of that name.
func (r *Reconciler[T]) gatherJob(ctx context.Context, o *decide.Observation) error {
	run := o.Status.Run
	name := types.NamespacedName{Namespace: o.Owner.Namespace, Name: run.JobName}
	job := &batchv1.Job{}
	found, err := find(ctx, r.Client, name, job)
	if err == nil && !found && o.Unwanted() != nil {
		found, err = find(ctx, r.Live, name, job)
	}
	if err != nil || !found {
		return err
	}
	if !belongsTo(job, o) {
		o.Taken = "Job " + job.Name
		return nil
	}
	o.Job = job
	return nil
}

// gatherPodless reads what a run waits for that has no pod.
func (r *Reconciler[T]) gatherPodless(ctx context.Context, o *decide.Observation) (err error) {
	if o.Job != nil {
		return r.gatherRejection(ctx, o)
	}
	o.Turn, err = r.Turns.of(ctx, r.waiter(o.Owner, o.Status.Run))
	return err
}

// belongsTo says whether the Job is that of the run under way, and not another's with its name.
func belongsTo(job *batchv1.Job, o *decide.Observation) bool {
	owner := metav1.GetControllerOf(job)
	return owner != nil && owner.UID == o.Owner.UID && job.Annotations[v1alpha1.KeyAnnotation] == o.Status.Run.Key
}

// chosenPod returns the pod of the run under way. A pod that the cache doesn't have may have lost
// its labels.
func (r *Reconciler[T]) chosenPod(ctx context.Context, o *decide.Observation) (*corev1.Pod, error) {
	run := o.Status.Run
	o.Unwatched = true
	for i := range o.Pods {
		if o.Pods[i].UID != run.PodUID {
			continue
		}
		o.Unwatched = false
		if !decide.Gated(&o.Pods[i]) || o.Job != nil && o.Unwanted() == nil {
			return &o.Pods[i], nil
		}
		// That a pod is not to be let go is decided by its gate, if it is there still.
		o.Pods = slices.Delete(o.Pods, i, i+1)
		break
	}
	pod := &corev1.Pod{}
	found, err := find(ctx, r.Live, types.NamespacedName{Namespace: o.Owner.Namespace, Name: run.PodName}, pod)
	if err != nil || !found || pod.UID != run.PodUID {
		return nil, err
	}
	o.Pods = append(o.Pods, *pod)
	return pod, nil
}

// recently is how long after its end a run's pod is looked for that the cache doesn't have: long enough for
// another process of the operator to have taken over.
const recently = 5 * time.Minute

// gatherOver reads what may be left of runs that are over.
func (r *Reconciler[T]) gatherOver(ctx context.Context, o *decide.Observation) error {
	for _, past := range o.Status.History {
		job := &batchv1.Job{}
		attempt := jobspec.Attempt{Owner: o.Owner, Number: past.Number, Attempt: past.Attempt}
		found, err := find(ctx, r.Client, types.NamespacedName{Namespace: o.Owner.Namespace, Name: attempt.JobName()}, job)
		if err != nil {
			return err
		}
		if owner := metav1.GetControllerOf(job); found && owner != nil && owner.UID == o.Owner.UID {
			o.PastJobs = append(o.PastJobs, *job)
		}
	}
	return r.gatherUnwatched(ctx, o)
}

// gatherUnwatched finds the pod of a run that has just ended although somebody took the label off by which
// the cache knows it: nobody else would let go of it.
func (r *Reconciler[T]) gatherUnwatched(ctx context.Context, o *decide.Observation) error {
	if run := o.Status.Run; run.PodUID == "" || o.Now.Sub(run.CompletionTime.Time) > recently {
		return nil
	}
	_, err := r.chosenPod(ctx, o)
	return err
}

// logPatience is how long after a command's end its log is asked for again when that fails.
const logPatience = 2 * time.Minute

// readRest reads what the pod's message leaves out of its report: what is sealed in it, or what is in
// the log. A log that can't be had for the moment is an error; one that hasn't the report is part of
// the outcome.
func (r *Reconciler[T]) readRest(ctx context.Context, pod *corev1.Pod, run string) (*outcome.Log, error) {
	m := outcome.Incomplete(pod, run)
	if m == nil {
		return nil, nil
	}
	if m.Trailer == nil {
		opened, err := m.Open(r.Logs.Open)
		return &outcome.Log{Report: opened.Report, Err: err}, nil
	}
	report, err := r.Logs.Read(ctx, pod, *m.Trailer, m.Sealed)
	if kept, ok := r.leaving.Load(pod.UID); ok && err != nil {
		report, err = r.Logs.decode(*m.Trailer, bytes.NewReader(kept.([]byte)), m.Sealed)
	}
	if err != nil && !errors.Is(err, result.ErrTrailer) && r.Clock.Since(m.Report.FinishedAt) < logPatience {
		return nil, err
	}
	return &outcome.Log{Report: report, Err: err}, nil
}

// keepLog keeps what may be the report at the end of the log of a pod that is on its way out: its log
// goes with its container, half a second before the message says what to look for.
func (r *Reconciler[T]) keepLog(ctx context.Context, pod *corev1.Pod) {
	lines, err := r.Logs.Keep(ctx, pod)
	if err != nil {
		log.FromContext(ctx).V(1).Info("Could not read the log of a pod that is being deleted", "pod", pod.Name, "cause", err.Error())
	}
	if len(lines) > 0 {
		r.leaving.Store(pod.UID, lines)
	}
}

// find reads an object, and says whether it is there.
func find(ctx context.Context, reader client.Reader, name types.NamespacedName, into client.Object) (bool, error) {
	err := reader.Get(ctx, name, into)
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	return err == nil, wrap(err, "reading %T %s", into, name)
}
