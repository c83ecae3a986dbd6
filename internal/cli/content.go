// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

// content returns the bytes of a stream or a file, from wherever they are. Of what the operator has not kept whole
// it returns what there is, and whole is false.
func (s *session) content(ctx context.Context, text string, stored v1alpha1.Stored) (data []byte, whole bool, err error) {
	switch {
	case stored.Secret != nil:
		data, err = s.secretPart(ctx, *stored.Secret)
	case len(stored.ConfigMaps) > 0:
		data, err = s.configMapParts(ctx, stored.ConfigMaps)
	case stored.Base64 != nil:
		data = stored.Base64
	default:
		data = []byte(text)
	}
	if err != nil || stored.Truncated {
		return data, false, err
	}
	if stored.SHA256 != "" && sha256Of(data) != stored.SHA256 {
		return nil, false, fmt.Errorf("%d bytes are there, and aren't the %d that the command wrote", len(data), stored.Bytes)
	}
	return data, true, nil
}

func (s *session) configMapParts(ctx context.Context, parts []v1alpha1.StoredPart) ([]byte, error) {
	var data []byte
	for _, part := range parts {
		m := &corev1.ConfigMap{}
		if err := s.client.Get(ctx, types.NamespacedName{Namespace: s.namespace, Name: part.Name}, m); err != nil {
			return nil, fmt.Errorf("reading output that stands in a ConfigMap: %w", err)
		}
		data = append(data, m.BinaryData[part.Key]...)
	}
	return data, nil
}

func (s *session) secretPart(ctx context.Context, part v1alpha1.StoredPart) ([]byte, error) {
	secret := &corev1.Secret{}
	if err := s.client.Get(ctx, types.NamespacedName{Namespace: s.namespace, Name: part.Name}, secret); err != nil {
		return nil, fmt.Errorf("reading output that stands in a Secret: %w", err)
	}
	return secret.Data[part.Key], nil
}

func sha256Of(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
