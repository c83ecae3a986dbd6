// SPDX-License-Identifier: Apache-2.0

package command

import (
	"regexp"
	"strings"
	"sync"

	"github.com/gcloud-operator/gcloud-operator/internal/command/tree"
)

// level is one of argparse's nested parsers at work: a group's or a command's. The algorithm is argparse's own, because
// where a word belongs depends on it: each word is an option (O), an argument (A) or the first "--" (-), positionals take
// what their pattern matches, and what is left over is unknown.
type level struct {
	*parser
	node        *tree.Node
	args        []string
	options     []*option // by the index of the word; nil for an argument
	pattern     string
	last        int         // index of the last option, -1 without one
	positionals []*tree.Arg // still to be filled; for a group, one that takes the command's name and all the rest
	extras      []int       // indices of words that belong to nothing
}

// option is a word that is a flag, or looks like one.
type option struct {
	flag  *tree.Arg // nil if the command has no such flag
	name  string
	value string
	glued bool // the value stands in the same word, after =
}

// subcommand stands for the command's name in a group, and what follows it.
var subcommand = &tree.Arg{NArgs: "A..."}

func (p *parser) descend(n *tree.Node, args []string) {
	p.deepest = n
	l := &level{parser: p, node: n, last: -1, positionals: n.Positionals}
	l.args = l.splitRemainder(args)
	if n.Group {
		l.positionals = []*tree.Arg{subcommand}
	}
	l.classify()
	l.consume()
	if !p.stopped {
		l.unknown()
	}
}

// splitRemainder sets apart what a command hands on to another program: all that stands after the first "--".
func (l *level) splitRemainder(args []string) []string {
	if l.node.Remainder == "" {
		return args
	}
	for i, a := range args {
		if a == "--" {
			l.command.Remainder = args[i+1:]
			return args[:i]
		}
	}
	return args
}

func (l *level) classify() {
	l.options = make([]*option, len(l.args))
	pattern := []byte(strings.Repeat("A", len(l.args)))
	for i, a := range l.args {
		if a == "--" {
			pattern[i] = '-'
			break
		}
		if o := l.option(a); o != nil {
			l.options[i], pattern[i], l.last = o, 'O', i
		}
	}
	l.pattern = string(pattern)
}

// negativeNumber are words that are arguments in spite of their hyphen, to Python's idea of digits.
var negativeNumber = regexp.MustCompile(`^-(?:\p{Nd}+|\p{Nd}*\.\p{Nd}+)\n?$`)

// option reads a word as a flag; nil if it is an argument.
func (l *level) option(word string) *option {
	if len(word) < 2 || word[0] != '-' {
		return nil
	}
	if f := l.node.Flag(word); f != nil {
		return &option{flag: f, name: word}
	}
	if name, value, ok := strings.Cut(word, "="); ok {
		if f := l.node.Flag(name); f != nil {
			return &option{flag: f, name: name, value: value, glued: true}
		}
	}
	if negativeNumber.MatchString(word) || strings.Contains(word, " ") {
		return nil
	}
	return &option{name: word}
}

// consume hands the words to flags and positionals by turns.
func (l *level) consume() {
	start := 0
	for start <= l.last && !l.stopped {
		next := l.nextOption(start)
		if start != next {
			if end := l.consumePositionals(start); end > start {
				start = end
				continue
			}
		}
		for ; start < next; start++ {
			l.extras = append(l.extras, start)
		}
		start = l.consumeOption(start)
	}
	if l.stopped {
		return
	}
	for i := l.consumePositionals(start); i < len(l.args); i++ {
		l.extras = append(l.extras, i)
	}
}

func (l *level) nextOption(i int) int {
	for l.options[i] == nil {
		i++
	}
	return i
}

// consumePositionals fills as many positionals as the words from start on match, and returns where the rest begins.
func (l *level) consumePositionals(start int) int {
	counts := match(l.positionals, l.pattern[start:])
	for i, n := range counts {
		l.positional(l.positionals[i], start, n)
		start += n
		if l.stopped {
			return start
		}
	}
	l.positionals = l.positionals[len(counts):]
	return start
}

// match says how many words each of the first positionals takes, of as many positionals as possible.
func match(positionals []*tree.Arg, pattern string) []int {
	for n := len(positionals); n > 0; n-- {
		found := positionalPattern(positionals[:n]).FindStringSubmatch(pattern)
		if found == nil {
			continue
		}
		counts := make([]int, n)
		for i := range counts {
			counts[i] = len(found[i+1])
		}
		return counts
	}
	return nil
}

// patterns caches the compiled patterns, of which the tree has some fifty.
var patterns sync.Map

func positionalPattern(positionals []*tree.Arg) *regexp.Regexp {
	var key strings.Builder
	for _, a := range positionals {
		key.WriteString(a.NArgs)
		key.WriteByte(' ')
	}
	if cached, ok := patterns.Load(key.String()); ok {
		return cached.(*regexp.Regexp)
	}
	var expr strings.Builder
	expr.WriteByte('^')
	for _, a := range positionals {
		expr.WriteString(nargsPattern(a.NArgs))
	}
	compiled := regexp.MustCompile(expr.String())
	patterns.Store(key.String(), compiled)
	return compiled
}

// nargsPattern is argparse's pattern of the words that a positional takes.
func nargsPattern(nargs string) string {
	switch nargs {
	case "":
		return "(-*A-*)"
	case "?":
		return "(-*A?-*)"
	case "*":
		return "(-*[A-]*)"
	case "+":
		return "(-*A[A-]*)"
	case subcommand.NArgs:
		return "(-*A[-AO]*)"
	}
	return "(-*" + strings.TrimSuffix(strings.Repeat("A-*", count(nargs)), "-*") + "-*)"
}

// positional hands n words to a positional.
func (l *level) positional(a *tree.Arg, start, n int) {
	words := l.args[start : start+n]
	if a == subcommand {
		l.subcommand(words)
		return
	}
	if n > 0 {
		l.specified[a.Dest] = true
	}
	for _, w := range words {
		if w == "--" {
			continue
		}
		l.command.Positionals = append(l.command.Positionals, Positional{Name: a.Metavar, Value: w})
		l.check(a, a.Metavar, w)
	}
}

// subcommand goes down to the group or command that the first word names.
func (l *level) subcommand(words []string) {
	child := l.node.Child(words[0])
	if child == nil {
		l.lost = true
		l.unknownCommand(words[0])
		return
	}
	l.descend(child, words[1:])
}
