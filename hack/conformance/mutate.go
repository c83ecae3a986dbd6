// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math/rand/v2"
	"slices"
	"strings"
)

// mutator changes commands at random, in the ways in which people and attackers write them differently.
type mutator struct {
	random *rand.Rand
	pool   [][]string // other commands, to take flags from
}

var mutations = []func(mutator, []string) []string{
	mutator.misspellWord, mutator.misspellFlag, mutator.leaveOut, mutator.leaveOut, mutator.abbreviate, mutator.repeat, mutator.move,
	mutator.moveFirst, mutator.surplus, mutator.loseValue, mutator.separate, mutator.oddValue, mutator.oddValue, mutator.changeTrack,
	mutator.foreignFlag, mutator.negate, mutator.giveValue, mutator.doubleHyphen, mutator.globalFlag, mutator.underscore,
}

// mutate makes one change, or two in a quarter of the cases.
func (m mutator) mutate(argv []string) []string {
	out := m.one(argv)
	if m.random.IntN(4) == 0 {
		out = m.one(out)
	}
	return out
}

func (m mutator) one(argv []string) []string {
	for range 20 {
		out := mutations[m.random.IntN(len(mutations))](m, slices.Clone(argv))
		if out != nil && !slices.Equal(out, argv) {
			return out
		}
	}
	return argv
}

// pick is the index of a random word for which f holds, -1 without one.
func (m mutator) pick(argv []string, f func(string) bool) int {
	var all []int
	for i, w := range argv {
		if f(w) {
			all = append(all, i)
		}
	}
	if len(all) == 0 {
		return -1
	}
	return all[m.random.IntN(len(all))]
}

func isFlag(w string) bool  { return strings.HasPrefix(w, "-") && w != "--" }
func isWord(w string) bool  { return w != "" && !isFlag(w) }
func isGlued(w string) bool { return isFlag(w) && strings.Contains(w, "=") }

// replaceAt is argv with the word at index i replaced by others; nil if there is no such word.
func replaceAt(argv []string, i int, words ...string) []string {
	if i < 0 {
		return nil
	}
	return slices.Concat(argv[:i], words, argv[i+1:])
}

func (m mutator) misspell(w string) string {
	if len(w) < 3 {
		return w + "x"
	}
	i := 1 + m.random.IntN(len(w)-2)
	switch m.random.IntN(4) {
	case 0:
		return w[:i] + w[i+1:]
	case 1:
		return w[:i] + string(w[i+1]) + string(w[i]) + w[i+2:]
	case 2:
		return strings.ToUpper(w[:1]) + w[1:]
	}
	return w[:i] + "z" + w[i:]
}

func (m mutator) misspellWord(argv []string) []string {
	i := m.pick(argv, isWord)
	if i < 0 {
		return nil
	}
	return replaceAt(argv, i, m.misspell(argv[i]))
}

func (m mutator) misspellFlag(argv []string) []string {
	i := m.pick(argv, isFlag)
	if i < 0 {
		return nil
	}
	name, value, glued := strings.Cut(argv[i], "=")
	if name = m.misspell(name); glued {
		name += "=" + value
	}
	return replaceAt(argv, i, name)
}

func (m mutator) leaveOut(argv []string) []string {
	return replaceAt(argv, m.pick(argv, func(string) bool { return true }))
}

func (m mutator) abbreviate(argv []string) []string {
	i := m.pick(argv, func(w string) bool { return len(w) > 4 })
	if i < 0 {
		return nil
	}
	name, value, glued := strings.Cut(argv[i], "=")
	if len(name) < 5 {
		return nil
	}
	if name = name[:len(name)-1-m.random.IntN(2)]; glued {
		name += "=" + value
	}
	return replaceAt(argv, i, name)
}

func (m mutator) repeat(argv []string) []string {
	i := m.pick(argv, func(string) bool { return true })
	if i < 0 {
		return nil
	}
	return append(argv, argv[i])
}

func (m mutator) move(argv []string) []string {
	i := m.pick(argv, func(string) bool { return true })
	if i < 0 {
		return nil
	}
	w := argv[i]
	argv = replaceAt(argv, i)
	return slices.Insert(argv, m.random.IntN(len(argv)+1), w)
}

func (m mutator) moveFirst(argv []string) []string {
	i := m.pick(argv, isFlag)
	if i < 0 {
		return nil
	}
	w := argv[i]
	return slices.Insert(replaceAt(argv, i), m.random.IntN(min(3, len(argv))), w)
}

func (m mutator) surplus(argv []string) []string {
	words := []string{"surplus", "us-central1", "a b", "-5", "-x y", "", "--", "-", "=", "*", "--=", "-1.5", "/dev/null"}
	return slices.Insert(argv, m.random.IntN(len(argv)+1), words[m.random.IntN(len(words))])
}

func (m mutator) loseValue(argv []string) []string {
	i := m.pick(argv, isGlued)
	if i < 0 {
		return nil
	}
	name, _, _ := strings.Cut(argv[i], "=")
	if m.random.IntN(3) == 0 {
		name += "="
	}
	return replaceAt(argv, i, name)
}

func (m mutator) separate(argv []string) []string {
	i := m.pick(argv, isGlued)
	if i < 0 {
		return nil
	}
	name, value, _ := strings.Cut(argv[i], "=")
	return replaceAt(argv, i, name, value)
}

func (m mutator) oddValue(argv []string) []string {
	values := []string{"abc", "0", "-1", "5", "1.5", "1e3", "a,b", "a=b", "a=b,c=d", "a", ",", "^:^a:b", "^^a", "true", "FALSE", "10s", "5m", "2h30m", "P1D",
		"10GB", "3.5", "10Gi", "--", "--zone", "-x", "é", "A B", `{"a":1}`, "[a=b]", "{a=b,c=d}", "2024-01-02", "gs://b/o", "10.0.0.0/8", "1.2.3.4", "::1", "default", "100000000000", " 5 ", "1_000", "x.yaml"}
	i := m.pick(argv, isGlued)
	if i < 0 {
		return nil
	}
	name, _, _ := strings.Cut(argv[i], "=")
	return replaceAt(argv, i, name+"="+values[m.random.IntN(len(values))])
}

func (m mutator) changeTrack(argv []string) []string {
	tracks := []string{"alpha", "beta", "preview"}
	if len(argv) > 0 && slices.Contains(tracks, argv[0]) {
		argv = argv[1:]
		if m.random.IntN(2) == 0 {
			return argv
		}
	}
	return slices.Insert(argv, 0, tracks[m.random.IntN(len(tracks))])
}

func (m mutator) foreignFlag(argv []string) []string {
	other := m.pool[m.random.IntN(len(m.pool))]
	i := m.pick(other, isFlag)
	if i < 0 {
		return nil
	}
	return slices.Insert(argv, m.random.IntN(len(argv)+1), other[i])
}

func (m mutator) negate(argv []string) []string {
	i := m.pick(argv, func(w string) bool { return strings.HasPrefix(w, "--") && !isGlued(w) && w != "--" })
	if i < 0 {
		return nil
	}
	if rest, ok := strings.CutPrefix(argv[i], "--no-"); ok {
		return replaceAt(argv, i, "--"+rest)
	}
	return replaceAt(argv, i, "--no-"+argv[i][2:])
}

func (m mutator) giveValue(argv []string) []string {
	i := m.pick(argv, func(w string) bool { return isFlag(w) && !isGlued(w) })
	if i < 0 {
		return nil
	}
	return replaceAt(argv, i, argv[i]+"="+[]string{"true", "false", "", "x"}[m.random.IntN(4)])
}

func (m mutator) doubleHyphen(argv []string) []string {
	return slices.Insert(argv, m.random.IntN(len(argv)+1), "--")
}

func (m mutator) globalFlag(argv []string) []string {
	flags := []string{"-q", "--quiet", "--format=json", "--verbosity=debug", "--verbosity=loud", "--no-user-output-enabled", "--log-http", "--project=my-project",
		"--billing-project=my-project", "--account=a@b.c", "-v", "--version", "--trace-token=x", "--no-log-http", "--flatten=a", "--universe-domain=x.y", "-q=x", "--http-timeout=5"}
	return slices.Insert(argv, m.random.IntN(len(argv)+1), flags[m.random.IntN(len(flags))])
}

func (m mutator) underscore(argv []string) []string {
	i := m.pick(argv, func(w string) bool { return strings.Contains(strings.TrimLeft(w, "-"), "-") })
	if i < 0 {
		return nil
	}
	name, value, glued := strings.Cut(argv[i], "=")
	hyphens := len(name) - len(strings.TrimLeft(name, "-"))
	if name = name[:hyphens] + strings.ReplaceAll(name[hyphens:], "-", "_"); glued {
		name += "=" + value
	}
	return replaceAt(argv, i, name)
}
