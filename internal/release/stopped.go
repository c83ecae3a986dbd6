// SPDX-License-Identifier: Apache-2.0

package release

import (
	"context"
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// defaultLeaseDuration is for a Lease that doesn't say how long it lasts.
const defaultLeaseDuration = 15 * time.Second

// It looks for the operator's own pods, whichever namespaces the operator works in.
//
// +kubebuilder:rbac:groups="",namespace=gcloud-operator-system,resources=pods,verbs=list

// expectStopped fails if the operator runs: a pod of it is there, or its Lease is renewed from elsewhere.
func (r Releaser) expectStopped(ctx context.Context) error {
	var pods corev1.PodList
	if err := r.Cluster.List(ctx, &pods, client.InNamespace(r.Lease.Namespace), client.MatchingLabels{"app.kubernetes.io/name": "gcloud-operator"}); err != nil {
		return fmt.Errorf("looking for the operator's pods: %w", err)
	}
	for _, pod := range pods.Items {
		if pod.Status.Phase != corev1.PodSucceeded && pod.Status.Phase != corev1.PodFailed {
			return r.running("there is its pod " + pod.Name)
		}
	}
	return r.expectLeaseFree(ctx)
}

// running tells what to do about an operator that runs.
func (r Releaser) running(sign string) error {
	return fmt.Errorf("the operator runs, for %s: stop it first, with kubectl scale deployment gcloud-operator-manager --replicas=0 --namespace=%s, and wait until its pods are gone",
		sign, r.Lease.Namespace)
}

// expectLeaseFree returns when the operator's Lease was given back, or isn't renewed for as long as it
// lasts, since a killed process gives nothing back. Clocks are not compared.
func (r Releaser) expectLeaseFree(ctx context.Context) error {
	first, err := r.heldLease(ctx)
	if err != nil || first == nil {
		return err
	}
	lasts := duration(first)
	if _, err := fmt.Fprintf(r.Out, "Waiting %s: %s holds the operator's Lease, and may have been killed.\n", lasts, *first.Spec.HolderIdentity); err != nil {
		return err
	}
	for waited := time.Duration(0); waited < lasts; waited += time.Second {
		if err := pause(ctx, time.Second); err != nil {
			return err
		}
		lease, err := r.heldLease(ctx)
		if err != nil || lease == nil {
			return err
		}
		if !lease.Spec.RenewTime.Equal(first.Spec.RenewTime) {
			return r.running(*lease.Spec.HolderIdentity + " renews its Lease")
		}
	}
	return nil
}

// heldLease returns the operator's Lease, or nil when nobody holds it.
func (r Releaser) heldLease(ctx context.Context) (*coordinationv1.Lease, error) {
	lease := &coordinationv1.Lease{}
	err := r.Cluster.Get(ctx, r.Lease, lease)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the Lease %s: %w", r.Lease, err)
	}
	if lease.Spec.HolderIdentity == nil || *lease.Spec.HolderIdentity == "" {
		return nil, nil
	}
	return lease, nil
}

func duration(lease *coordinationv1.Lease) time.Duration {
	if s := lease.Spec.LeaseDurationSeconds; s != nil {
		return time.Duration(*s) * time.Second
	}
	return defaultLeaseDuration
}
