// SPDX-License-Identifier: Apache-2.0

// Package sealkey keeps the operator's key pair for output that goes to Secrets. It lives in a Secret
// of the operator's own namespace, so that all replicas have the same one, and no other Secret is
// ever read.
package sealkey

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gcloud-operator/gcloud-operator/internal/seal"
)

// The pair is made once and kept: a pod that runs during an upgrade seals its report with it.
//
// +kubebuilder:rbac:groups="",namespace=gcloud-operator-system,resources=secrets,resourceNames=gcloud-operator-report-key,verbs=get

const (
	identityKey  = "identity"
	recipientKey = "recipient"
)

// Pair is the key that output is encrypted for, and the one that opens it.
type Pair struct{ Recipient, Identity string }

// Load reads the pair out of the Secret, which is made where it isn't there.
func Load(ctx context.Context, c client.Client, name types.NamespacedName) (Pair, error) {
	secret := &corev1.Secret{}
	err := c.Get(ctx, name, secret)
	if apierrors.IsNotFound(err) {
		secret, err = create(ctx, c, name)
	}
	if apierrors.IsAlreadyExists(err) { // another replica was quicker
		err = c.Get(ctx, name, secret)
	}
	if err != nil {
		return Pair{}, fmt.Errorf("loading the report key from Secret %s: %w", name, err)
	}
	return Pair{Recipient: string(secret.Data[recipientKey]), Identity: string(secret.Data[identityKey])}, nil
}

func create(ctx context.Context, c client.Client, name types.NamespacedName) (*corev1.Secret, error) {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: name.Namespace, Name: name.Name}, Immutable: new(true)}
	identity, recipient, err := seal.NewKey()
	if err != nil {
		return secret, err
	}
	secret.Data = map[string][]byte{identityKey: []byte(identity), recipientKey: []byte(recipient)}
	return secret, c.Create(ctx, secret)
}
