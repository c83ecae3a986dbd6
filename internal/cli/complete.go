// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/command/tree"
)

// completionScript is what kubectl asks for completions of the plugin: it has to be on the PATH, as an executable file
// of the name kubectl_complete-gcloud.
const completionScript = `#!/bin/sh
# Completions for kubectl gcloud: put this on your PATH as kubectl_complete-gcloud, executable.
exec kubectl-gcloud ` + completeWord + ` "$@"
`

// What kubectl, and the shell through it, does with completions: the numbers are cobra's.
const (
	fileNames   = 0 // completes names of files when there are no others
	noSpace     = 2 // sets no blank behind
	noFileNames = 4
)

// complete prints the words that can stand in place of the last one, as kubectl asks for them.
func complete(ctx context.Context, words []string, out io.Writer) {
	found, directive := completions(words, func(o options) []string { return runNames(ctx, o) })
	for _, word := range found {
		fmt.Fprintln(out, word)
	}
	fmt.Fprintf(out, ":%d\n", directive)
}

// completions are the words that can stand in place of the last one. runs are the names of those that are there.
func completions(words []string, runs func(options) []string) ([]string, int) {
	if len(words) == 0 {
		return nil, noFileNames
	}
	before, last := words[:len(words)-1], words[len(words)-1]
	o, gcloud, err := parseRun(before)
	switch {
	case err != nil:
		return nil, fileNames // a flag whose value is wanted, or one that isn't known
	case len(gcloud) == 0 && !o.dashed:
		return completeFirst(last)
	case len(gcloud) > 0 && !o.dashed && gcloud[0] == lintWord:
		return nil, fileNames
	case len(gcloud) > 0 && !o.dashed:
		if i := slices.IndexFunc(verbs(), func(v verb) bool { return v.name == gcloud[0] }); i >= 0 {
			return completeVerb(verbs()[i], withoutWord(before, gcloud), last, runs)
		}
	}
	return completeGcloud(gcloud, last)
}

// completeFirst is for the first word, which is the plugin's or gcloud's, or for a flag of the plugin's.
func completeFirst(last string) ([]string, int) {
	if strings.HasPrefix(last, "-") {
		return ownFlag(runFlags(&options{}), last)
	}
	return beginning(append(ownWords(), children(tree.Load().Root)...), last), noFileNames
}

func completeVerb(v verb, before []string, last string, runs func(options) []string) ([]string, int) {
	var o options
	flags := newFlags(&o)
	v.flags(flags, &o)
	if strings.HasPrefix(last, "-") {
		return ownFlag(flags, last)
	}
	if err := flags.Parse(before); err != nil {
		return nil, fileNames // a flag whose value is wanted
	}
	if v.args == "" || flags.NArg() > 0 {
		return nil, noFileNames
	}
	return beginning(runs(o), last), noFileNames
}

// ownFlag completes the name of a flag of the plugin's; values are names of files.
func ownFlag(flags *pflag.FlagSet, last string) ([]string, int) {
	if strings.Contains(last, "=") {
		return nil, fileNames
	}
	var found []string
	flags.VisitAll(func(f *pflag.Flag) {
		switch {
		case f.Hidden:
		case f.NoOptDefVal != "":
			found = append(found, "--"+f.Name)
		default:
			found = append(found, "--"+f.Name+"=")
		}
	})
	return beginning(found, last), spacing(beginning(found, last))
}

// completeGcloud completes the words of a gcloud command, its flags, and their values where only some are possible.
func completeGcloud(words []string, last string) ([]string, int) {
	node := tree.Load().Root
	for _, word := range words {
		if child := node.Child(word); child != nil {
			node = child
		}
	}
	name, value, valued := strings.Cut(last, "=")
	switch {
	case valued && strings.HasPrefix(name, "--"):
		return completeValue(node, name, value)
	case strings.HasPrefix(last, "-"):
		found := beginning(flagNames(node), last)
		return found, spacing(found)
	case node.Group:
		return beginning(children(node), last), noFileNames
	}
	return nil, fileNames
}

func completeValue(node *tree.Node, name, value string) ([]string, int) {
	flag := node.Flag(name)
	if flag == nil || len(flag.Choices) == 0 {
		return nil, fileNames
	}
	return beginning(flag.Choices, value), noFileNames
}

// children are the commands and groups below a group that stand in gcloud's documentation.
func children(n *tree.Node) []string {
	var names []string
	for _, c := range n.Children {
		if !c.Hidden {
			names = append(names, c.Name)
		}
	}
	return names
}

// flagNames are the command's flags, those that take a value with the = that has to follow.
func flagNames(n *tree.Node) []string {
	var names []string
	for _, f := range n.Flags() {
		switch {
		case f.Hidden || f.Removed:
		case f.Boolean():
			names = append(names, f.Name())
		default:
			names = append(names, f.Name()+"=")
		}
	}
	return names
}

// spacing leaves no blank behind a flag that waits for its value.
func spacing(found []string) int {
	if len(found) == 1 && strings.HasSuffix(found[0], "=") {
		return noSpace | noFileNames
	}
	return noFileNames
}

func beginning(names []string, with string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !strings.HasPrefix(name, with) })
}

// listPatience is how long somebody waits who has pressed the tabulator.
const listPatience = 3 * time.Second

// runNames are the names of the runs in the namespace; none where they can't be had.
func runNames(ctx context.Context, o options) []string {
	ctx, cancel := context.WithTimeout(ctx, listPatience)
	defer cancel()
	s, err := connect(o, Streams{Out: io.Discard, Err: io.Discard}, nil)
	if err != nil {
		return nil
	}
	list := &v1alpha1.GcloudRunList{}
	if err := s.client.List(ctx, list, client.InNamespace(s.namespace)); err != nil {
		return nil
	}
	newestFirst(list.Items)
	var names []string
	for _, g := range list.Items {
		names = append(names, g.Name)
	}
	return names
}
