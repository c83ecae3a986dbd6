// SPDX-License-Identifier: Apache-2.0

// Package standin is what a stand-in for gcloud prints: the words that it was executed with, in a form
// that keeps each byte.
package standin

import (
	"encoding/json"
	"fmt"
	"io"
)

// Print writes the words as a JSON list of base64: JSON alone would replace what isn't UTF-8.
func Print(w io.Writer, words []string) error {
	encoded := make([][]byte, len(words))
	for i, word := range words {
		encoded[i] = []byte(word)
	}
	return json.NewEncoder(w).Encode(encoded)
}

// Read returns the words that were printed.
func Read(printed []byte) ([]string, error) {
	var encoded [][]byte
	if err := json.Unmarshal(printed, &encoded); err != nil {
		return nil, fmt.Errorf("reading the words that the stand-in printed: %w", err)
	}
	words := make([]string, len(encoded))
	for i, word := range encoded {
		words[i] = string(word)
	}
	return words, nil
}
