// SPDX-License-Identifier: Apache-2.0

package outcome

import (
	"regexp"
	"strings"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

// refusals are the ways in which an API server refuses a Job or its pod, and what to do: the first
// that fits counts.
var refusals = []struct {
	text           *regexp.Regexp
	reason, remedy string
}{
	{regexp.MustCompile(`: exceeded quota: `), v1alpha1.ReasonQuotaExceeded, "a quota of the namespace is used up: raise it, or delete what it counts"},
	{regexp.MustCompile(`: serviceaccount ".*" not found`), v1alpha1.ReasonServiceAccountMissing, "the ServiceAccount isn't there: make it, or name another in spec.identity"},
	{regexp.MustCompile(`violates PodSecurity`), v1alpha1.ReasonPodRejected, "the namespace's Pod Security level refuses the pod: its administrator can lower it"},
	{regexp.MustCompile(`: failed quota: .*must specify`), v1alpha1.ReasonPodRejected, "a quota of the namespace wants requests or limits: set them in spec.pod.resources, or in the operator's configuration"},
	{regexp.MustCompile(`(minimum|maximum) \S+ usage per |limit to request ratio per `), v1alpha1.ReasonPodRejected, "a LimitRange of the namespace refuses the pod's resources: change it, or ask for others in spec.pod.resources"},
	{regexp.MustCompile(`denied (the )?request`), v1alpha1.ReasonPodRejected, "a policy of the cluster refuses the pod: satisfy it, or have it exempt pods with the label app.kubernetes.io/managed-by: gcloud-operator"},
	{regexp.MustCompile(`failed calling webhook`), v1alpha1.ReasonPodRejected, "an admission webhook doesn't answer: mend it"},
	{regexp.MustCompile(`because it is being terminated`), v1alpha1.ReasonPodRejected, "the namespace is being deleted"},
}

// NoPod says what the cluster's refusal to make a run's Job or pod means, and what to do. The message
// is the API server's, or that of the Job's FailedCreate event.
func NoPod(message string) (reason, explained string) {
	message = strings.TrimPrefix(message, "Error creating: ")
	for _, r := range refusals {
		if r.text.MatchString(message) {
			return r.reason, "No pod was made: " + r.remedy + ": " + message
		}
	}
	return v1alpha1.ReasonPodRejected, "No pod was made: the cluster refuses it: " + message
}
