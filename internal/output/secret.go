// SPDX-License-Identifier: Apache-2.0

package output

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

// MaxSecretBytes is how much output a Secret holds: Kubernetes allows 1,048,576 bytes of data.
const MaxSecretBytes = 1 << 20

// PlaceInSecret puts all output of a report into a Secret. The status gets sizes and hashes.
func PlaceInSecret(r result.Report, meta metav1.ObjectMeta) (Placed, *corev1.Secret) {
	secret := &corev1.Secret{ObjectMeta: meta, Type: corev1.SecretTypeOpaque, Data: map[string][]byte{}}
	put := func(key string, s result.Stream) Content {
		secret.Data[key] = s.Data
		stored := v1alpha1.Stored{Bytes: s.Bytes, SHA256: s.SHA256, Secret: &v1alpha1.StoredPart{Name: meta.Name, Key: key}}
		if s.Truncated() {
			stored.Truncated, stored.HeadBytes = true, int64(s.Head)
		}
		return Content{Stored: stored}
	}
	placed := Placed{Stdout: put("stdout", r.Stdout), Stderr: put("stderr", r.Stderr), LeftOut: leftOut(r)}
	for i, f := range r.Files {
		placed.Files = append(placed.Files, v1alpha1.OutputFile{Path: f.Path, Stored: put(fmt.Sprintf("file-%04d", i), f.Stream).Stored})
	}
	return placed, secret
}

// PlaceNowhere lays out what is lost because its Secret can't be written: it must stand nowhere else. The
// status gets sizes and hashes.
func PlaceNowhere(r result.Report) Placed {
	lost := func(s result.Stream) v1alpha1.Stored {
		return v1alpha1.Stored{Bytes: s.Bytes, SHA256: s.SHA256, Truncated: s.Bytes > 0}
	}
	placed := Placed{Stdout: Content{Stored: lost(r.Stdout)}, Stderr: Content{Stored: lost(r.Stderr)}, LeftOut: leftOut(r)}
	for _, f := range r.Files {
		placed.Files = append(placed.Files, v1alpha1.OutputFile{Path: f.Path, Stored: lost(f.Stream)})
	}
	return placed
}
