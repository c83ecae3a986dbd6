// SPDX-License-Identifier: Apache-2.0

package main

import (
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"

	"github.com/gcloud-operator/gcloud-operator/internal/command"
	"github.com/gcloud-operator/gcloud-operator/internal/command/conformance"
)

func compare(flags *flag.FlagSet, args []string) error {
	from := flags.String("verdicts", "verdicts.jsonl", "what oracle.py wrote")
	show := flags.Int("show", 3, "number of cases to show of each class of disagreement")
	keep := flags.String("keep", "", "file to write cases for the project's tests to, compressed")
	n := flags.Int("n", 2000, "number of cases to keep")
	if err := flags.Parse(args); err != nil {
		return err
	}
	verdicts, err := readLines[conformance.Verdict](*from)
	if err != nil {
		return err
	}
	classes := map[string][]string{}
	counts := map[conformance.Outcome]int{}
	var agreed []conformance.Verdict
	for _, v := range verdicts {
		outcome, detail := conformance.Judge(v)
		counts[outcome]++
		switch outcome {
		case conformance.Agreed:
			agreed = append(agreed, v)
		case conformance.Undecided:
		default:
			class := fmt.Sprintf("%s: %s", outcome, detail)
			classes[class] = append(classes[class], command.Quote(append([]string{"gcloud"}, v.Argv...))+"\n        "+v.Error)
		}
	}
	report(len(verdicts), counts, classes, *show)
	if *keep == "" {
		return nil
	}
	return writeCompressed(*keep, some(agreed, *n))
}

// some draws n cases, in their own order, half of which gcloud takes.
func some(all []conformance.Verdict, n int) []conformance.Verdict {
	random := rand.New(rand.NewPCG(seed, 0))
	left := map[bool]int{true: n / 2, false: n - n/2}
	var picked []int
	for _, i := range random.Perm(len(all)) {
		if ok := all[i].OK; left[ok] > 0 {
			left[ok]--
			picked = append(picked, i)
		}
	}
	slices.Sort(picked)
	out := make([]conformance.Verdict, 0, n)
	for _, i := range picked {
		all[i].Error = ""
		out = append(out, all[i])
	}
	return out
}

func writeCompressed(name string, values []conformance.Verdict) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	z := gzip.NewWriter(f)
	e := json.NewEncoder(z)
	e.SetEscapeHTML(false)
	for _, v := range values {
		if err := e.Encode(v); err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	return f.Close()
}

func report(total int, counts map[conformance.Outcome]int, classes map[string][]string, show int) {
	fmt.Printf("%d commands\n", total)
	for _, outcome := range []conformance.Outcome{conformance.Agreed, conformance.Undecided, conformance.TooStrict, conformance.TooLax, conformance.Differs} {
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
		for _, c := range classes[name][:min(show, len(classes[name]))] {
			fmt.Printf("      %s\n", c)
		}
	}
}
