// SPDX-License-Identifier: Apache-2.0

// Package leaks looks for credentials in text: any piece of one, as it is or in base64. It is pure, and
// says where something was found, but not what.
package leaks

import (
	"encoding/base64"
	"sync"
)

// PieceBytes is how long a piece of a credential is by which it is known. What is shorter can't be
// told from other text.
const PieceBytes = 16

// skipped is what base64 of a part of a text has at each end that the parts beside it have a share in.
const skipped = 2

// Credentials are those that must be found nowhere.
type Credentials struct {
	mu     sync.Mutex
	pieces map[[PieceBytes]byte]string
}

// Add adds a credential, under a name to tell of. It reports whether it is long enough to be known again.
func (c *Credentials) Add(name, credential string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.add(name, credential)
	for at := range min(3, len(credential)) { // base64 of something longer can begin in three ways
		for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			encoded := encoding.EncodeToString([]byte(credential[at:]))
			c.add(name, encoded[:max(0, len(encoded)-skipped)])
		}
	}
	return len(credential) >= PieceBytes
}

func (c *Credentials) add(name, text string) {
	if c.pieces == nil {
		c.pieces = map[[PieceBytes]byte]string{}
	}
	for i := 0; i+PieceBytes <= len(text); i++ {
		c.pieces[[PieceBytes]byte([]byte(text[i:]))] = name
	}
}

// Find returns the names of the credentials of which a piece stands in the text.
func (c *Credentials) Find(text []byte) (names []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found := map[string]bool{}
	for i := 0; i+PieceBytes <= len(text); i++ {
		if name, ok := c.pieces[[PieceBytes]byte(text[i:])]; ok && !found[name] {
			found[name] = true
			names = append(names, name)
		}
	}
	return names
}
