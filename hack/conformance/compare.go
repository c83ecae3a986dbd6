// SPDX-License-Identifier: Apache-2.0

package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"github.com/gcloud-operator/gcloud-operator/internal/command"
	"github.com/gcloud-operator/gcloud-operator/internal/command/tree"
)

// verdict is what oracle.py says of one command.
type verdict struct {
	Argv  []string `json:"argv"`
	OK    bool     `json:"ok"`
	Kind  string   `json:"kind"`
	Path  string   `json:"path,omitempty"`
	Taken [][2]any `json:"taken,omitempty"`
	Error string   `json:"error,omitempty"`
}

// outcomes of a comparison.
const (
	agreed    = "agreed"
	undecided = "undecided: the contents of a file decide"
	tooStrict = "refused though gcloud takes it"
	tooLax    = "taken though gcloud refuses it"
	differs   = "taken as something else"
)

func compare(flags *flag.FlagSet, args []string) error {
	from := flags.String("verdicts", "verdicts.jsonl", "what oracle.py wrote")
	rare := flags.Int("rare", 3, "number of cases to show of each class of disagreement")
	keep := flags.String("keep", "", "file to write cases for the project's tests to")
	n := flags.Int("n", 2000, "number of cases to keep")
	if err := flags.Parse(args); err != nil {
		return err
	}
	verdicts, err := readLines[verdict](*from)
	if err != nil {
		return err
	}
	classes := map[string][]string{}
	counts := map[string]int{}
	var kept []verdict
	for _, v := range verdicts {
		outcome, detail := judge(v)
		counts[outcome]++
		if outcome != agreed && outcome != undecided {
			class := outcome + ": " + detail
			classes[class] = append(classes[class], command.Quote(append([]string{"gcloud"}, v.Argv...))+"\n        "+v.Error)
		}
		if outcome == agreed {
			kept = append(kept, v)
		}
	}
	report(len(verdicts), counts, classes, *rare)
	if *keep == "" {
		return nil
	}
	return writeLines(*keep, some(kept, *n))
}

// some draws n cases, in their own order.
func some(all []verdict, n int) []verdict {
	random := rand.New(rand.NewPCG(seed, 0))
	picked := random.Perm(len(all))[:min(n, len(all))]
	slices.Sort(picked)
	out := make([]verdict, 0, n)
	for _, i := range picked {
		all[i].Error = ""
		out = append(out, all[i])
	}
	return out
}

func report(total int, counts map[string]int, classes map[string][]string, rare int) {
	fmt.Printf("%d commands\n", total)
	for _, outcome := range []string{agreed, undecided, tooStrict, tooLax, differs} {
		fmt.Printf("%7d  %6.3f %%  %s\n", counts[outcome], 100*float64(counts[outcome])/float64(total), outcome)
	}
	names := make([]string, 0, len(classes))
	for name := range classes {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if d := len(classes[b]) - len(classes[a]); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	for _, name := range names {
		fmt.Printf("\n%5d  %s\n", len(classes[name]), name)
		for _, c := range classes[name][:min(rare, len(classes[name]))] {
			fmt.Printf("      %s\n", c)
		}
	}
}

// judge compares our verdict with gcloud's. The detail names the class of a disagreement.
func judge(v verdict) (outcome, detail string) {
	c, violations := command.Parse(command.Quote(append([]string{"gcloud"}, v.Argv...)))
	ok := len(violations) == 0
	switch {
	case v.Kind == "file":
		return undecided, ""
	case !ok && v.OK:
		return tooStrict, string(violations[0].Rule) + " " + numbers.ReplaceAllString(violations[0].Message, "N")
	case ok && !v.OK:
		return tooLax, v.Kind + " " + classOf(v.Error)
	case !ok || v.Kind == "help":
		return agreed, ""
	}
	if want := canonical(v.Path); want != strings.Join(c.Words(), " ") {
		return differs, fmt.Sprintf("command %s, not %s", strings.Join(c.Words(), " "), want)
	}
	if got, want := taken(c), flat(v.Taken); got != want {
		return differs, "flags " + got + ", not " + want
	}
	return agreed, ""
}

var (
	numbers = regexp.MustCompile(`[0-9]+`)
	quoted  = regexp.MustCompile(`\[[^]]*\]|'[^']*'|"[^"]*"|\([^)]*\)|received: .*`)
)

// classOf shortens an error of gcloud's to what it is about.
func classOf(message string) string {
	if i := strings.Index(message, "argument "); i >= 0 {
		message = message[i:]
	}
	return quoted.ReplaceAllString(numbers.ReplaceAllString(message, "N"), "…")
}

// canonical is a dotted path of gcloud's with aliases resolved.
func canonical(dotted string) string {
	n := tree.Load().Root
	for _, word := range strings.Split(dotted, ".")[1:] {
		if n = n.Child(word); n == nil {
			return dotted
		}
	}
	return strings.Join(n.Canonical().Path(), " ")
}

// taken writes flags and positionals, each in order, so that they can be compared.
func taken(c command.Command) string {
	var flags, words []string
	for _, f := range c.Flags {
		flags = append(flags, fmt.Sprintf("%s%q", f.Name, f.Values))
	}
	for _, p := range c.Positionals {
		words = append(words, fmt.Sprintf("%s=%q", p.Name, p.Value))
	}
	return strings.Join(append(flags, words...), " ")
}

// flat writes what gcloud has taken in the same way.
func flat(all [][2]any) string {
	var flags, words []string
	for _, t := range all {
		name := fmt.Sprint(t[0])
		values := []string{}
		for _, v := range t[1].([]any) {
			values = append(values, fmt.Sprint(v))
		}
		if strings.HasPrefix(name, "-") {
			flags = append(flags, fmt.Sprintf("%s%q", name, values))
			continue
		}
		for _, v := range values {
			words = append(words, fmt.Sprintf("%s=%q", name, v))
		}
	}
	return strings.Join(append(flags, words...), " ")
}
