// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"bytes"
	"io"
	"sync"
	"time"

	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

// liveLog passes through what the command prints, up to its share of the log.
// Writing to it never blocks: all that it ever takes is bounded by the share,
// so it can hold as much as that when the reader of the log is slow.
type liveLog struct {
	mu      sync.Mutex
	share   int64
	used    int64 // bytes in the log, each record's own included
	full    bool
	midLine bool
	queue   []byte
	closed  bool
	wake    chan struct{}
	done    chan struct{}
}

const endOfLiveLog = "gcloud-operator: the live log ends here, to leave room for the report; what follows is in the result only\n"

// endBytes is what ending a line, and the live log, takes.
var endBytes = recordBytes([]byte("\n")) + recordBytes([]byte(endOfLiveLog))

func newLiveLog(w io.Writer, share int64) *liveLog {
	l := &liveLog{share: share, wake: make(chan struct{}, 1), done: make(chan struct{})}
	go l.drain(w)
	return l
}

// Write takes whole lines or pieces of them.
func (l *liveLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for piece := range bytes.Lines(p) {
		l.add(piece)
	}
	select {
	case l.wake <- struct{}{}:
	default:
	}
	return len(p), nil
}

func (l *liveLog) add(piece []byte) {
	if l.full || l.closed {
		return
	}
	if l.used+recordBytes(piece) > l.share-endBytes {
		l.full = true
		l.endLine()
		piece = []byte(endOfLiveLog)
	}
	l.push(piece)
}

func (l *liveLog) push(piece []byte) {
	l.used += recordBytes(piece)
	l.queue = append(l.queue, piece...)
	l.midLine = piece[len(piece)-1] != '\n'
}

func (l *liveLog) endLine() {
	if l.midLine {
		l.push([]byte("\n"))
	}
}

// recordBytes is what a piece takes in the log at most: runtimes divide long
// lines into records of 16 KiB, some of 8 KiB.
func recordBytes(piece []byte) int64 {
	return int64(len(piece)) + int64(1+len(piece)/(8<<10))*result.RecordOverhead
}

// drain writes what is queued until the log is closed. After an error of the
// writer the rest is for nobody.
func (l *liveLog) drain(w io.Writer) {
	defer close(l.done)
	var err error
	for range l.wake {
		l.mu.Lock()
		queue, closed := l.queue, l.closed
		l.queue = nil
		l.mu.Unlock()
		if err == nil && len(queue) > 0 {
			_, err = w.Write(queue)
		}
		if closed {
			return
		}
	}
}

// close ends the last line, waits until all is written, and returns how many
// bytes of the log are used; false where the log takes no more.
func (l *liveLog) close(limit time.Duration) (used int64, ok bool) {
	l.mu.Lock()
	l.endLine()
	l.closed = true
	used = l.used
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default:
	}
	return used, within(l.done, limit)
}

// lineWriter passes whole lines on, so that those of two streams don't mix; a
// piece of a line, such as the dots of a progress display, waits only a moment.
type lineWriter struct {
	live  io.Writer
	mu    sync.Mutex
	held  []byte
	timer *time.Timer
}

const (
	holdTime  = 200 * time.Millisecond
	holdBytes = 4 << 10
)

func (w *lineWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held = append(w.held, p...)
	whole := bytes.LastIndexByte(w.held, '\n') + 1
	if len(w.held)-whole > holdBytes {
		whole = len(w.held)
	}
	w.pass(whole)
	if len(w.held) > 0 && w.timer == nil {
		w.timer = time.AfterFunc(holdTime, w.flush)
	}
	return len(p), nil
}

// pass hands on the first n bytes of what is held.
func (w *lineWriter) pass(n int) {
	if n == 0 {
		return
	}
	_, _ = w.live.Write(w.held[:n]) // a liveLog takes everything
	w.held = append(w.held[:0], w.held[n:]...)
	if w.timer != nil {
		w.timer.Stop()
		w.timer = nil
	}
}

func (w *lineWriter) flush() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pass(len(w.held))
}
