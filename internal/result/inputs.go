// SPDX-License-Identifier: Apache-2.0

package result

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
)

// HashArgv returns the SHA-256, as hex, of the arguments with a NUL after each.
func HashArgv(argv []string) string {
	hash := sha256.New()
	for _, arg := range argv {
		hash.Write([]byte(arg + "\x00"))
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// HashInputs returns the hash, as hex, of a tree of input files: slash-separated
// relative path to content. It depends on nothing else, not on the order either.
func HashInputs(files map[string][]byte) string {
	sums := make(map[string][sha256.Size]byte, len(files))
	for name, content := range files {
		sums[name] = sha256.Sum256(content)
	}
	return HashInputSums(sums)
}

// HashInputSums is HashInputs for who has the sum of each file already.
func HashInputSums(sums map[string][sha256.Size]byte) string {
	hash := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		fmt.Fprintf(hash, "%x  %q\n", sums[name], name)
	}
	return hex.EncodeToString(hash.Sum(nil))
}
