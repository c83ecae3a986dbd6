// SPDX-License-Identifier: Apache-2.0

package output

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

// maxConfigMapBytes is how much one ConfigMap may hold: Kubernetes allows 1,048,576 bytes, counted
// as they are, without the base64 of the transport.
const maxConfigMapBytes = 1 << 20

// store fills ConfigMaps one after the other; without meta it keeps nothing.
type store struct {
	meta func(index int) metav1.ObjectMeta
	maps []*corev1.ConfigMap
	room int
}

// add stores the data, in as many parts as it takes, and returns where they are.
func (s *store) add(key string, data []byte) []v1alpha1.StoredPart {
	var parts []v1alpha1.StoredPart
	for s.meta != nil && len(data) > 0 {
		if s.room == 0 {
			s.maps = append(s.maps, &corev1.ConfigMap{
				ObjectMeta: s.meta(len(s.maps)), Immutable: new(true), BinaryData: map[string][]byte{},
			})
			s.room = maxConfigMapBytes
		}
		n := min(len(data), s.room)
		current := s.maps[len(s.maps)-1]
		part := fmt.Sprintf("%s.%d", key, len(parts))
		current.BinaryData[part] = data[:n]
		parts = append(parts, v1alpha1.StoredPart{Name: current.Name, Key: part})
		data, s.room = data[n:], s.room-n
	}
	return parts
}
