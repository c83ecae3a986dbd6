// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

func TestHowACommandEnds(t *testing.T) {
	withTimeout := func(task result.Task, timeout time.Duration) result.Task {
		task.Timeout = timeout
		return task
	}
	for name, c := range map[string]struct {
		task   result.Task
		reason result.Reason
		code   int
		stdout string
		stderr string
	}{
		"it prints to both streams and succeeds":          {shell("echo out; echo err >&2"), result.Exited, 0, "out\n", "err\n"},
		"it fails with a code of its own":                 {shell("exit 42"), result.Exited, 42, "", ""},
		"a signal of its own ends it":                     {shell("kill -SEGV $$"), result.Exited, 139, "", ""},
		"it prints what no text may contain":              {shell(`printf 'a\000\377\r\nb'`), result.Exited, 0, "a\x00\xff\r\nb", ""},
		"its arguments are not for a shell":               {task("printf", "%s|", "$HOME", "a b", "*", "$(id)"), result.Exited, 0, "$HOME|a b|*|$(id)|", ""},
		"it reads nothing from stdin":                     {task("cat"), result.Exited, 0, "", ""},
		"it is found on PATH":                             {task("true"), result.Exited, 0, "", ""},
		"it is not on PATH":                               {task("no-such-command"), result.CommandNotFound, 127, "", ""},
		"it is found relative to the working directory":   {task("./no-such-command"), result.CommandNotFound, 127, "", ""},
		"it is no program":                                {task("/etc/passwd"), result.NotExecutable, 126, "", ""},
		"it runs too long and ends on SIGINT":             {withTimeout(shell("trap 'echo bye; exit 9' INT; sleep 300 & wait"), 2*time.Second), result.TimedOut, 9, "bye\n", ""},
		"it runs too long and says 0":                     {withTimeout(shell("trap 'exit 0' INT; sleep 300 & wait"), 2*time.Second), result.TimedOut, 0, "", ""},
		"it runs too long, ignores SIGINT, ends on TERM":  {withTimeout(shell("trap '' INT; sleep 300"), 2*time.Second), result.TimedOut, 143, "", ""},
		"it runs too long and ignores SIGINT and SIGTERM": {withTimeout(shell("trap '' INT TERM; sleep 300"), 2*time.Second), result.TimedOut, 137, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newPod(t).run(c.task)
			r := e.report
			if r.Reason != c.reason || r.ExitCode != c.code {
				t.Errorf("got %s %d (%s), want %s %d", r.Reason, r.ExitCode, r.Message, c.reason, c.code)
			}
			if string(r.Stdout.Data) != c.stdout || string(r.Stderr.Data) != c.stderr {
				t.Errorf("got %q and %q, want %q and %q", r.Stdout.Data, r.Stderr.Data, c.stdout, c.stderr)
			}
			if e.Body != result.Complete {
				t.Errorf("body %d", e.Body)
			}
			if r.Reason.Ran() == r.StartedAt.IsZero() || r.FinishedAt.Before(r.StartedAt) {
				t.Errorf("started %s, finished %s", r.StartedAt, r.FinishedAt)
			}
		})
	}
}

func TestLargeOutput(t *testing.T) {
	for name, c := range map[string]struct {
		script    string
		bytes     int64
		truncated bool
		sealed    bool
	}{
		"3 MB that compress badly come whole": {"head -c 3000000 /dev/urandom | base64 -w 100 | head -c 3000000", 3000000, false, false},
		"3 MB that compress well come whole":  {"yes | head -c 3000000", 3000000, false, false},
		"3 MB come sealed":                    {"head -c 3000000 /dev/urandom | base64 -w 100 | head -c 3000000", 3000000, false, true},
		"50 MB come as head and tail":         {"echo first; yes | head -c 50000000; echo last", 50000011, true, false},
		"50 MB come sealed":                   {"echo first; yes | head -c 50000000; echo last", 50000011, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			p, task := newPod(t), shell(c.script)
			if c.sealed {
				task.SealTo, p.open = newKey(t)
			}
			e := p.run(task)
			out := e.report.Stdout
			if out.Bytes != c.bytes || out.Truncated() != c.truncated || e.report.ExitCode != 0 {
				t.Errorf("got %d bytes, truncated %v, exit code %d", out.Bytes, out.Truncated(), e.report.ExitCode)
			}
			if c.truncated && (!strings.HasPrefix(string(out.Data), "first\n") || !strings.HasSuffix(string(out.Data), "last\n")) {
				t.Error("head or tail is not the output's")
			}
			// It is up to 40 MiB without the race detector, whose own memory counts too.
			if kib, err := strconv.Atoi(e.peak); err != nil || kib > 140<<10 {
				t.Errorf("the runner took %s KiB of memory, %v", e.peak, err)
			}
		})
	}
}
