// SPDX-License-Identifier: Apache-2.0

// Package certificate makes, shares and renews the certificate that the webhook server presents.
//
// The certificate lives in a Secret, so that all replicas present the same one, and is served out
// of memory: a mounted Secret reaches a pod up to a minute late.
package certificate

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/util/cert"
)

const caKey = "ca.crt"

// pair is a serving certificate with all that goes with it.
type pair struct {
	chain, key []byte // PEM
	authority  []byte // PEM: the authorities that clients have to trust, the newest first
	serving    *tls.Certificate
}

// newPair makes a certificate for the DNS names with an authority of its own, good for a year.
// Clients have to trust the previous authority, too, until every replica presents the new one.
func newPair(names []string, previous []byte) (*pair, error) {
	chain, key, err := cert.GenerateSelfSignedCertKey(names[0], nil, names[1:])
	if err != nil {
		return nil, fmt.Errorf("making a certificate for %v: %w", names, err)
	}
	return parsePair(chain, key, append(lastBlock(chain), lastBlock(firstBlock(previous))...))
}

func pairFrom(secret *corev1.Secret) (*pair, error) {
	return parsePair(secret.Data[corev1.TLSCertKey], secret.Data[corev1.TLSPrivateKeyKey], secret.Data[caKey])
}

func parsePair(chain, key, authority []byte) (*pair, error) {
	serving, err := tls.X509KeyPair(chain, key)
	if err != nil {
		return nil, fmt.Errorf("reading the certificate: %w", err)
	}
	return &pair{chain: chain, key: key, authority: authority, serving: &serving}, nil
}

// usable says whether the pair covers the names and has more than a third of its life ahead.
func (p *pair) usable(names []string, now time.Time) bool {
	leaf := p.serving.Leaf
	for _, name := range names {
		if leaf.VerifyHostname(name) != nil {
			return false
		}
	}
	life := leaf.NotAfter.Sub(leaf.NotBefore)
	return p.trusts() && now.Before(leaf.NotAfter.Add(-life/3))
}

// trusts says whether the authorities vouch for the certificate.
func (p *pair) trusts() bool {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(p.authority)
	_, err := p.serving.Leaf.Verify(x509.VerifyOptions{Roots: roots, CurrentTime: p.serving.Leaf.NotBefore.Add(time.Minute)})
	return err == nil
}

func (p *pair) data() map[string][]byte {
	return map[string][]byte{corev1.TLSCertKey: p.chain, corev1.TLSPrivateKeyKey: p.key, caKey: p.authority}
}

// lastBlock returns the last PEM block of a chain, which is its authority.
func lastBlock(chain []byte) []byte {
	var last []byte
	for block, rest := pem.Decode(chain); block != nil; block, rest = pem.Decode(rest) {
		last = pem.EncodeToMemory(block)
	}
	return last
}

func firstBlock(chain []byte) []byte {
	block, rest := pem.Decode(chain)
	if block == nil {
		return nil
	}
	return bytes.TrimSuffix(chain, rest)
}
