// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"crypto/tls"

	"sigs.k8s.io/controller-runtime/pkg/metrics/filters"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// Served at the address only to whom the API server knows and lets get /metrics; at "0" not at all.
func Served(address string, certificate func(*tls.ClientHelloInfo) (*tls.Certificate, error)) metricsserver.Options {
	return metricsserver.Options{
		BindAddress:    address,
		SecureServing:  true,
		FilterProvider: filters.WithAuthenticationAndAuthorization,
		TLSOpts: []func(*tls.Config){func(c *tls.Config) {
			c.GetCertificate, c.NextProtos = certificate, []string{"http/1.1"} // a stream of HTTP/2 can be reset too cheaply
		}},
	}
}
