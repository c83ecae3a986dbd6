// SPDX-License-Identifier: Apache-2.0

package run

import (
	"strings"
	"testing"

	configv1alpha1 "github.com/gcloud-operator/gcloud-operator/api/config/v1alpha1"
)

func TestProxiesAndCertificatesAreInTheEnvironment(t *testing.T) {
	const metadata = "NO_PROXY=metadata.google.internal,169.254.169.254"
	for name, c := range map[string]struct {
		network configv1alpha1.Network
		want    string
	}{
		"none":                        {configv1alpha1.Network{}, ""},
		"a proxy, never for its node": {configv1alpha1.Network{HTTPSProxy: "http://proxy:3128"}, "HTTPS_PROXY=http://proxy:3128 " + metadata},
		"a proxy with exceptions":     {configv1alpha1.Network{HTTPProxy: "http://proxy:3128", NoProxy: ".internal"}, "HTTP_PROXY=http://proxy:3128 " + metadata + ",.internal"},
		"exceptions without a proxy":  {configv1alpha1.Network{NoProxy: ".internal"}, ""},
		"certificates": {configv1alpha1.Network{CABundle: "PEM"},
			"CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE=/workspace/identity/ca.pem SSL_CERT_FILE=/workspace/identity/ca.pem"},
	} {
		var got []string
		for _, v := range NetworkEnvironment(c.network) {
			got = append(got, v.Name+"="+v.Value)
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%s: got %s, want %s", name, text, c.want)
		}
	}
}
