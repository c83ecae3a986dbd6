// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"bytes"
	"compress/gzip"
	"io"
	"slices"
	"strings"
	"testing"
)

func TestEmbeddedTree(t *testing.T) {
	root := Load().Root
	list := root.Child("compute").Child("instances").Child("list")
	for name, ok := range map[string]bool{
		"a command is no group":                     !list.Group && list.Parent.Group,
		"a command knows its own flags":             list.Flag("--zones") != nil,
		"a command knows the global flags":          list.Flag("--project") != nil && list.Flag("--project") == root.Flag("--project"),
		"a flag is found by each of its spellings":  list.Flag("-q") != nil && list.Flag("-q") == list.Flag("--quiet"),
		"a flag is not found by a part of its name": list.Flag("--zon") == nil && list.Flag("") == nil,
		"the inverted form is hidden":               list.Flag("--no-uri").Hidden && !list.Flag("--uri").Hidden,
		"an alias knows its canonical command":      slices.Equal(root.Child("ml-engine").Child("models").Canonical().Path(), []string{"ai-platform", "models"}),
		"a command that is no alias is canonical":   list.Canonical() == list,
		"hidden commands are there":                 root.Child("meta").Hidden,
		"other tracks are there":                    root.Child("alpha").Child("interactive") != nil && root.Child("preview") != nil,
		"a required positional is a constraint":     list.Parent.Child("describe").Constraints() != nil,
		"what is handed on has a name":              root.Child("docker").Remainder != "",
	} {
		if !ok {
			t.Errorf("not so: %s", name)
		}
	}
}

// Flags are found by halves, which needs their order.
func TestFlagsAreSorted(t *testing.T) {
	walk(Load().Root, func(n *Node) {
		if !slices.IsSortedFunc(n.flags, func(a, b *Arg) int { return strings.Compare(a.Names[0], b.Names[0]) }) {
			t.Errorf("the flags of gcloud %s are not sorted", strings.Join(n.Path(), " "))
		}
	})
}

// Everything that is decoded late can be decoded.
func TestTypesAndConstraintsDecode(_ *testing.T) {
	walk(Load().Root, func(n *Node) {
		n.Constraints()
		for _, a := range slices.Concat(n.Flags(), n.Positionals) {
			a.Type()
		}
	})
}

func walk(n *Node, visit func(*Node)) {
	visit(n)
	for _, c := range n.Children {
		walk(c, visit)
	}
}

func TestDamagedDataAreAnError(t *testing.T) {
	z, err := gzip.NewReader(Embedded())
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 1, 10, 1000, len(data) / 2, len(data) - 1} {
		if _, err := Decode(packed(t, data[:n])); err == nil {
			t.Errorf("%d of %d bytes are no error", n, len(data))
		}
	}
	if _, err := Decode(strings.NewReader("no gzip")); err == nil {
		t.Error("text is no error")
	}
}

func packed(t *testing.T, data []byte) io.Reader {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return &b
}
