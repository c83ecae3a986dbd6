// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"fmt"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

// ownerIndex finds pods by the "Kind/name" of the resource that they belong to.
const ownerIndex = "owner"

// sourceIndex finds resources by the names of the ConfigMaps that they refer to.
const sourceIndex = "configMaps"

// CacheOptions keep only what the operator made in its memory, and of that no more than it looks at. Nothing
// is watched outside the namespaces; none are named for all.
func CacheOptions(namespaces []string) cache.Options {
	made := labels.SelectorFromSet(labels.Set{v1alpha1.ManagedByLabel: v1alpha1.ManagedByValue})
	in := map[string]cache.Config{}
	for _, namespace := range namespaces {
		in[namespace] = cache.Config{}
	}
	return cache.Options{
		DefaultNamespaces: in,
		DefaultTransform:  cache.TransformStripManagedFields(),
		ByObject: map[client.Object]cache.ByObject{
			&batchv1.Job{}: {Label: made},
			&corev1.Pod{}:  {Label: made},
		},
	}
}

// CacheResource has the cache keep resources of the kind without what only users need: finished runs
// cost next to nothing.
func CacheResource[T Object](options *cache.Options, kind Kind[T]) {
	strip := cache.TransformStripManagedFields()
	options.ByObject[kind.New()] = cache.ByObject{Transform: func(in any) (any, error) {
		if obj, ok := in.(T); ok {
			kind.Forget(obj)
			delete(obj.GetAnnotations(), corev1.LastAppliedConfigAnnotation)
		}
		return strip(in)
	}}
}

// IndexMade lets the engine find the pods of a resource, and the Jobs that have not ended, without
// looking at all of them. It is called once, before any kind is set up.
func IndexMade(ctx context.Context, mgr ctrl.Manager) error {
	owner := func(o client.Object) []string { return []string{o.GetAnnotations()[v1alpha1.OwnerAnnotation]} }
	if err := mgr.GetFieldIndexer().IndexField(ctx, &corev1.Pod{}, ownerIndex, owner); err != nil {
		return fmt.Errorf("indexing pods by their owner: %w", err)
	}
	if err := mgr.GetFieldIndexer().IndexField(ctx, &batchv1.Job{}, stageIndex, stageOfJob); err != nil {
		return fmt.Errorf("indexing Jobs by whether they have ended: %w", err)
	}
	return nil
}

// SetupWithManager has the manager call the reconciler for its kind's resources, and for their Jobs
// and pods.
func (r *Reconciler[T]) SetupWithManager(mgr ctrl.Manager) error {
	names := func(o client.Object) []string { return r.Kind.ConfigMaps(o.(T)) }
	if err := mgr.GetFieldIndexer().IndexField(context.Background(), r.Kind.New(), sourceIndex, names); err != nil {
		return fmt.Errorf("indexing %s by their ConfigMaps: %w", r.Kind.Name(), err)
	}
	if err := r.joinTurns(mgr); err != nil {
		return err
	}
	err := ctrl.NewControllerManagedBy(mgr).
		For(r.Kind.New()).
		WithOptions(controller.Options{NewQueue: newQueue}).
		Owns(&batchv1.Job{}).
		Watches(&corev1.Pod{}, handler.EnqueueRequestsFromMapFunc(r.requestOfPod)).
		WatchesMetadata(&corev1.ConfigMap{}, handler.EnqueueRequestsFromMapFunc(r.requestsOfConfigMap)).
		Watches(&batchv1.Job{}, handler.EnqueueRequestsFromMapFunc(r.requestsOfTurns), builder.WithPredicates(jobEnds)).
		Complete(r)
	if err != nil {
		return fmt.Errorf("setting up the controller of %s: %w", r.Kind.Name(), err)
	}
	return nil
}

// requestOfPod returns the resource that a pod belongs to: a pod's own owner is its Job.
func (r *Reconciler[T]) requestOfPod(_ context.Context, pod client.Object) []reconcile.Request {
	kind, name, _ := strings.Cut(pod.GetAnnotations()[v1alpha1.OwnerAnnotation], "/")
	if kind != r.Kind.Name() {
		return nil
	}
	return []reconcile.Request{{NamespacedName: types.NamespacedName{Namespace: pod.GetNamespace(), Name: name}}}
}

// requestsOfConfigMap returns the resources whose specs refer to a ConfigMap.
func (r *Reconciler[T]) requestsOfConfigMap(ctx context.Context, source client.Object) []reconcile.Request {
	list := r.Kind.NewList()
	err := r.Client.List(ctx, list, client.InNamespace(source.GetNamespace()), client.MatchingFields{sourceIndex: source.GetName()})
	if err != nil {
		log.FromContext(ctx).Error(err, "Could not find who refers to the ConfigMap", "configMap", source.GetName())
		return nil
	}
	var requests []reconcile.Request
	_ = meta.EachListItem(list, func(o runtime.Object) error {
		requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(o.(client.Object))})
		return nil
	})
	return requests
}
