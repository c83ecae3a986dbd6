// SPDX-License-Identifier: Apache-2.0

package result

import "crypto/sha256"

// HashInputs returns the hash, as hex, of a tree of input files: slash-separated
// relative path to content. It depends on nothing else, not on the order either.
func HashInputs(files map[string][]byte) string { return "" }

// HashInputSums is HashInputs for who has the sum of each file already.
func HashInputSums(sums map[string][sha256.Size]byte) string { return "" }
