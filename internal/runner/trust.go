// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

// imageBundles are where images have the certificates that they trust; the first that is there counts.
var imageBundles = []string{
	"/etc/ssl/certs/ca-certificates.crt", // Debian, Alpine
	"/etc/pki/tls/certs/ca-bundle.crt",   // Fedora
	"/etc/ssl/cert.pem",
}

// trustBundle writes what is trusted into one file: what a client is told to trust takes the place of what
// it trusts by itself, and not every host is behind the proxy that the bundle may be for.
func (r *run) trustBundle() error {
	bundle := lookupEnv(r.Env, result.CABundleEnv)
	if bundle == "" {
		return nil
	}
	var trusted []byte
	for _, path := range imageBundles {
		if own, err := os.ReadFile(path); err == nil {
			trusted = append(own, '\n')
			break
		}
	}
	err := os.MkdirAll(filepath.Dir(r.Paths.CABundle), 0o755)
	if err == nil {
		err = os.WriteFile(r.Paths.CABundle, append(trusted, bundle...), 0o444)
	}
	if err != nil {
		return refusal{result.InputsFailed, fmt.Errorf("writing the certificates that are trusted: %w", err)}
	}
	return nil
}
