// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"strings"
	"sync"
)

//go:embed tree.bin.gz
var embedded []byte

// Load returns the embedded tree. The first call decodes it, which takes some ten milliseconds.
var Load = sync.OnceValue(func() *Tree {
	t, err := Decode(Embedded())
	if err != nil {
		panic(fmt.Sprintf("embedded command tree: %v", err)) // a test decodes it
	}
	return t
})

// Decode reads what hack/commandtree wrote.
func Decode(r io.Reader) (*Tree, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("reading the command tree: %w", err)
	}
	var text strings.Builder
	if _, err := io.Copy(&text, z); err != nil {
		return nil, fmt.Errorf("reading the command tree: %w", err)
	}
	d := &treeDecoder{in: decoder{data: text.String()}}
	t := d.tree()
	return t, d.in.err
}

// treeDecoder holds the tables that nodes refer to.
type treeDecoder struct {
	in      decoder
	strings []string
	types   []*lazy[Type]
	groups  []*lazy[Group]
	args    []*Arg
	sets    [][]*Arg
	nodes   []*Node
	aliases map[*Node]int
}

func (d *treeDecoder) tree() *Tree {
	t := &Tree{SDK: d.in.string()}
	d.strings = table(&d.in, d.in.string)
	d.types = table(&d.in, func() *lazy[Type] { return &lazy[Type]{text: d.in.string()} })
	d.groups = table(&d.in, func() *lazy[Group] { return &lazy[Group]{text: d.in.string()} })
	d.args = table(&d.in, d.arg)
	d.sets = table(&d.in, d.set)
	d.aliases = map[*Node]int{}
	t.Root = d.node(nil)
	for n, i := range d.aliases {
		n.alias = at(&d.in, d.nodes, i)
	}
	return t
}

func (d *treeDecoder) ref() string { return at(&d.in, d.strings, d.in.uint()) }

func (d *treeDecoder) arg() *Arg {
	a := &Arg{Names: table(&d.in, d.ref), Metavar: d.ref(), Dest: d.ref(), NArgs: d.ref(), Prop: d.ref()}
	a.Choices = table(&d.in, d.ref)
	a.Action = Action(d.in.uint())
	bits := d.in.uint()
	a.Hidden, a.Local, a.Deprecated, a.Removed = bits&1 != 0, bits&2 != 0, bits&4 != 0, bits&8 != 0
	if i := d.in.uint(); i > 0 {
		a.kind = at(&d.in, d.types, i-1)
	}
	return a
}

// set reads the flags of a command: the first one's number, then the distances.
func (d *treeDecoder) set() []*Arg {
	i := 0
	return table(&d.in, func() *Arg {
		i += d.in.uint()
		return at(&d.in, d.args, i)
	})
}

func (d *treeDecoder) node(parent *Node) *Node {
	n := &Node{Parent: parent, Name: d.ref(), Remainder: d.ref()}
	bits := d.in.uint()
	n.Group, n.Hidden, n.Dynamic = bits&1 != 0, bits&2 != 0, bits&4 != 0
	n.flags = at(&d.in, d.sets, d.in.uint())
	n.Positionals = table(&d.in, func() *Arg { return at(&d.in, d.args, d.in.uint()) })
	if i := d.in.uint(); i > 0 {
		n.group = at(&d.in, d.groups, i-1)
	}
	d.nodes = append(d.nodes, n)
	if i := d.in.uint(); i > 0 {
		d.aliases[n] = i - 1
	}
	n.Children = table(&d.in, func() *Node { return d.node(n) })
	return n
}

// Embedded is the packed data of the pinned SDK.
func Embedded() io.Reader { return bytes.NewReader(embedded) }
