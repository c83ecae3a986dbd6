// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/gcloud-operator/gcloud-operator/internal/command/tree"
)

const small = `{
  "sdk": "1.2.3",
  "flags": [
    {"n": ["--zone", "-z"], "d": "zone", "l": 1},
    {"n": ["--async"], "d": "async_", "na": 0},
    {"m": "NAME", "d": "name", "na": "+", "t": 0}
  ],
  "types": [{"k": "int", "lo": 1}],
  "groups": [{"of": [{"d": "name", "n": "NAME", "r": 1}]}],
  "sets": [[0, 1], [1]],
  "tree": {"f": 1, "s": {
    "new-name": {"f": 1, "src": "surface/new_name", "s": {"run": {"f": 0, "p": [2], "r": 0, "rem": "ARGS", "h": 1, "src": "surface/new_name/run"}}},
    "old": {"f": 1, "src": "surface/new_name", "s": {"run": {"f": 0, "p": [2], "src": "surface/new_name/run"}}},
    "alpha": {"f": 1, "s": {"old": {"f": 1, "src": "surface/new_name", "s": {}}}}
  }}
}`

func decodeSource(t *testing.T, text string) *source {
	t.Helper()
	var s source
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		t.Fatal(err)
	}
	return &s
}

func TestWhatIsPackedIsReadBack(t *testing.T) {
	packed, err := pack(decodeSource(t, small))
	if err != nil {
		t.Fatal(err)
	}
	got, err := tree.Decode(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	run := got.Root.Child("new-name").Child("run")
	old := got.Root.Child("old").Child("run")
	name := run.Positionals[0]
	for what, ok := range map[string]bool{
		"the version":                                got.SDK == "1.2.3",
		"a group is a group":                         got.Root.Child("old").Group && !run.Group,
		"a hidden command":                           run.Hidden && !old.Hidden,
		"the remainder":                              run.Remainder == "ARGS",
		"a flag and its short form":                  run.Flag("-z") == run.Flag("--zone") && run.Flag("--zone").Local,
		"a boolean flag":                             run.Flag("--async").Boolean(),
		"a positional with its type":                 name.Metavar == "NAME" && name.NArgs == "+" && *name.Type().Low == 1,
		"a constraint":                               run.Constraints().Of[0].Name == "NAME" && old.Constraints() == nil,
		"the alias of a command":                     slices.Equal(old.Canonical().Path(), []string{"new-name", "run"}),
		"no alias of an element of another track":    got.Root.Child("alpha").Child("old").Canonical() == got.Root.Child("alpha").Child("old"),
		"a flag that the command doesn't have":       got.Root.Flag("--zone") == nil,
		"a command's flags are sorted by their name": run.Flags()[0].Names[0] == "--async",
	} {
		if !ok {
			t.Errorf("not so: %s", what)
		}
	}
}

func TestPackingIsReproducible(t *testing.T) {
	first, err := pack(decodeSource(t, small))
	if err != nil {
		t.Fatal(err)
	}
	second, err := pack(decodeSource(t, small))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first, second) {
		t.Error("the same source gives other bytes")
	}
}

func TestTheOrderOfReadingDoesNotMatter(t *testing.T) {
	const groups = `"groups": [{"of": [{"d": "name", "n": "NAME", "r": 1}]}]`
	pair := func(members string) string {
		return strings.Replace(small, groups, `"groups": [{"of": [{"x": 1, "of": [`+members+`]}]}]`, 1)
	}
	a, b := `{"d": "zone", "n": "--zone"}`, `{"d": "async_", "n": "--async"}`
	first, err := pack(decodeSource(t, pair(a+","+b)))
	if err != nil {
		t.Fatal(err)
	}
	second, err := pack(decodeSource(t, pair(b+","+a)))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first, second) {
		t.Error("members of a group that were read in another order give other bytes")
	}
}

func TestUnknownDataAreAnError(t *testing.T) {
	for what, change := range map[string][2]string{
		"a field of a type that the reader doesn't know": {`"lo": 1`, `"low": 1`},
		"an action that the reader doesn't know":         {`"na": 0`, `"na": 0, "a": "bogus"`},
	} {
		if _, err := pack(decodeSource(t, strings.Replace(small, change[0], change[1], 1))); err == nil {
			t.Errorf("no error: %s", what)
		}
	}
}
