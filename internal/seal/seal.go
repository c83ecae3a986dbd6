// SPDX-License-Identifier: Apache-2.0

// Package seal encrypts a run's report so that only the controller can read it:
// on its way it stands in a pod's log and status, which more people may read
// than the Secret that it is for. The format is age's, with X25519 keys.
//
// A sealed report proves nothing about who wrote it: the key to encrypt is public.
package seal

import (
	"errors"
	"fmt"
	"io"

	"filippo.io/age"
)

// ErrKey: the text is not a key of this kind. The error never has the text.
var ErrKey = errors.New("no age X25519 key")

// NewKey makes a pair: the identity, which is secret, and the recipient that
// belongs to it.
func NewKey() (identity, recipient string, err error) {
	key, err := age.GenerateX25519Identity()
	if err != nil {
		return "", "", fmt.Errorf("making a key: %w", err)
	}
	return key.String(), key.Recipient().String(), nil
}

// For returns what encrypts for a recipient ("age1…"); it is a result.Sealer.
func For(recipient string) (func(io.Writer) (io.WriteCloser, error), error) {
	key, err := age.ParseX25519Recipient(recipient)
	if err != nil {
		return nil, fmt.Errorf("%w: a recipient begins with age1", ErrKey)
	}
	seal := func(w io.Writer) (io.WriteCloser, error) { return age.Encrypt(w, key) }
	// Some points of the curve can be parsed, but not encrypted for.
	if _, err := seal(io.Discard); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrKey, err)
	}
	return seal, nil
}

// With returns what decrypts with an identity ("AGE-SECRET-KEY-1…"); it is a
// result.Opener. What was changed, cut, or sealed for another is an error when
// it is read.
func With(identity string) (func(io.Reader) (io.Reader, error), error) {
	key, err := age.ParseX25519Identity(identity)
	if err != nil {
		return nil, fmt.Errorf("%w: an identity begins with AGE-SECRET-KEY-1", ErrKey)
	}
	return func(r io.Reader) (io.Reader, error) { return age.Decrypt(r, key) }, nil
}
