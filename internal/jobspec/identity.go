// SPDX-License-Identifier: Apache-2.0

package jobspec

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

// Identity is what a command has to prove who it is. At most one field is set.
type Identity struct {
	// Key is mounted as it is.
	Key *v1alpha1.KeyRef
	// Federation exchanges a token of the pod's ServiceAccount.
	Federation *Federation
	// Metadata is the metadata server, which knows the pod's identity.
	Metadata bool
}

// Federation is a federated identity.
type Federation struct {
	// Audience is that of the token.
	Audience string
	// Config says how it is exchanged. There is nothing secret in it.
	Config string
}

func (i Identity) task() result.Identity {
	t := result.Identity{Key: i.Key != nil, Metadata: i.Metadata}
	if i.Federation != nil {
		t.Federation = i.Federation.Config
	}
	return t
}

// mounted says whether there is something to mount. The container that runs the command gets it, and
// none beside it.
func (i Identity) mounted() bool { return i.Key != nil || i.Federation != nil }

func identityVolume(p Plan) corev1.Volume {
	var source corev1.VolumeProjection
	switch {
	case p.Identity.Key != nil:
		source.Secret = keySource(*p.Identity.Key)
	case p.Identity.Federation != nil:
		source.ServiceAccountToken = tokenSource(p)
	}
	return corev1.Volume{Name: identityVolumeName, VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{
		Sources: []corev1.VolumeProjection{source}, DefaultMode: new(int32(0o444)),
	}}}
}

// keySource is optional: the pod would wait for a missing Secret without an end, and the runner says
// that it is missing.
func keySource(ref v1alpha1.KeyRef) *corev1.SecretProjection {
	return &corev1.SecretProjection{
		LocalObjectReference: corev1.LocalObjectReference{Name: ref.Name},
		Items:                []corev1.KeyToPath{{Key: ref.Key, Path: result.KeyName}},
		Optional:             new(true),
	}
}

const (
	// minTokenLife is the least that Kubernetes takes, maxTokenLife the most that Google does.
	minTokenLife = 10 * time.Minute
	maxTokenLife = 24 * time.Hour
)

// tokenSource is a token that lasts as long as the pod, where it may: so little depends on the
// kubelet's renewing it in time.
func tokenSource(p Plan) *corev1.ServiceAccountTokenProjection {
	life := min(max(deadline(p), minTokenLife), maxTokenLife)
	return &corev1.ServiceAccountTokenProjection{
		Audience:          p.Identity.Federation.Audience,
		ExpirationSeconds: new(int64(life.Seconds())),
		Path:              result.TokenName,
	}
}
