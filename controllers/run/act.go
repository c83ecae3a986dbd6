// SPDX-License-Identifier: Apache-2.0

package run

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/controllers/run/decide"
	"github.com/gcloud-operator/gcloud-operator/internal/jobspec"
)

// takenError says which object with a name that a run needs is another's.
type takenError struct{ what string }

func (e takenError) Error() string { return "the " + e.what + " is another's" }

// act does the one thing that was decided, the status aside.
func (r *Reconciler[T]) act(ctx context.Context, obj T, o *decide.Observation, d *decide.Decision) error {
	if d.OnlyIfNewest && d.Writes() && !o.Newest {
		if _, err := r.newest(ctx, obj); err != nil {
			return err
		}
	}
	switch {
	case d.MakeJob != nil:
		return r.makeJob(ctx, o, d)
	case d.LetGo != nil:
		return r.letGo(ctx, d.LetGo, d.StartBefore)
	case d.Release != nil:
		if err := r.sweepBehind(ctx, obj, d.Release); err != nil {
			return err
		}
		return r.release(ctx, d.Release)
	case d.DeleteJob != nil:
		return r.deleteJob(ctx, d.DeleteJob)
	}
	return nil
}

func (r *Reconciler[T]) makeJob(ctx context.Context, o *decide.Observation, d *decide.Decision) error {
	if err := r.Turns.take(ctx, d.MakeJob); err != nil {
		return err
	}
	err := r.makeJobAndInputs(ctx, o, d)
	if err != nil {
		r.Turns.giveBack(d.MakeJob)
	}
	return err
}

func (r *Reconciler[T]) makeJobAndInputs(ctx context.Context, o *decide.Observation, d *decide.Decision) error {
	if err := r.makeConfigMaps(ctx, d.MakeInputs); err != nil {
		return rejected(err)
	}
	if err := r.makeSecret(ctx, o, d.MakeSecret); err != nil {
		return rejected(err)
	}
	err := r.Client.Create(ctx, d.MakeJob)
	if !apierrors.IsAlreadyExists(err) {
		return rejected(wrap(err, "making Job %s", d.MakeJob.Name))
	}
	// Most likely it was made before, and the cache doesn't have it yet.
	job := &batchv1.Job{}
	found, err := find(ctx, r.Live, client.ObjectKeyFromObject(d.MakeJob), job)
	if found && !belongsTo(job, o) {
		return takenError{"Job " + job.Name}
	}
	return err
}

// makeConfigMaps makes those that aren't there.
func (r *Reconciler[T]) makeConfigMaps(ctx context.Context, wanted []*corev1.ConfigMap) error {
	for _, m := range wanted {
		err := r.Client.Create(ctx, m.DeepCopy())
		if apierrors.IsAlreadyExists(err) {
			err = r.expectMade(ctx, m)
		}
		if err != nil {
			return wrap(err, "making ConfigMap %s", m.Name)
		}
	}
	return nil
}

// expectMade looks whether the ConfigMap that is there already is the one that would be made. Its name
// says what is in it, but whoever may make ConfigMaps can be quicker with that name, or put another in its
// place: what the status names as output, or the pod mounts as input, would then be his.
func (r *Reconciler[T]) expectMade(ctx context.Context, m *corev1.ConfigMap) error {
	present := &corev1.ConfigMap{}
	if err := r.Live.Get(ctx, client.ObjectKeyFromObject(m), present); err != nil {
		return err
	}
	owner := metav1.GetControllerOf(present)
	if owner == nil || owner.UID != metav1.GetControllerOf(m).UID || present.Immutable == nil || !*present.Immutable ||
		len(present.Data) > 0 || !maps.EqualFunc(present.BinaryData, m.BinaryData, bytes.Equal) {
		return takenError{"ConfigMap " + m.Name}
	}
	return nil
}

// letGo takes the gate off the pod, and no other, if nobody has changed it since it was looked at.
// A strategic merge doesn't mind the gates of others.
func (r *Reconciler[T]) letGo(ctx context.Context, pod *corev1.Pod, startBefore time.Time) error {
	return r.patchPod(ctx, pod, "letting go", map[string]any{
		"metadata": map[string]any{
			"uid": pod.UID, "resourceVersion": pod.ResourceVersion,
			"annotations": map[string]any{v1alpha1.StartBeforeAnnotation: startBefore.UTC().Format(time.RFC3339)},
		},
		"spec": map[string]any{
			"schedulingGates": []any{map[string]any{"name": v1alpha1.SchedulingGate, "$patch": "delete"}},
		},
	})
}

// release takes the finalizer off that kept the pod's report.
func (r *Reconciler[T]) release(ctx context.Context, pod *corev1.Pod) error {
	err := r.patchPod(ctx, pod, "releasing", jobspec.ReleasePatch(pod.UID))
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

func (r *Reconciler[T]) patchPod(ctx context.Context, pod *corev1.Pod, doing string, patch any) error {
	body, err := json.Marshal(patch)
	if err != nil {
		return fmt.Errorf("encoding a patch of pod %s: %w", pod.Name, err)
	}
	target := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name}}
	return wrap(r.Client.Patch(ctx, target, client.RawPatch(types.StrategicMergePatchType, body)), "%s pod %s", doing, pod.Name)
}

func (r *Reconciler[T]) deleteJob(ctx context.Context, job *batchv1.Job) error {
	err := r.Client.Delete(ctx, job, client.Preconditions{UID: &job.UID}, client.PropagationPolicy(metav1.DeletePropagationBackground))
	return wrap(client.IgnoreNotFound(err), "deleting Job %s", job.Name)
}

func wrap(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf(format+": %w", append(args, err)...)
}
