// SPDX-License-Identifier: Apache-2.0

package command

import (
	"slices"
	"strings"

	"github.com/gcloud-operator/gcloud-operator/internal/command/tree"
)

// Parse splits a line into words and parses them as gcloud's own parser would, with no rule applied. The violations say
// why gcloud, or the quoting, refuses the line; the command then holds what was understood, and is not to be executed.
func Parse(line string) (Command, []Violation) {
	words, violations := tokenise(line)
	if len(violations) == 0 {
		violations = firstWord(words)
	}
	if len(violations) > 0 {
		return guess(words), violations
	}
	return parse(tree.Load(), words)
}

// parse parses words, of which the first is gcloud.
func parse(t *tree.Tree, words []string) (Command, []Violation) {
	p := &parser{
		command:   Command{Argv: words},
		specified: map[string]bool{},
		written:   map[*tree.Arg]int{},
		keys:      map[string]map[string]bool{},
	}
	p.descend(t.Root, words[1:])
	p.finish()
	return p.command, p.violations
}

// parser goes down the tree, a level for each group, as argparse does with its nested parsers.
type parser struct {
	command    Command
	violations []Violation
	deepest    *tree.Node                 // reached so far
	specified  map[string]bool            // destinations that were written
	written    map[*tree.Arg]int          // how often a flag was written
	keys       map[string]map[string]bool // keys given so far, by the destination of a flag that merges them
	stopped    bool                       // a flag such as --help was met: gcloud reads no further
	lost       bool                       // the command isn't known: nothing more can be said
}

// finish checks what can only be checked at the end.
func (p *parser) finish() {
	if p.lost {
		return
	}
	setPath(&p.command, p.deepest.Canonical())
	p.command.node = p.deepest
	switch {
	case p.stopped:
	case p.deepest.Group:
		p.incomplete()
	default:
		p.constraints()
	}
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
