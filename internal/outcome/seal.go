// SPDX-License-Identifier: Apache-2.0

package outcome

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/gcloud-operator/gcloud-operator/internal/jobspec"
	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

// inClear says whether the message's report is in clear although the runner was told to seal it. It is
// not the runner's then: that one reports sealed, or, without a key that is one, nothing.
func inClear(pod *corev1.Pod, m result.Message) bool { return !m.Sealed && toBeSealed(pod) }

// toBeSealed reads what the runner was told out of the pod itself: the spec may have been changed since.
func toBeSealed(pod *corev1.Pod) bool {
	for _, c := range pod.Spec.Containers {
		if c.Name != jobspec.ContainerName {
			continue
		}
		for _, v := range c.Env {
			if v.Name == result.TaskEnv {
				return result.Seals(v.Value)
			}
		}
	}
	return false
}
