// SPDX-License-Identifier: Apache-2.0

//go:build !race

// The race detector brings cgo along, and with it C's threads and C's handlers
// of signals. How a runner takes signals is tested as it is shipped, without.

package runner

import (
	"testing"

	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

func TestSignalsOfTheCommandToPID1(t *testing.T) {
	const harmless = `for s in 1 4 5 6 7 8 9 10 11 12 13 14 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 40 50 63 64; do kill -$s 1; done; sleep 0.2; exit 5`
	for name, c := range map[string]struct {
		script string
		reason result.Reason
		code   int
	}{
		"all that don't mean stop change nothing": {harmless, result.Exited, 5},
		"SIGTERM stops it":                        {"trap 'exit 6' INT; kill -TERM 1; sleep 300 & wait", result.Terminated, 6},
		"SIGQUIT stops it":                        {"trap 'exit 7' INT; kill -QUIT 1; sleep 300 & wait", result.Terminated, 7},
	} {
		t.Run(name, func(t *testing.T) {
			e := newIsolatedPod(t).run(shell(c.script))
			if e.report.Reason != c.reason || e.report.ExitCode != c.code {
				t.Errorf("got %s %d: %s; %s", e.report.Reason, e.report.ExitCode, e.report.Message, e.report.Stderr.Data)
			}
		})
	}
}

func TestPID1CatchesEverySignalThatCanBeCaught(t *testing.T) {
	e := newIsolatedPod(t).run(shell(`sed -n 's/^SigCgt:[[:space:]]*//p' /proc/1/status; sed -n 's/^Sig\(Cgt\|Ign\):[[:space:]]*//p' /proc/self/status`))
	const own, inherited = "fffffffffffbfeff\n", "0000000000000000\n0000000000000000\n" // all but 9 and 19; none
	if got := string(e.report.Stdout.Data); got != own+inherited {
		t.Errorf("got %q, want %q", got, own+inherited)
	}
}

func TestPID1OutlivesAStormOfSignals(t *testing.T) {
	const senders = `storm() { for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		for s in 31 32 33 34 35 11 17 23 27 32 34 64; do kill -$s 1; done; done; }
		storm & storm & storm & storm & wait; exit 5`
	e := newIsolatedPod(t).run(shell(senders))
	if e.report.Reason != result.Exited || e.report.ExitCode != 5 {
		t.Errorf("got %s %d: %s; %s", e.report.Reason, e.report.ExitCode, e.report.Message, e.report.Stderr.Data)
	}
}
