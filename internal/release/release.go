// SPDX-License-Identifier: Apache-2.0

// Package release frees what the operator holds, so that it can be uninstalled: pods whose reports nobody
// will read, and Jobs whose pods nobody will let go.
package release

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/jobspec"
)

// settling is how long the Job controller may take to notice that a Job is gone: until then, it may make
// a pod for it.
const settling = 5 * time.Second

// Releaser frees what the operator holds.
type Releaser struct {
	Cluster client.Client
	// Namespaces are those that the operator works in; none for all.
	Namespaces []string
	// Lease is what a running operator renews.
	Lease types.NamespacedName
	// Out is told what is done.
	Out io.Writer
}

// Run frees all, and returns when nothing is held any more. It fails if the operator runs, which would
// go on to make pods, and to miss the reports of those that are free.
func (r Releaser) Run(ctx context.Context) error {
	if err := r.expectStopped(ctx); err != nil {
		return err
	}
	pods, jobs := 0, 0
	for {
		freed, deleted, err := r.pass(ctx)
		pods, jobs = pods+freed, jobs+deleted
		if err != nil {
			return err
		}
		if freed+deleted == 0 {
			_, err := fmt.Fprintf(r.Out, "The operator holds nothing any more: %d pods were freed, %d Jobs deleted.\n", pods, jobs)
			return err
		}
		if err := pause(ctx, settling); err != nil {
			return err
		}
	}
}

// pass makes a pass through the namespaces.
func (r Releaser) pass(ctx context.Context) (freed, deleted int, err error) {
	namespaces := r.Namespaces
	if len(namespaces) == 0 {
		namespaces = []string{metav1.NamespaceAll}
	}
	var errs []error // one that can't be freed must not hold the others
	for _, namespace := range namespaces {
		f, d, err := r.passNamespace(ctx, client.InNamespace(namespace))
		freed, deleted, errs = freed+f, deleted+d, append(errs, err)
	}
	return freed, deleted, errors.Join(errs...)
}

// passNamespace deletes the Jobs that can come to nothing, and frees the pods that are held.
func (r Releaser) passNamespace(ctx context.Context, namespace client.InNamespace) (freed, deleted int, err error) {
	var jobs batchv1.JobList
	if err := r.Cluster.List(ctx, &jobs, namespace, client.MatchingLabels{v1alpha1.ManagedByLabel: v1alpha1.ManagedByValue}); err != nil {
		return 0, 0, fmt.Errorf("listing Jobs: %w", err)
	}
	pods := &metav1.PartialObjectMetadataList{}
	pods.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("PodList"))
	if err := r.Cluster.List(ctx, pods, namespace); err != nil {
		return 0, 0, fmt.Errorf("listing pods: %w", err)
	}
	var errs []error
	for _, job := range barred(jobs.Items, pods.Items) {
		if err := r.deleteJob(ctx, &job); err != nil {
			errs = append(errs, err)
			continue
		}
		deleted++
	}
	for _, pod := range held(pods.Items) {
		if err := r.free(ctx, &pod); err != nil {
			errs = append(errs, err)
			continue
		}
		freed++
	}
	return freed, deleted, errors.Join(errs...)
}

// barred are the Jobs that have not ended and have no pod that was let go: theirs is gated, or still to come.
func barred(jobs []batchv1.Job, pods []metav1.PartialObjectMetadata) []batchv1.Job {
	letGo := map[types.UID]bool{}
	for i := range pods {
		owner := metav1.GetControllerOf(&pods[i])
		if _, ok := pods[i].Annotations[v1alpha1.StartBeforeAnnotation]; ok && owner != nil {
			letGo[owner.UID] = true
		}
	}
	var found []batchv1.Job
	for _, job := range jobs {
		if job.DeletionTimestamp == nil && !ended(&job) && !letGo[job.UID] {
			found = append(found, job)
		}
	}
	return found
}

func ended(job *batchv1.Job) bool {
	for _, c := range job.Status.Conditions {
		if (c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed) && c.Status == corev1.ConditionTrue {
			return true
		}
	}
	return false
}

// held are the pods that carry the operator's finalizer, whatever labels they have.
func held(pods []metav1.PartialObjectMetadata) []metav1.PartialObjectMetadata {
	var found []metav1.PartialObjectMetadata
	for _, pod := range pods {
		for _, f := range pod.Finalizers {
			if f == v1alpha1.ReportFinalizer {
				found = append(found, pod)
			}
		}
	}
	return found
}

func (r Releaser) deleteJob(ctx context.Context, job *batchv1.Job) error {
	err := r.Cluster.Delete(ctx, job, client.Preconditions{UID: &job.UID}, client.PropagationPolicy(metav1.DeletePropagationBackground))
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("deleting Job %s/%s: %w", job.Namespace, job.Name, err)
	}
	_, err = fmt.Fprintf(r.Out, "Deleted Job %s/%s: its pod was never let go.\n", job.Namespace, job.Name)
	return err
}

func (r Releaser) free(ctx context.Context, pod *metav1.PartialObjectMetadata) error {
	patch, err := json.Marshal(jobspec.ReleasePatch(pod.UID))
	if err != nil {
		return fmt.Errorf("encoding a patch of pod %s: %w", pod.Name, err)
	}
	target := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name}}
	err = r.Cluster.Patch(ctx, target, client.RawPatch(types.StrategicMergePatchType, patch))
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("freeing pod %s/%s: %w", pod.Namespace, pod.Name, err)
	}
	_, err = fmt.Fprintf(r.Out, "Freed pod %s/%s.\n", pod.Namespace, pod.Name)
	return err
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
