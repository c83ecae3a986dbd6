// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gcloud-operator/gcloud-operator/internal/command/tree"
)

// source is what introspect.py writes.
type source struct {
	SDK    string            `json:"sdk"`
	Flags  []arg             `json:"flags"`
	Types  []json.RawMessage `json:"types"`
	Groups []json.RawMessage `json:"groups"`
	Sets   [][]int           `json:"sets"`
	Tree   *node             `json:"tree"`
}

type arg struct {
	Names      []string `json:"n"`
	Metavar    string   `json:"m"`
	Dest       string   `json:"d"`
	NArgs      any      `json:"na"`
	Type       *int     `json:"t"`
	Choices    []string `json:"c"`
	Hidden     int      `json:"h"`
	Local      int      `json:"l"`
	Deprecated int      `json:"dep"`
	Gone       int      `json:"gone"`
	Action     string   `json:"a"`
	Prop       string   `json:"prop"`
}

type node struct {
	Set         int              `json:"f"`
	Hidden      int              `json:"h"`
	Dynamic     int              `json:"dyn"`
	Positionals []int            `json:"p"`
	Remainder   string           `json:"rem"`
	Group       *int             `json:"r"`
	Source      string           `json:"src"`
	Children    map[string]*node `json:"s"`

	number int
	path   []string
}

func (n *node) names() []string { return slices.Sorted(maps.Keys(n.Children)) }

// count is the number of groups, or of commands.
func (s *source) count(groups bool) int {
	total := 0
	s.Tree.walk(func(n *node) {
		if (n.Children != nil) == groups {
			total++
		}
	})
	return total
}

// walk visits the node and everything below it, in the order in which they are written.
func (n *node) walk(visit func(*node)) {
	visit(n)
	for _, name := range n.names() {
		n.Children[name].walk(visit)
	}
}

// packer writes the format that internal/command/tree reads.
type packer struct {
	out     bytes.Buffer
	strings map[string]int
	aliases map[*node]*node
}

func pack(s *source) ([]byte, error) {
	s.sortFlags()
	s.numberTypes()
	if err := s.numberGroups(); err != nil {
		return nil, err
	}
	p := &packer{strings: map[string]int{}, aliases: aliases(s.Tree)}
	p.text(s.SDK)
	table := s.strings()
	p.uint(len(table))
	for i, text := range table {
		p.strings[text] = i
		p.text(text)
	}
	if err := p.json(s.Types, func() any { return new(tree.Type) }); err != nil {
		return nil, err
	}
	if err := p.json(s.Groups, func() any { return new(tree.Group) }); err != nil {
		return nil, err
	}
	p.uint(len(s.Flags))
	for _, a := range s.Flags {
		if err := p.arg(a); err != nil {
			return nil, fmt.Errorf("%v: %w", a.Names, err)
		}
	}
	p.uint(len(s.Sets))
	for _, set := range s.Sets {
		p.set(set)
	}
	p.node("", s.Tree)
	return compress(p.out.Bytes())
}

func compress(data []byte) ([]byte, error) {
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(data); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return packed.Bytes(), nil
}

// sortFlags orders the flags by their canonical name, so that the flags of each command are in that order too: the reader
// searches them by halves.
func (s *source) sortFlags() {
	order := make([]int, len(s.Flags))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return strings.Compare(s.Flags[a].name(), s.Flags[b].name()) })
	sorted, moved := make([]arg, len(order)), make([]int, len(order))
	for to, from := range order {
		sorted[to], moved[from] = s.Flags[from], to
	}
	s.Flags = sorted
	rename := func(ids []int) {
		for i, id := range ids {
			ids[i] = moved[id]
		}
	}
	for _, set := range s.Sets {
		rename(set)
		slices.Sort(set)
	}
	s.Tree.walk(func(n *node) { rename(n.Positionals) })
}

// numberTypes numbers the types in the order of the flags, which doesn't depend on the order of reading.
func (s *source) numberTypes() {
	var types []json.RawMessage
	moved := map[int]int{}
	for i, a := range s.Flags {
		if a.Type == nil {
			continue
		}
		to, ok := moved[*a.Type]
		if !ok {
			to = len(types)
			moved[*a.Type] = to
			types = append(types, s.Types[*a.Type])
		}
		s.Flags[i].Type = &to
	}
	s.Types = types
}

// numberGroups sorts the members of each group, some of which gcloud takes from sets that have another order each time,
// and numbers the groups in the order of the tree.
func (s *source) numberGroups() error {
	var groups []json.RawMessage
	numbers := map[string]int{}
	var failed error
	s.Tree.walk(func(n *node) {
		if n.Group == nil || failed != nil {
			return
		}
		text, err := sorted(s.Groups[*n.Group])
		if err != nil {
			failed = err
			return
		}
		i, ok := numbers[text]
		if !ok {
			i = len(groups)
			numbers[text] = i
			groups = append(groups, json.RawMessage(text))
		}
		n.Group = &i
	})
	s.Groups = groups
	return failed
}

// sorted is a group with its members in order, at every depth.
func sorted(text json.RawMessage) (string, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	var g tree.Group
	if err := d.Decode(&g); err != nil {
		return "", fmt.Errorf("%s: %w", text, err)
	}
	sortMembers(&g)
	out, err := json.Marshal(&g)
	return string(out), err
}

func sortMembers(g *tree.Group) {
	for _, m := range g.Of {
		sortMembers(m)
	}
	slices.SortFunc(g.Of, func(a, b *tree.Group) int { return strings.Compare(a.Describe()+a.Dest, b.Describe()+b.Dest) })
}

func (a arg) name() string {
	if len(a.Names) > 0 {
		return a.Names[0]
	}
	return ""
}

// strings are all strings that are referred to, sorted, so that the order of reading doesn't matter.
func (s *source) strings() []string {
	seen := map[string]bool{"": true}
	for _, a := range s.Flags {
		for _, text := range slices.Concat(a.Names, a.Choices, []string{a.Metavar, a.Dest, a.Prop, nargs(a.NArgs)}) {
			seen[text] = true
		}
	}
	s.Tree.walk(func(n *node) {
		seen[n.Remainder] = true
		for name := range n.Children {
			seen[name] = true
		}
	})
	return slices.Sorted(maps.Keys(seen))
}

func nargs(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case float64:
		return fmt.Sprint(int(v))
	}
	return fmt.Sprint(v)
}

func (p *packer) uint(n int) { p.out.Write(binary.AppendUvarint(nil, uint64(n))) }

func (p *packer) text(s string) {
	p.uint(len(s))
	p.out.WriteString(s)
}

func (p *packer) ref(s string) { p.uint(p.strings[s]) }

func (p *packer) refs(all []string) {
	p.uint(len(all))
	for _, s := range all {
		p.ref(s)
	}
}

// json writes JSON values, each of which must be one that the reader knows all fields of.
func (p *packer) json(values []json.RawMessage, into func() any) error {
	p.uint(len(values))
	for _, v := range values {
		d := json.NewDecoder(bytes.NewReader(v))
		d.DisallowUnknownFields()
		if err := d.Decode(into()); err != nil {
			return fmt.Errorf("%s: %w", v, err)
		}
		p.text(string(v))
	}
	return nil
}

func (p *packer) arg(a arg) error {
	action, ok := map[string]tree.Action{"": tree.Store, "exit": tree.Exit, "once": tree.Once, "update": tree.Update}[a.Action]
	if !ok {
		return fmt.Errorf("unknown action %q", a.Action)
	}
	p.refs(a.Names)
	for _, s := range []string{a.Metavar, a.Dest, nargs(a.NArgs), a.Prop} {
		p.ref(s)
	}
	p.refs(a.Choices)
	p.uint(int(action))
	p.uint(a.Hidden | a.Local<<1 | a.Deprecated<<2 | a.Gone<<3)
	if a.Type == nil {
		p.uint(0)
	} else {
		p.uint(*a.Type + 1)
	}
	return nil
}

func (p *packer) set(ids []int) {
	p.uint(len(ids))
	last := 0
	for _, id := range ids {
		p.uint(id - last)
		last = id
	}
}

func (p *packer) node(name string, n *node) {
	p.ref(name)
	p.ref(n.Remainder)
	bits := n.Hidden<<1 | n.Dynamic<<2
	if n.Children != nil {
		bits |= 1
	}
	p.uint(bits)
	p.uint(n.Set)
	p.uint(len(n.Positionals))
	for _, id := range n.Positionals {
		p.uint(id)
	}
	if n.Group == nil {
		p.uint(0)
	} else {
		p.uint(*n.Group + 1)
	}
	if canonical := p.aliases[n]; canonical == nil {
		p.uint(0)
	} else {
		p.uint(canonical.number + 1)
	}
	p.uint(len(n.Children))
	for _, child := range n.names() {
		p.node(child, n.Children[child])
	}
}

// aliases finds, for each node that is defined in the same file as another one in its track, the one whose name is that
// of the file.
func aliases(root *node) map[*node]*node {
	number := 0
	root.walk(func(n *node) {
		n.number = number
		number++
		for name, child := range n.Children {
			child.path = append(slices.Clone(n.path), name)
		}
	})
	bySource := map[string][]*node{}
	root.walk(func(n *node) {
		if n.Source != "" {
			key := track(n.path) + n.Source
			bySource[key] = append(bySource[key], n)
		}
	})
	out := map[*node]*node{}
	for _, same := range bySource {
		canonical := slices.MaxFunc(same, func(a, b *node) int { return a.likeness() - b.likeness() })
		for _, n := range same {
			if n != canonical && (n.Children != nil) == (canonical.Children != nil) {
				out[n] = canonical
			}
		}
	}
	return out
}

func track(path []string) string {
	if slices.Contains([]string{"alpha", "beta", "preview"}, path[0]) {
		return path[0] + " "
	}
	return ""
}

// likeness counts the words of a node's path that stand in the path of the file that defines it.
func (n *node) likeness() int {
	words := strings.FieldsFunc(n.Source, func(r rune) bool { return strings.ContainsRune("/.|", r) })
	count := 0
	for _, w := range n.path {
		if slices.Contains(words, strings.ReplaceAll(w, "-", "_")) {
			count++
		}
	}
	return count - len(n.path)
}
