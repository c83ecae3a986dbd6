// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gcloud-operator/gcloud-operator/internal/command/tree"
)

// unknown refuses the words that belong to nothing. The word after an unknown flag is taken as its value.
func (l *level) unknown() {
	after := -1
	for _, i := range l.extras {
		word := l.args[i]
		switch {
		case strings.HasPrefix(word, "-") && l.options[i] != nil:
			l.unknownFlag(word)
			if !strings.Contains(word, "=") {
				after = i + 1
			}
		case i != after && !l.lost:
			l.surplus(word)
		}
	}
}

func (l *level) unknownFlag(word string) {
	name, value, glued := strings.Cut(word, "=")
	message := fmt.Sprintf("%s has no flag %s", nodeName(l.node), shorten(name))
	l.refuse(UnknownFlag, word, message, l.flagFix(name, value, glued))
}

// maxSuggestions is how many misspelt flags of a command get a suggestion, which takes some ten microseconds each.
const maxSuggestions = 10

func (l *level) flagFix(name, value string, glued bool) string {
	if l.node.Group {
		if near := l.below(name); near != "" {
			return fmt.Sprintf("Write %s after the command's name, as %s takes it.", name, near)
		}
	}
	if f := l.node.Flag(strings.ReplaceAll(name, "_", "-")); f != nil {
		return fmt.Sprintf("Write %s, with hyphens.", f.Name())
	}
	if split := l.apart(name); split != "" && !glued {
		return fmt.Sprintf("Write %s.", split)
	}
	if len(l.violations) > maxSuggestions {
		return fmt.Sprintf("Leave it out; %s --help shows the flags.", nodeName(l.node))
	}
	if near := Nearest(name, visibleFlags(l.node)); near != "" {
		return "Write " + near + valueHint(l.node.Flag(near), value, glued) + "."
	}
	if track := l.otherTrack(func(n *tree.Node) bool { return n.Flag(name) != nil }); track != "" {
		return fmt.Sprintf("%s has it.", track)
	}
	return fmt.Sprintf("Leave it out; %s --help shows the flags.", nodeName(l.node))
}

// below names the command that the words name, if it has the flag: the flag was written too early.
func (l *level) below(flag string) string {
	n := l.node
	for i, a := range l.args {
		if l.options[i] != nil {
			continue
		}
		child := n.Child(a)
		if child == nil {
			break
		}
		n = child
	}
	if n.Group || n.Flag(flag) == nil {
		return ""
	}
	return nodeName(n)
}

// apart writes short flags that stand in one word, or a short flag with its value, as gcloud takes them; "" if the word
// isn't that.
func (l *level) apart(word string) string {
	if len(word) < 3 || strings.HasPrefix(word, "--") {
		return ""
	}
	first := l.node.Flag(word[:2])
	if first == nil {
		return ""
	}
	if !first.Boolean() {
		return word[:2] + "=" + quoteWord(word[2:])
	}
	var all []string
	for _, r := range word[1:] {
		short := "-" + string(r)
		if l.node.Flag(short) == nil {
			return ""
		}
		all = append(all, short)
	}
	return strings.Join(all, " ")
}

func visibleFlags(n *tree.Node) []string {
	var names []string
	for _, f := range n.Flags() {
		if !f.Hidden {
			names = append(names, f.Names...)
		}
	}
	return names
}

func valueHint(f *tree.Arg, value string, glued bool) string {
	switch {
	case f.Boolean():
		return ""
	case glued:
		return "=" + quoteWord(shorten(value))
	}
	return "=VALUE"
}

// surplus refuses a word that no positional takes.
func (l *level) surplus(word string) {
	if l.node.Group {
		return // the command's name before it is unknown already
	}
	fix := "Leave it out"
	if len(l.command.Flags) > 0 || len(l.node.Positionals) > 0 {
		fix += ", or put quotes round a value that has blanks"
	}
	if isDash([]rune(word + " ")[0]) {
		fix = fmt.Sprintf("Write %s with hyphen-minuses", strings.Repeat("-", 2)+strings.TrimLeftFunc(word, isDash))
	}
	takes := "takes no argument"
	if len(l.node.Positionals) > 0 {
		names := make([]string, len(l.node.Positionals))
		for i, a := range l.node.Positionals {
			names[i] = a.Metavar
		}
		takes = "takes " + strings.Join(names, " ") + " only, written together"
	}
	l.refuse(UnexpectedArgument, word, fmt.Sprintf("%q belongs to nothing: %s %s", shorten(word), nodeName(l.node), takes), fix+".")
}

// unknownCommand refuses a word that names nothing in a group.
func (l *level) unknownCommand(word string) {
	message := fmt.Sprintf("%s has no command %q", nodeName(l.node), shorten(word))
	setPath(&l.command, l.node.Canonical())
	l.command.Path = append(l.command.Path, word)
	l.command.Flags = guess(l.command.Argv).Flags
	l.refuse(UnknownCommand, word, message, l.commandFix(word))
}

func (l *level) commandFix(word string) string {
	if child := l.node.Child(strings.ToLower(strings.ReplaceAll(word, "_", "-"))); child != nil {
		return fmt.Sprintf("Write %s.", nodeName(child))
	}
	if word == "--" {
		return "Remove the --: it may stand only after the command."
	}
	if track := l.otherTrack(func(n *tree.Node) bool { return n.Child(word) != nil && !n.Child(word).Hidden }); track != "" {
		return fmt.Sprintf("Write %s %s.", track, word)
	}
	var names []string
	for _, c := range l.node.Children {
		if !c.Hidden {
			names = append(names, c.Name)
		}
	}
	if near := Nearest(word, names); near != "" {
		return fmt.Sprintf("Write %s.", nodeName(l.node.Child(near)))
	}
	return fmt.Sprintf("Write one of %s.", list(names))
}

// otherTrack names the same command or group in the first other release track where it is as wanted.
func (l *level) otherTrack(wanted func(*tree.Node) bool) string {
	path := l.node.Path()
	own := ""
	if len(path) > 0 && slices.Contains(tracks, path[0]) {
		own, path = path[0], path[1:]
	}
	for _, track := range append([]string{""}, tracks...) {
		n := l.node
		for n.Parent != nil {
			n = n.Parent
		}
		if track != "" {
			n = n.Child(track)
		}
		for _, word := range path {
			if n != nil {
				n = n.Child(word)
			}
		}
		if track != own && n != nil && wanted(n) {
			return nodeName(n)
		}
	}
	return ""
}

// incomplete refuses a command line that ends in a group.
func (p *parser) incomplete() {
	var names []string
	for _, c := range p.deepest.Children {
		if !c.Hidden {
			names = append(names, c.Name)
		}
	}
	p.refuse(UnknownCommand, nodeName(p.deepest), fmt.Sprintf("%s is a group; the command's name is missing", nodeName(p.deepest)), fmt.Sprintf("Add one of %s.", list(names)))
}

func nodeName(n *tree.Node) string {
	return strings.Join(append([]string{program}, n.Path()...), " ")
}
