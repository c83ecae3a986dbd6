// SPDX-License-Identifier: Apache-2.0

package command

import (
	"slices"
	"strings"

	"github.com/gcloud-operator/gcloud-operator/internal/command/tree"
)

// Command is a command line as gcloud understands it.
type Command struct {
	// Argv is what is to be executed, "gcloud" first. Nothing is added, left out or reordered.
	Argv []string

	// Track is the release track: "" for general availability, else "alpha", "beta" or "preview".
	Track string

	// Path is the command's words in their canonical spelling, without "gcloud" and the track: aliases are resolved.
	// Where the line names no known command, it holds the words that are known, and the unknown one.
	Path []string

	// Flags are the flags in the order in which they were written.
	Flags []Flag

	// Positionals are the arguments that are no flags.
	Positionals []Positional

	// Remainder is what stands after a "--" that hands everything on to another program.
	Remainder []string

	node *tree.Node // nil if the line names no known command
}

// Flag is one flag as written.
type Flag struct {
	Name   string   // canonical, such as "--zone"
	As     string   // as written, such as "-z" or "--no-async"
	Values []string // what belongs to it; empty for a boolean flag
	Equals bool     // its value was written with =
}

// Positional is one argument that is no flag.
type Positional struct {
	Name  string // the argument's name in gcloud's help, such as "INSTANCE_NAMES"
	Value string
}

// Words are the command's canonical words after "gcloud", the release track first.
func (c Command) Words() []string {
	if c.Track == "" {
		return c.Path
	}
	return append([]string{c.Track}, c.Path...)
}

// Name is the command as a user would say it: "gcloud beta compute instances list".
func (c Command) Name() string {
	return strings.Join(append([]string{"gcloud"}, c.Words()...), " ")
}

// Flag returns the value of the flag as gcloud takes it, the last one written, and whether the flag was written.
func (c Command) Flag(name string) (value string, written bool) {
	for _, f := range c.Flags {
		if f.Name != name {
			continue
		}
		value, written = strings.Join(f.Values, " "), true
	}
	return value, written
}

// setPath writes a command's or group's canonical words into c.
func setPath(c *Command, n *tree.Node) {
	c.Path, c.Track = n.Path(), ""
	if len(c.Path) > 0 && slices.Contains(tracks, c.Path[0]) {
		c.Track, c.Path = c.Path[0], c.Path[1:]
	}
}
