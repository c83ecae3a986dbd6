// SPDX-License-Identifier: Apache-2.0

package outcome

import (
	"strings"
	"testing"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

// The texts are those of an API server of Kubernetes 1.37, in the Job's FailedCreate event or in the
// answer to the Job's creation.
func TestRefusalOfAPodIsExplained(t *testing.T) {
	for text, c := range map[string]struct{ reason, remedy string }{
		`Error creating: pods "list-7c2f-" is forbidden: exceeded quota: small, requested: pods=1, used: pods=5, limited: pods=5`: {
			v1alpha1.ReasonQuotaExceeded, "a quota of the namespace is used up",
		},
		`jobs.batch "list-7c2f" is forbidden: exceeded quota: small, requested: count/jobs.batch=1, used: count/jobs.batch=1, limited: count/jobs.batch=1`: {
			v1alpha1.ReasonQuotaExceeded, "a quota of the namespace is used up",
		},
		`Error creating: pods "list-7c2f-" is forbidden: failed quota: compute: must specify limits.cpu for: command; requests.cpu for: command`: {
			v1alpha1.ReasonPodRejected, "set them in spec.pod.resources",
		},
		`Error creating: pods "list-7c2f-" is forbidden: error looking up service account team/inventory: serviceaccount "inventory" not found`: {
			v1alpha1.ReasonServiceAccountMissing, "make it, or name another",
		},
		`Error creating: pods "list-7c2f-" is forbidden: violates PodSecurity "restricted:latest": seccompProfile (pod or container "command" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")`: {
			v1alpha1.ReasonPodRejected, "Pod Security level",
		},
		`Error creating: pods "list-7c2f-" is forbidden: maximum memory usage per Container is 64Mi, but limit is 1Gi`: {
			v1alpha1.ReasonPodRejected, "a LimitRange",
		},
		`Error creating: pods "list-7c2f-" is forbidden: [minimum cpu usage per Pod is 1, but request is 100m, minimum memory usage per Pod is 1Gi, but request is 128Mi]`: {
			v1alpha1.ReasonPodRejected, "a LimitRange",
		},
		`Error creating: admission webhook "validate.kyverno.svc-fail" denied the request: no emptyDir`: {
			v1alpha1.ReasonPodRejected, "a policy of the cluster",
		},
		`Error creating: pods "list-7c2f-" is forbidden: ValidatingAdmissionPolicy 'images' with binding 'images' denied request: the image isn't ours`: {
			v1alpha1.ReasonPodRejected, "a policy of the cluster",
		},
		`Error creating: Internal error occurred: failed calling webhook "pods.example.com": failed to call webhook: Post "https://hook.example.svc:443/pods?timeout=10s": dial tcp 10.0.0.7:443: connect: connection refused`: {
			v1alpha1.ReasonPodRejected, "mend it",
		},
		`jobs.batch "list-7c2f" is forbidden: unable to create new content in namespace team because it is being terminated`: {
			v1alpha1.ReasonPodRejected, "is being deleted",
		},
		`Error creating: pods "list-7c2f-" is forbidden: no PriorityClass with name high was found`: {
			v1alpha1.ReasonPodRejected, "the cluster refuses it",
		},
	} {
		reason, message := NoPod(text)
		if reason != c.reason || !strings.Contains(message, c.remedy) || !strings.HasSuffix(message, ": "+strings.TrimPrefix(text, "Error creating: ")) {
			t.Errorf("%s:\ngot %s: %q, want %s: %q", text, reason, message, c.reason, c.remedy)
		}
	}
}
