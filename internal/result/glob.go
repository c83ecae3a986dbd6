// SPDX-License-Identifier: Apache-2.0

package result

import (
	"fmt"
	"path"
	"strings"
)

// CheckGlob says what is wrong with a pattern of Task.OutputFiles: it is a
// relative, slash-separated path without "." or ".." in which each segment is a
// path.Match pattern, or "**" for any number of folders, none included.
func CheckGlob(pattern string) error {
	if dir, ok := strings.CutSuffix(pattern, "/"); ok && dir != "" {
		return fmt.Errorf("%q names a folder: write %q for all files below it", pattern, dir+"/**")
	}
	for segment := range strings.SplitSeq(pattern, "/") {
		switch segment {
		case "":
			return fmt.Errorf("%q has an empty segment: write a path relative to the working directory", pattern)
		case ".", "..":
			return fmt.Errorf("%q has a segment %q: write a path below the working directory, without it", pattern, segment)
		}
		if _, err := path.Match(segment, ""); err != nil {
			return fmt.Errorf("%q has a bracket or a backslash that nothing ends: put a backslash before it", pattern)
		}
	}
	return nil
}

// MatchGlob reports whether the pattern, which CheckGlob has let pass, matches
// the whole of a slash-separated relative path.
func MatchGlob(pattern, name string) bool {
	segments := strings.Split(name, "/")
	// matched[i]: the pattern so far matches the first i segments.
	matched := make([]bool, len(segments)+1)
	matched[0] = true
	for p := range strings.SplitSeq(pattern, "/") {
		next := make([]bool, len(matched))
		for i, segment := range segments {
			if p == "**" {
				next[i] = matched[i] || i > 0 && next[i-1]
				next[i+1] = next[i] || matched[i+1]
				continue
			}
			ok, err := path.Match(p, segment)
			next[i+1] = matched[i] && ok && err == nil
		}
		matched = next
	}
	return matched[len(segments)]
}
