// SPDX-License-Identifier: Apache-2.0

// Package lint checks manifests, or single commands, by the operator's rules, with no cluster.
package lint

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	configv1alpha1 "github.com/gcloud-operator/gcloud-operator/api/config/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/command"
	"github.com/gcloud-operator/gcloud-operator/internal/config"
)

// Exit codes of Run.
const (
	exitClean      = 0
	exitViolations = 1
	exitUsage      = 2 // wrong flags, or a file that can't be read
)

const usage = `Checks manifests of the operator's kinds, or gcloud commands, by the operator's rules.

Usage: lint [flags] FILE|FOLDER|- ...
       lint --command-lines [flags] [FILE|- ...]

A folder is searched for .yaml, .yml and .json files; - is standard input. Documents of other kinds are skipped.
Manifests are checked as they stand: render templates and kustomizations first, and check what comes of them with -.
The exit code is 1 if a rule is broken, 2 if something can't be read.

Flags:
`

// options are the flags of the linter.
type options struct {
	output       string
	commandLines bool
	parseOnly    bool
	policy       command.Policy
	pods         configv1alpha1.Pods
	paths        []string
}

// Run is the linter as a program: it returns the exit code.
func Run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	o, err := parseFlags(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitClean
	case err != nil:
		fmt.Fprintf(stderr, "lint: %v\n", err)
		return exitUsage
	}
	var clean bool
	if o.commandLines {
		clean, err = lintCommandLines(o, stdin, stdout)
	} else {
		clean, err = lintManifests(o, stdin, stdout, stderr)
	}
	switch {
	case err != nil:
		fmt.Fprintf(stderr, "lint: %v\n", err)
		return exitUsage
	case !clean:
		return exitViolations
	}
	return exitClean
}

func parseFlags(args []string, stderr io.Writer) (options, error) {
	var o options
	var configFile string
	flags := flag.NewFlagSet("lint", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // errors are reported once, by Run
	flags.StringVar(&o.output, "output", "text", "how to report: text, json (one violation a line) or github (annotations of a workflow)")
	flags.BoolVar(&o.commandLines, "command-lines", false, "read one command a line, and write one verdict in JSON for each")
	flags.BoolVar(&o.parseOnly, "parse-only", false, "report only what gcloud's own parser would refuse")
	flags.StringVar(&configFile, "config", "", "the operator's configuration `file`, for its rules; without it, the defaults")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			flags.SetOutput(stderr)
			fmt.Fprint(stderr, usage)
			flags.PrintDefaults()
		}
		return o, err
	}
	o.paths = flags.Args()
	if !strings.Contains(" text json github ", " "+o.output+" ") {
		return o, fmt.Errorf("--output=%s: write text, json or github", o.output)
	}
	if len(o.paths) == 0 {
		if !o.commandLines {
			return o, errors.New("nothing to check: name files or folders, or - for standard input")
		}
		o.paths = []string{"-"}
	}
	if configFile == "" {
		return o, nil
	}
	c, err := config.Load(configFile)
	o.policy, o.pods = config.Policy(c.Commands), c.Pods
	return o, err
}
