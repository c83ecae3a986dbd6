// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// seed makes every sample reproducible.
const seed = 528

func sample(flags *flag.FlagSet, args []string) error {
	from := flags.String("examples", "examples.jsonl", "what examples.py wrote")
	half := flags.String("half", "building", "building or held-out")
	n := flags.Int("n", 4000, "number of examples")
	mutants := flags.Int("mutants", 4000, "number of mutations")
	out := flags.String("out", "commands.jsonl", "file to write")
	if err := flags.Parse(args); err != nil {
		return err
	}
	all, err := readLines[[]string](*from)
	if err != nil {
		return err
	}
	mine := slices.DeleteFunc(all, func(argv []string) bool { return halfOf(argv) != *half })
	random := rand.New(rand.NewPCG(seed, uint64(len(*half))))
	random.Shuffle(len(mine), func(i, j int) { mine[i], mine[j] = mine[j], mine[i] })
	if len(mine) < *n {
		return fmt.Errorf("the %s half has only %d examples", *half, len(mine))
	}
	commands := slices.Clone(mine[:*n])
	m := mutator{random: random, pool: mine}
	for range *mutants {
		commands = append(commands, m.mutate(mine[random.IntN(len(mine))]))
	}
	return writeLines(*out, commands)
}

func halfOf(argv []string) string {
	if sha256.Sum256([]byte(strings.Join(argv, "\x00")))[0]%2 == 0 {
		return "building"
	}
	return "held-out"
}
