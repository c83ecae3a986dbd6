// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"
	"strings"
	"testing"
)

func TestNamespacesAreNamedOrAll(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		want []string
		err  string
	}{
		"none is named": {},
		"one is named":  {args: []string{"--namespaces=a"}, want: []string{"a"}},
		"two are named": {args: []string{"--namespaces=team-a,team-b"}, want: []string{"team-a", "team-b"}},
		// It must not come to mean all.
		"the list is empty":     {args: []string{"--namespaces="}, err: `"" is no namespace`},
		"the list ends early":   {args: []string{"--namespaces=a,"}, err: `"" is no namespace`},
		"one is no name at all": {args: []string{"--namespaces=a, b"}, err: `" b" is no namespace`},
	} {
		f, err := parseManagerFlags(append([]string{"--namespace=home"}, c.args...))
		if c.err == "" && (err != nil || !slices.Equal(f.namespaces, c.want)) {
			t.Errorf("%s: got %q, %v, want %q", name, f.namespaces, err, c.want)
		}
		if c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%s: got %v, want %s", name, err, c.err)
		}
	}
}
