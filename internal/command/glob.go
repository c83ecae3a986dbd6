// SPDX-License-Identifier: Apache-2.0

package command

import "strings"

// globMatches says whether a pattern, in which * stands for any text, is all of s.
func globMatches(pattern, s string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == s
	}
	first, last := parts[0], parts[len(parts)-1]
	if len(s) < len(first)+len(last) || !strings.HasPrefix(s, first) || !strings.HasSuffix(s, last) {
		return false
	}
	s = s[len(first) : len(s)-len(last)]
	for _, part := range parts[1 : len(parts)-1] {
		i := strings.Index(s, part)
		if i < 0 {
			return false
		}
		s = s[i+len(part):]
	}
	return true
}

func anyGlobMatches(patterns []string, s string) bool {
	for _, p := range patterns {
		if globMatches(p, s) {
			return true
		}
	}
	return false
}
