// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// certificateLife is how long the certificates of a cluster hold; a cluster is
// made anew long before.
const certificateLife = 365 * 24 * time.Hour

// identity is a key with the certificate that says whose it is.
type identity struct {
	key         *ecdsa.PrivateKey
	certificate *x509.Certificate
}

// subject describes a certificate to be issued: Kubernetes reads the user from
// the common name and the groups from the organizations.
type subject struct {
	user      string
	groups    []string
	addresses []string // IP addresses and DNS names of a server; empty for a client
}

func newAuthority(now time.Time) (identity, error) {
	template := certificateTemplate(subject{user: "devcluster-ca"}, now)
	template.IsCA = true
	template.BasicConstraintsValid = true
	template.KeyUsage |= x509.KeyUsageCertSign
	template.ExtKeyUsage = nil // what it has would limit all that it signs
	return sign(template, nil)
}

// issue makes a key and a certificate for s, signed by i, an authority.
func (i identity) issue(s subject, now time.Time) (identity, error) {
	return sign(certificateTemplate(s, now), &i)
}

func certificateTemplate(s subject, now time.Time) *x509.Certificate {
	template := &x509.Certificate{
		Subject:     pkix.Name{CommonName: s.user, Organization: s.groups},
		NotBefore:   now.Add(-time.Hour), // clocks differ
		NotAfter:    now.Add(certificateLife),
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	if len(s.addresses) > 0 {
		template.ExtKeyUsage = append(template.ExtKeyUsage, x509.ExtKeyUsageServerAuth)
	}
	for _, address := range s.addresses {
		if ip := net.ParseIP(address); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, address)
		}
	}
	return template
}

// sign makes the certificate; without an authority it signs itself.
func sign(template *x509.Certificate, authority *identity) (identity, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return identity{}, fmt.Errorf("making a key for %s: %w", template.Subject, err)
	}
	if template.SerialNumber, err = rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120)); err != nil {
		return identity{}, fmt.Errorf("making a serial number for %s: %w", template.Subject, err)
	}
	if authority == nil {
		authority = &identity{key: key, certificate: template}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, authority.certificate, key.Public(), authority.key)
	if err != nil {
		return identity{}, fmt.Errorf("signing the certificate of %s: %w", template.Subject, err)
	}
	certificate, err := x509.ParseCertificate(der)
	return identity{key: key, certificate: certificate}, err
}

func (i identity) certificatePEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: i.certificate.Raw})
}

func (i identity) keyPEM() ([]byte, error) {
	der, err := x509.MarshalPKCS8PrivateKey(i.key)
	if err != nil {
		return nil, fmt.Errorf("encoding the key of %s: %w", i.certificate.Subject, err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), nil
}

func publicKeyPEM(key crypto.PublicKey) ([]byte, error) {
	der, err := x509.MarshalPKIXPublicKey(key)
	if err != nil {
		return nil, fmt.Errorf("encoding a public key: %w", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}), nil
}

// write puts NAME.crt and NAME.key into a folder.
func (i identity) write(folder, name string) error {
	key, err := i.keyPEM()
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, name+".key"), key, 0o600); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, name+".crt"), i.certificatePEM(), 0o644)
}
