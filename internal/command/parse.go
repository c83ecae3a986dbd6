// SPDX-License-Identifier: Apache-2.0

package command

import (
	"slices"
	"strings"
)

// Parse splits a line into words and parses them as gcloud's own parser would, with no rule applied. The violations say
// why gcloud, or the quoting, refuses the line; the command then holds what was understood, and is not to be executed.
func Parse(line string) (Command, []Violation) {
	words, violations := tokenise(line)
	if len(violations) > 0 {
		return guess(words), violations
	}
	if v := firstWord(words); len(v) > 0 {
		return guess(words), v
	}
	return guess(words), nil
}

// guess finds what can be said of words that were not parsed: enough for the rules that only look at words.
func guess(words []string) Command {
	c := Command{Argv: words}
	for i, w := range words {
		switch {
		case i == 0 && w == program, w == "":
		case w[0] == '-':
			c.Flags = append(c.Flags, guessFlag(w))
		case c.Track == "" && len(c.Path) == 0 && slices.Contains(tracks, w):
			c.Track = w
		default:
			c.Path = append(c.Path, w)
		}
	}
	return c
}

// guessFlag splits a word that begins with a hyphen at its first =.
func guessFlag(word string) Flag {
	name, value, equals := strings.Cut(word, "=")
	f := Flag{Name: name, As: name, Equals: equals}
	if equals {
		f.Values = []string{value}
	}
	return f
}
