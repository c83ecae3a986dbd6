// SPDX-License-Identifier: Apache-2.0

// Package cli is kubectl-gcloud, the plugin that makes a GcloudRun of a command line, shows it, and ends as
// gcloud did.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/pflag"

	"github.com/gcloud-operator/gcloud-operator/internal/lint"
)

// Streams are what the plugin reads and writes, and whether a person sees it.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
	// OutTerminal and ErrTerminal say whether Out and Err are terminals.
	OutTerminal, ErrTerminal bool
	// Width is that of the terminal, in characters.
	Width int
	// Colour says whether a terminal may be shown colours.
	Colour bool
}

// verb is a word that the plugin takes for itself, where gcloud has no command of that name.
type verb struct {
	name, args, does string
	flags            func(*pflag.FlagSet, *options)
	run              func(context.Context, *session, options) (int, error)
}

// verbs are what the plugin can do with runs that are there.
func verbs() []verb {
	return []verb{
		{name: "runs", does: "list the runs of the namespace, the newest first", flags: listFlags, run: listRuns},
		{name: "logs", args: "RUN", does: "print what the log of a run's pod has; -f follows it", flags: logFlags, run: printLog},
		{name: "result", args: "RUN", does: "print all that a run printed, when it has ended, and exit as it did", flags: resultFlags, run: printResult},
		{name: "rerun", args: "RUN", does: "run the same again, and show it", flags: rerunFlags, run: runAgain},
		{name: "cancel", args: "RUN", does: "stop a run; what it printed is kept", flags: noFlags, run: cancelRun},
	}
}

// Words that need no cluster.
const (
	lintWord       = "lint"
	completionWord = "completion"
	completeWord   = "__complete"
)

// ownWords are all words that the plugin takes for itself.
func ownWords() []string {
	var words []string
	for _, v := range verbs() {
		words = append(words, v.name)
	}
	return append(words, lintWord, completionWord)
}

// Run is the plugin as a program: it returns the exit code. An interrupt asks for the run to be cancelled, and a
// second one to leave it.
func Run(args []string, streams Streams, signals <-chan os.Signal) int {
	ctx, interrupt := watchInterrupts(context.Background(), signals)
	o, words, err := parseRun(args)
	if err == nil && len(words) > 0 && !o.dashed {
		switch words[0] {
		case lintWord:
			return lint.Run(words[1:], streams.In, streams.Out, streams.Err)
		case completionWord:
			fmt.Fprint(streams.Out, completionScript)
			return 0
		case completeWord:
			complete(ctx, words[1:], streams.Out)
			return 0
		}
		if i := slices.IndexFunc(verbs(), func(v verb) bool { return v.name == words[0] }); i >= 0 {
			return runVerb(ctx, verbs()[i], withoutWord(args, words), streams, interrupt)
		}
	}
	if err == nil {
		err = o.check(words)
	}
	return finish(ctx, streams, func() (int, error) { return runCommand(ctx, o, words, streams, interrupt) }, usage, err)
}

// withoutWord leaves the first word out, so that flags may stand on both sides of it.
func withoutWord(args, words []string) []string {
	at := len(args) - len(words)
	return slices.Concat(args[:at], args[at+1:])
}

func runVerb(ctx context.Context, v verb, args []string, streams Streams, interrupt *interrupts) int {
	o, err := parseVerb(v, args)
	return finish(ctx, streams, func() (int, error) {
		s, err := connect(o, streams, interrupt)
		if err != nil {
			return 0, err
		}
		return v.run(ctx, s, o)
	}, func() string { return usageOf(v) }, err)
}

// finish does what was asked for, unless it was asked wrongly, and says what went wrong.
func finish(ctx context.Context, streams Streams, do func() (int, error), help func() string, asked error) int {
	if errors.Is(asked, pflag.ErrHelp) {
		fmt.Fprint(streams.Out, help())
		return 0
	}
	if asked != nil {
		fmt.Fprintf(streams.Err, "kubectl gcloud: %v\n", asked)
		return exitUsage
	}
	code, err := do()
	if err == nil {
		return code
	}
	return report(streams.Err, interrupted(ctx, err))
}
