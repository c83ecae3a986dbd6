// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/controllers/run/decide"
)

// isFirst says whether the attempt is the first of all, so that nothing is left of earlier ones.
func isFirst(run *v1alpha1.Run) bool { return run.Number == 1 && run.Attempt == 1 }

// sweepBehind sweeps before the pod of a run that has ended is let go of: who is killed in between finds
// the pod still held, and sweeps.
func (r *Reconciler[T]) sweepBehind(ctx context.Context, obj T, pod *corev1.Pod) error {
	run := obj.RunStatus().Run
	if obj.GetDeletionTimestamp() != nil || !run.Ended() || run.PodUID != pod.UID || isFirst(run) {
		return nil
	}
	return r.sweep(ctx, obj, &pod.Spec)
}

// podOfRun is what the pod of the newest run is made from, nil if nobody knows, and whether it is held.
func podOfRun(o *decide.Observation) (spec *corev1.PodSpec, held bool) {
	for i := range o.Pods {
		if o.Pods[i].UID == o.Status.Run.PodUID {
			return &o.Pods[i].Spec, decide.HoldsReport(&o.Pods[i])
		}
	}
	if o.Job == nil {
		return nil, false
	}
	return &o.Job.Spec.Template.Spec, false
}

// sweep deletes the ConfigMaps that the resource has no use for any more: output of earlier runs, and
// input files that the pod of the newest doesn't mount. What its status refers to stays, whichever run
// made it, and what its spec names. They are listed before it is known for certain that no other
// controller has begun a run meanwhile: so none is among them that is made for that.
func (r *Reconciler[T]) sweep(ctx context.Context, obj T, pod *corev1.PodSpec) error {
	made, err := r.configMapsOf(ctx, obj)
	if err != nil || len(made) == 0 {
		return err
	}
	whole, err := r.whole(ctx, obj)
	if err != nil {
		return err
	}
	useless, err := unused(made, whole, pod)
	if err != nil {
		return err
	}
	for i := range useless {
		if err := r.deleteConfigMap(ctx, &useless[i]); err != nil {
			return err
		}
	}
	return nil
}

// unused are those of the ConfigMaps that the resource controls and neither refers to nor mounts.
func unused(made []metav1.PartialObjectMetadata, obj client.Object, pod *corev1.PodSpec) ([]metav1.PartialObjectMetadata, error) {
	inUse, err := named(obj)
	if err != nil {
		return nil, err
	}
	inUse = inUse.Union(mounted(pod))
	return slices.DeleteFunc(made, func(m metav1.PartialObjectMetadata) bool {
		return inUse.Has(m.Name) || !metav1.IsControlledBy(&m, obj)
	}), nil
}

// configMapsOf are those that are marked as made for the resource.
func (r *Reconciler[T]) configMapsOf(ctx context.Context, obj T) ([]metav1.PartialObjectMetadata, error) {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("ConfigMapList"))
	label := client.MatchingLabels{v1alpha1.OwnerUIDLabel: string(obj.GetUID())}
	if err := r.Live.List(ctx, list, client.InNamespace(obj.GetNamespace()), label); err != nil {
		return nil, fmt.Errorf("listing the ConfigMaps of %s %s: %w", r.Kind.Name(), client.ObjectKeyFromObject(obj), err)
	}
	return list.Items, nil
}

// deleteConfigMap deletes this one, and none that was made anew under its name. Where the cluster doesn't
// allow it, it stays: no run has to wait for that.
func (r *Reconciler[T]) deleteConfigMap(ctx context.Context, m *metav1.PartialObjectMetadata) error {
	target := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: m.Namespace, Name: m.Name}}
	err := rejected(client.IgnoreNotFound(r.Client.Delete(ctx, target, client.Preconditions{UID: &m.UID})))
	if rejection := (rejectedError{}); errors.As(err, &rejection) {
		log.FromContext(ctx).Info("Left a ConfigMap of an earlier run", "configMap", m.Name, "cause", err.Error())
		return nil
	}
	return wrap(err, "deleting ConfigMap %s", m.Name)
}

// named are the texts in the spec and the status of a resource: the names of what it refers to are among
// them, and so no field can be forgotten here.
func named(obj client.Object) (sets.Set[string], error) {
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		return nil, fmt.Errorf("walking %T: %w", obj, err)
	}
	texts := sets.New[string]()
	collect(fields["spec"], texts)
	collect(fields["status"], texts)
	return texts, nil
}

func collect(value any, into sets.Set[string]) {
	switch v := value.(type) {
	case string:
		into.Insert(v)
	case []any:
		for _, element := range v {
			collect(element, into)
		}
	case map[string]any:
		for _, element := range v {
			collect(element, into)
		}
	}
}

// mounted are the names of the ConfigMaps with a run's input files; pod may be nil.
func mounted(pod *corev1.PodSpec) sets.Set[string] {
	names := sets.New[string]()
	if pod == nil {
		return names
	}
	for _, volume := range pod.Volumes {
		if volume.Projected == nil {
			continue
		}
		for _, source := range volume.Projected.Sources {
			if source.ConfigMap != nil {
				names.Insert(source.ConfigMap.Name)
			}
		}
	}
	return names
}
