// SPDX-License-Identifier: Apache-2.0

package config

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net/url"
	"strings"

	configv1alpha1 "github.com/gcloud-operator/gcloud-operator/api/config/v1alpha1"
)

// maxCABundleBytes leaves room in a pod, which has the bundle in its environment.
const maxCABundleBytes = 32 << 10

func checkNetwork(n configv1alpha1.Network) error {
	for _, proxy := range []struct{ name, value string }{{"httpsProxy", n.HTTPSProxy}, {"httpProxy", n.HTTPProxy}} {
		if err := checkProxy(proxy.value); err != nil {
			return fmt.Errorf("%s is %q: %w", proxy.name, proxy.value, err)
		}
	}
	if err := checkCABundle(n.CABundle); err != nil {
		return fmt.Errorf("caBundle: %w", err)
	}
	return nil
}

func checkProxy(value string) error {
	if value == "" {
		return nil
	}
	u, err := url.Parse(value)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return errors.New("write a URL such as http://proxy.example.com:3128")
	}
	return nil
}

// checkCABundle finds what each command would fail by.
func checkCABundle(bundle string) error {
	if len(bundle) > maxCABundleBytes {
		return fmt.Errorf("it has %d bytes: write at most %d", len(bundle), maxCABundleBytes)
	}
	rest := []byte(bundle)
	for strings.TrimSpace(string(rest)) != "" {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil || block.Type != "CERTIFICATE" {
			return errors.New("write certificates in PEM, and nothing else")
		}
		if _, err := x509.ParseCertificate(block.Bytes); err != nil {
			return err
		}
	}
	return nil
}
