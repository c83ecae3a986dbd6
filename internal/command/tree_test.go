// SPDX-License-Identifier: Apache-2.0

package command

import (
	"slices"

	"github.com/gcloud-operator/gcloud-operator/internal/command/tree"
)

func existsInSomeTrack(words []string) bool {
	for _, track := range slices.Concat([]string{""}, tracks) {
		n := tree.Load().Root
		if track != "" {
			n = n.Child(track)
		}
		for _, w := range words {
			if n != nil {
				n = n.Child(w)
			}
		}
		if n != nil {
			return true
		}
	}
	return false
}

// allFlags are the spellings of all flags of all commands.
func allFlags(n *tree.Node, into map[string]bool) map[string]bool {
	for _, f := range n.Flags() {
		for _, name := range f.Names {
			into[name] = true
		}
	}
	for _, c := range n.Children {
		allFlags(c, into)
	}
	return into
}
