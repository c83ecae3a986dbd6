// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gcloud-operator/gcloud-operator/controllers/run/decide"
)

// keepCopy makes the ConfigMap under the name that the spec gives it, or replaces what an earlier run
// put into it. One that isn't the resource's own is left alone.
func (r *Reconciler[T]) keepCopy(ctx context.Context, obj T, o *decide.Observation, m *corev1.ConfigMap) error {
	if m == nil {
		return nil
	}
	err := r.Client.Create(ctx, m.DeepCopy())
	if !apierrors.IsAlreadyExists(err) {
		return wrap(err, "making ConfigMap %s", m.Name)
	}
	present := &corev1.ConfigMap{}
	if err := r.Live.Get(ctx, client.ObjectKeyFromObject(m), present); err != nil {
		return fmt.Errorf("reading ConfigMap %s: %w", m.Name, err)
	}
	if owner := metav1.GetControllerOf(present); owner == nil || owner.UID != o.Owner.UID {
		return takenError{"ConfigMap " + m.Name}
	}
	if err := r.stillLatest(ctx, obj); err != nil {
		return err
	}
	body, err := json.Marshal(map[string]any{"metadata": asItWas(present), "binaryData": m.BinaryData})
	if err != nil {
		return fmt.Errorf("encoding a patch of ConfigMap %s: %w", m.Name, err)
	}
	return wrap(r.Client.Patch(ctx, present, client.RawPatch(types.MergePatchType, body)), "writing ConfigMap %s", m.Name)
}

// stillLatest is asked between the look at an object that one run after the other writes to and the write:
// a leader that was away meanwhile must not put an old result over a newer one's.
func (r *Reconciler[T]) stillLatest(ctx context.Context, obj T) error {
	_, err := r.newest(ctx, obj)
	return err
}

// asItWas has a patch fail unless the object is the one that was looked at, and unchanged since.
func asItWas(o client.Object) map[string]any {
	return map[string]any{"uid": o.GetUID(), "resourceVersion": o.GetResourceVersion()}
}
