// SPDX-License-Identifier: Apache-2.0

package output

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

// PlaceBytes lays out a file that the status shows in base64, whether it is text or not: inline if it
// is whole and takes at most inlineBytes there, and in ConfigMaps otherwise; without meta there are none.
func PlaceBytes(file result.Stream, inlineBytes int64, meta func(index int) metav1.ObjectMeta) (inline []byte, stored v1alpha1.Stored, maps []*corev1.ConfigMap) {
	stored = v1alpha1.Stored{Bytes: file.Bytes, SHA256: file.SHA256}
	if !file.Truncated() && base64Bytes(file.Data) <= inlineBytes {
		return file.Data, stored, nil
	}
	if file.Truncated() {
		stored.Truncated, stored.HeadBytes = true, int64(file.Head)
	}
	if meta == nil {
		stored.Truncated, stored.HeadBytes = true, 0
	}
	s := store{meta: meta}
	stored.ConfigMaps = s.add("file", file.Data)
	return nil, stored, s.maps
}

// base64Bytes is what bytes take in JSON.
func base64Bytes(data []byte) int64 { return int64(len(data)+2) / 3 * 4 }
