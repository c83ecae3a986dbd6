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

// makeSecret makes the Secret that the output is to go to, still empty. One that is there already is
// used if it is the resource's own, from an earlier run.
func (r *Reconciler[T]) makeSecret(ctx context.Context, o *decide.Observation, secret *corev1.Secret) error {
	if secret == nil {
		return nil
	}
	err := r.Client.Create(ctx, secret.DeepCopy())
	if !apierrors.IsAlreadyExists(err) {
		return wrap(err, "making Secret %s", secret.Name)
	}
	_, err = r.ownSecret(ctx, o, client.ObjectKeyFromObject(secret))
	return err
}

// fillSecret puts the output into the Secret in place of an earlier run's.
func (r *Reconciler[T]) fillSecret(ctx context.Context, obj T, o *decide.Observation, secret *corev1.Secret) error {
	if secret == nil {
		return nil
	}
	present, err := r.ownSecret(ctx, o, client.ObjectKeyFromObject(secret))
	if apierrors.IsNotFound(err) {
		return wrap(r.Client.Create(ctx, secret), "making Secret %s", secret.Name)
	}
	if err != nil {
		return err
	}
	if err := r.stillLatest(ctx, obj); err != nil {
		return err
	}
	data := map[string]any{}
	for key := range present.Data {
		data[key] = nil // takes away what this run didn't write
	}
	for key, value := range secret.Data {
		data[key] = value
	}
	body, err := json.Marshal(map[string]any{"metadata": asItWas(present), "data": data})
	if err != nil {
		return fmt.Errorf("encoding a patch of Secret %s: %w", secret.Name, err)
	}
	return wrap(r.Client.Patch(ctx, present, client.RawPatch(types.MergePatchType, body)), "writing Secret %s", secret.Name)
}

// ownSecret returns the Secret if it is the resource's own. The operator may not read Secrets: it may
// only patch them, and a patch that changes nothing and isn't carried out tells whose one is.
func (r *Reconciler[T]) ownSecret(ctx context.Context, o *decide.Observation, name types.NamespacedName) (*corev1.Secret, error) {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: name.Namespace, Name: name.Name}}
	err := r.Client.Patch(ctx, secret, client.RawPatch(types.MergePatchType, []byte("{}")), client.DryRunAll)
	// The policy for the operator's own account refuses every Secret that the operator didn't make.
	if owner := metav1.GetControllerOf(secret); apierrors.IsForbidden(err) || err == nil && (owner == nil || owner.UID != o.Owner.UID) {
		return nil, takenError{"Secret " + name.Name}
	}
	return secret, wrap(err, "looking at Secret %s", name.Name)
}
