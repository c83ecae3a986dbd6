// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"io"
	"sync"
)

const (
	clearLine = "\r\x1b[K"
	faint     = "\x1b[2m"
	red       = "\x1b[31m"
	green     = "\x1b[32m"
	yellow    = "\x1b[33m"
	plain     = "\x1b[0m"
)

// screen shows a person the live log and, below it, a line that changes. Where stderr is no terminal there is no such
// line.
type screen struct {
	mutex   sync.Mutex
	streams Streams
	line    string // what stands there now
	midLine bool   // the log's last line isn't complete, so there is no place below it
}

func newScreen(streams Streams) *screen { return &screen{streams: streams} }

// show puts the text in the place of the line that stands there.
func (s *screen) show(text string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if !s.streams.ErrTerminal || s.midLine || s.line == text {
		return
	}
	s.line = text
	fmt.Fprint(s.streams.Err, clearLine+coloured(s.streams, faint, text))
}

// clear takes the line away.
func (s *screen) clear() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.wipe()
}

func (s *screen) wipe() {
	if s.line != "" {
		fmt.Fprint(s.streams.Err, clearLine)
		s.line = ""
	}
}

// Write is for the live log.
func (s *screen) Write(p []byte) (int, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if len(p) == 0 {
		return 0, nil
	}
	s.wipe()
	s.midLine = p[len(p)-1] != '\n'
	return s.streams.Out.Write(p)
}

// say writes a line of the plugin's own.
func (s *screen) say(format string, args ...any) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.wipe()
	if s.midLine {
		fmt.Fprintln(s.streams.Err)
		s.midLine = false
	}
	fmt.Fprintf(s.streams.Err, "kubectl gcloud: "+format+"\n", args...)
}

// tell is say for what is only for a person: elsewhere stderr has gcloud's own bytes alone.
func (s *screen) tell(format string, args ...any) {
	if s.streams.ErrTerminal {
		s.say(format, args...)
	}
}

// coloured is the text in a colour, where it is seen on a terminal that has some.
func coloured(streams Streams, colour, text string) string {
	if !streams.Colour {
		return text
	}
	return colour + text + plain
}

var _ io.Writer = (*screen)(nil)
