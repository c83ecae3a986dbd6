// SPDX-License-Identifier: Apache-2.0

package command

import (
	"slices"
	"strings"
)

// Nearest is the name that was probably meant by a misspelt one: the shortest that it abbreviates, or the one with the
// fewest edits, of which there may be one for every three characters. "" if none is near.
func Nearest(misspelt string, names []string) string {
	best, distance := "", max(1, len(misspelt)/3)+1
	for _, name := range names {
		if abbreviates(misspelt, name) && (best == "" || len(name) < len(best)) {
			best = name
		}
	}
	if best != "" {
		return best
	}
	for _, name := range names {
		if d := edits(misspelt, name, distance); d < distance {
			best, distance = name, d
		}
	}
	return best
}

// abbreviates says whether short is the beginning of name, and long enough to mean it.
func abbreviates(short, name string) bool {
	return len(strings.TrimLeft(short, "-")) >= 3 && strings.HasPrefix(name, short)
}

// edits is the number of characters to insert, delete, replace or swap with their neighbour to make b of a; limit if it
// is not less than that.
func edits(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		if slices.Min(row) >= limit {
			return limit
		}
		before, last, row = last, row, before
	}
	return min(last[len(b)], limit)
}
