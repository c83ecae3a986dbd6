// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/x509"
	"slices"
	"testing"
	"time"
)

func TestIssuedCertificates(t *testing.T) {
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	authority, err := newAuthority(now)
	if err != nil {
		t.Fatal(err)
	}
	stranger, err := newAuthority(now)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name       string
		credential string
		authority  identity
		host       string
		usage      x509.ExtKeyUsage
		at         time.Time
		valid      bool
	}{
		{"the API server serves on its ClusterIP", "kube-apiserver", authority, apiIP, x509.ExtKeyUsageServerAuth, now, true},
		{"the API server serves on the node's address", "kube-apiserver", authority, nodeIP, x509.ExtKeyUsageServerAuth, now, true},
		{"the API server serves under its Service's name", "kube-apiserver", authority, "kubernetes.default.svc", x509.ExtKeyUsageServerAuth, now, true},
		{"the API server doesn't serve under another name", "kube-apiserver", authority, "example.com", x509.ExtKeyUsageServerAuth, now, false},
		{"the kubelet serves on the node's address", "kubelet", authority, nodeIP, x509.ExtKeyUsageServerAuth, now, true},
		{"the kubelet is a client, too", "kubelet", authority, "", x509.ExtKeyUsageClientAuth, now, true},
		{"the administrator is a client", "admin", authority, "", x509.ExtKeyUsageClientAuth, now, true},
		{"the administrator is no server", "admin", authority, "", x509.ExtKeyUsageServerAuth, now, false},
		{"a clock that is slow by minutes does no harm", "admin", authority, "", x509.ExtKeyUsageClientAuth, now.Add(-10 * time.Minute), true},
		{"a certificate ends", "admin", authority, "", x509.ExtKeyUsageClientAuth, now.Add(certificateLife + time.Second), false},
		{"another cluster's authority isn't trusted", "admin", stranger, "", x509.ExtKeyUsageClientAuth, now, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			issued, err := authority.issue(credentials[test.credential], now)
			if err != nil {
				t.Fatal(err)
			}
			roots := x509.NewCertPool()
			roots.AddCert(test.authority.certificate)
			_, err = issued.certificate.Verify(x509.VerifyOptions{
				Roots: roots, DNSName: test.host, KeyUsages: []x509.ExtKeyUsage{test.usage}, CurrentTime: test.at,
			})
			if (err == nil) != test.valid {
				t.Errorf("verification: %v, want valid: %v", err, test.valid)
			}
		})
	}
}

func TestAKubeletIsTheUserThatTheNodeAuthorizerKnows(t *testing.T) {
	now := time.Now()
	authority, err := newAuthority(now)
	if err != nil {
		t.Fatal(err)
	}
	issued, err := authority.issue(credentials["kubelet"], now)
	if err != nil {
		t.Fatal(err)
	}
	who := issued.certificate.Subject
	if who.CommonName != "system:node:"+nodeName || !slices.Equal(who.Organization, []string{"system:nodes"}) {
		t.Errorf("the kubelet's certificate is for %s", who)
	}
}
