// SPDX-License-Identifier: Apache-2.0

// Conformance compares internal/command with gcloud's own parser. docs/design/command-parser.md has the figures.
//
//	conformance sample -examples FILE -half building|held-out -n N -mutants M -out FILE
//	conformance compare -verdicts FILE [-show N] [-keep FILE -n N]
//
// sample draws example commands and random mutations of them. Which half a command belongs to is decided by its hash, a
// mutation belonging to the half of its example: nobody looks at the held-out half while building. oracle.py then asks
// gcloud, and compare reports the disagreements by class. With -keep it writes N cases for the project's own tests.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
)

func main() {
	if len(os.Args) < 2 {
		log.Fatal("usage: conformance sample|compare [flags]")
	}
	var err error
	switch flags := flag.NewFlagSet(os.Args[1], flag.ExitOnError); os.Args[1] {
	case "sample":
		err = sample(flags, os.Args[2:])
	case "compare":
		err = compare(flags, os.Args[2:])
	default:
		err = fmt.Errorf("unknown subcommand %q", os.Args[1])
	}
	if err != nil {
		log.Fatal(err)
	}
}

// readLines decodes a file with one JSON value a line.
func readLines[T any](name string) ([]T, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []T
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var v T
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			return nil, fmt.Errorf("%s line %d: %w", name, len(out)+1, err)
		}
		out = append(out, v)
	}
	return out, lines.Err()
}

func writeLines[T any](name string, values []T) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	e := json.NewEncoder(f)
	e.SetEscapeHTML(false)
	for _, v := range values {
		if err := e.Encode(v); err != nil {
			return err
		}
	}
	return f.Close()
}
