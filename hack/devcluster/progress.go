// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"os"
	"time"
)

// say tells the user one line; stdout is kept for what other programs read.
func say(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "devcluster: "+format+"\n", args...)
}

// progress is a line about long work: rewritten in place on a terminal, a line
// of its own now and then elsewhere.
type progress struct {
	terminal bool
	interval time.Duration
	started  time.Time
	last     time.Time
}

func newProgress(now time.Time) *progress {
	info, err := os.Stderr.Stat()
	p := &progress{interval: 10 * time.Second, started: now, last: now}
	if err == nil && info.Mode()&os.ModeCharDevice != 0 {
		p.terminal, p.interval = true, time.Second
	}
	return p
}

// update shows the line unless another was shown a moment ago.
func (p *progress) update(format string, args ...any) {
	if time.Since(p.last) >= p.interval {
		p.force(format, args...)
	}
}

func (p *progress) force(format string, args ...any) {
	p.last = time.Now()
	text := fmt.Sprintf(format, args...) + ", " + p.last.Sub(p.started).Round(time.Second).String()
	if p.terminal {
		fmt.Fprintf(os.Stderr, "\r\033[Kdevcluster: %s", text)
		return
	}
	say("%s", text)
}

// end leaves the line to what comes next.
func (p *progress) end() {
	if p.terminal && p.last != p.started {
		fmt.Fprintln(os.Stderr)
	}
}

// lastLines is the end of a log, to be shown with an error.
func lastLines(log []byte, count int) string {
	lines := bytes.Split(bytes.TrimRight(log, "\n"), []byte("\n"))
	return string(bytes.Join(lines[max(0, len(lines)-count):], []byte("\n")))
}
