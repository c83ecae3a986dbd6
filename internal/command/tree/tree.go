// SPDX-License-Identifier: Apache-2.0

// Package tree holds the command tree of the pinned Google Cloud SDK: what gcloud's own parser knows of each command, its
// flags and its positionals. hack/commandtree generates the embedded data; docs/design/command-tree.md explains it.
package tree

import (
	"slices"
	"strings"
)

// Tree is the whole of gcloud's commands.
type Tree struct {
	SDK  string // version of the Google Cloud SDK
	Root *Node
}

// Node is one command, or one group of commands.
type Node struct {
	Name      string
	Parent    *Node
	Children  []*Node // of a group, sorted by name
	Group     bool
	Hidden    bool
	Dynamic   bool   // takes further flags that depend on a value: its flags can't all be known
	Remainder string // name of what is handed on after "--"; "" if nothing is

	// Positionals are the arguments that are no flags, in order.
	Positionals []*Arg

	alias *Node  // the same command under its canonical name
	flags []*Arg // sorted by their canonical names
	group *lazy[Group]
}

// Arg is one flag or positional.
type Arg struct {
	Names   []string // of a flag, the canonical one first; empty for a positional
	Metavar string   // of a positional
	Dest    string   // what the flag sets; several flags can set the same
	NArgs   string   // "" for one value, a number, "?", "*" or "+"
	Choices []string // what a value must be one of, if any
	Action  Action
	Prop    string // the property of gcloud that the flag sets, such as "core/project"

	Hidden     bool
	Local      bool // may name a file on the machine where gcloud runs
	Deprecated bool
	Removed    bool // writing it is an error

	kind *lazy[Type]
}

// Action is what a flag does beyond storing its value.
type Action uint8

const (
	Store  Action = iota
	Exit          // prints something and ends, as --help does
	Once          // may be written once only
	Update        // merges keys, each of which may be written once only
)

// Child is the command or group of that name directly below n, or nil.
func (n *Node) Child(name string) *Node {
	i, found := slices.BinarySearchFunc(n.Children, name, func(c *Node, name string) int { return strings.Compare(c.Name, name) })
	if !found {
		return nil
	}
	return n.Children[i]
}

// Flag is the flag of the command that may be written as name, or nil. Global flags are among a command's flags.
func (n *Node) Flag(name string) *Arg {
	i, found := slices.BinarySearchFunc(n.flags, name, func(f *Arg, name string) int { return strings.Compare(f.Names[0], name) })
	if found {
		return n.flags[i]
	}
	for _, f := range n.flags {
		if len(f.Names) > 1 && slices.Contains(f.Names[1:], name) {
			return f
		}
	}
	return nil
}

// Flags are all flags of the command, the global ones included. The caller must not change the slice.
func (n *Node) Flags() []*Arg { return n.flags }

// Constraints are the required arguments and the groups of arguments that are checked together; nil if there are none.
func (n *Node) Constraints() *Group { return n.group.get() }

// Canonical is the command itself, or the command whose alias it is.
func (n *Node) Canonical() *Node {
	if n.alias != nil {
		return n.alias
	}
	return n
}

// Path are the words after "gcloud" that name the command.
func (n *Node) Path() []string {
	if n.Parent == nil {
		return nil
	}
	return append(n.Parent.Path(), n.Name)
}

// Name is the argument's name as messages show it.
func (a *Arg) Name() string {
	if len(a.Names) > 0 {
		return a.Names[0]
	}
	return a.Metavar
}

// Type is what the argument's values are checked against; nil if any string will do.
func (a *Arg) Type() *Type { return a.kind.get() }

// Boolean says whether the flag takes no value.
func (a *Arg) Boolean() bool { return a.NArgs == "0" }
