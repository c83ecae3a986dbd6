// SPDX-License-Identifier: Apache-2.0

package run

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// HashResult is a hash of what a run brought: the same parts in the same order have the same.
func HashResult(parts ...string) string {
	return hash(parts)
}

// hash is a hash of what can be written as JSON; the keys of maps are encoded in order.
func hash(v any) string {
	canonical, err := json.Marshal(v)
	if err != nil {
		panic("encoding strings: " + err.Error())
	}
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:16])
}
