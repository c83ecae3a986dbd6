// SPDX-License-Identifier: Apache-2.0

package run

import (
	"strings"

	corev1 "k8s.io/api/core/v1"

	configv1alpha1 "github.com/gcloud-operator/gcloud-operator/api/config/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/jobspec"
	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

// InPod completes a plan that has the defaults by what a spec asks for its pod.
func InPod(p jobspec.Plan, network configv1alpha1.Network, asked v1alpha1.PodSettings) jobspec.Plan {
	p.Resources = jobspec.Resources(p.Resources, asked.Resources)
	p.Pod, p.CABundle = asked, network.CABundle
	return p
}

// queueLabels are the labels of a resource by which Kueue queues its Jobs.
func queueLabels(labels map[string]string) map[string]string {
	var found map[string]string
	for _, name := range []string{v1alpha1.KueueQueueLabel, v1alpha1.KueuePriorityLabel} {
		if value, ok := labels[name]; ok {
			if found == nil {
				found = map[string]string{}
			}
			found[name] = value
		}
	}
	return found
}

// metadataHosts are on the pod's own node.
const metadataHosts = "metadata.google.internal,169.254.169.254"

// NetworkEnvironment tells gcloud and the runner how they get to Google.
func NetworkEnvironment(n configv1alpha1.Network) []corev1.EnvVar {
	var env []corev1.EnvVar
	set := func(name, value string) {
		if value != "" {
			env = append(env, corev1.EnvVar{Name: name, Value: value})
		}
	}
	set("HTTPS_PROXY", n.HTTPSProxy)
	set("HTTP_PROXY", n.HTTPProxy)
	if len(env) > 0 {
		set("NO_PROXY", strings.Trim(metadataHosts+","+n.NoProxy, ","))
	}
	if n.CABundle != "" {
		set("CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE", result.CABundleFile)
		set("SSL_CERT_FILE", result.CABundleFile)
	}
	return env
}
