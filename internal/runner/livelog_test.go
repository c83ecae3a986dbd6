// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"bytes"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestTheLogHasBothStreamsInOrder(t *testing.T) {
	e := newPod(t).run(shell("for i in 1 2 3; do echo out $i; sleep 0.05; echo err $i >&2; sleep 0.05; done"))
	if want := "out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n"; e.log != want {
		t.Errorf("got %q, want %q", e.log, want)
	}
}

func TestLinesOfTwoStreamsDoNotMix(t *testing.T) {
	e := newPod(t).run(shell("for i in 1 2 3 4 5; do printf abc; printf 'xyz\\n' >&2; printf 'def\\n'; done"))
	for line := range strings.Lines(e.log) {
		if line != "abcdef\n" && line != "xyz\n" {
			t.Errorf("got the line %q", line)
		}
	}
}

// slowWriter blocks until it is released.
type slowWriter struct {
	mu      sync.Mutex
	release chan struct{}
	got     bytes.Buffer
}

func (w *slowWriter) Write(p []byte) (int, error) {
	<-w.release
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.got.Write(p)
}

func (w *slowWriter) text() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.got.String()
}

func released() *slowWriter {
	w := &slowWriter{release: make(chan struct{})}
	close(w.release)
	return w
}

func TestPartOfALineIsShownAfterAMoment(t *testing.T) {
	w := released()
	lines := &lineWriter{live: newLiveLog(w, 1<<20)}
	_, _ = lines.Write([]byte("Creating instance..."))
	if got := w.text(); got != "" {
		t.Errorf("at once: %q", got)
	}
	eventually(t, "it is shown", func() bool { return w.text() == "Creating instance..." })
}

func TestAnEndlessLineIsPassedOnInPieces(t *testing.T) {
	w := released()
	live := newLiveLog(w, 1<<20)
	lines := &lineWriter{live: live}
	for range 100 {
		_, _ = lines.Write(bytes.Repeat([]byte("x"), 1000))
	}
	if len(lines.held) > holdBytes {
		t.Errorf("it holds %d bytes", len(lines.held))
	}
	lines.flush()
	if _, ok := live.close(time.Second); !ok || w.text() != strings.Repeat("x", 100_000)+"\n" {
		t.Errorf("got %d bytes", len(w.text()))
	}
}

func TestTheLiveLogKeepsToItsShare(t *testing.T) {
	for name, line := range map[string]string{
		"short lines, of which most is the records' own": "x\n",
		"long lines":                           strings.Repeat("x", 5000) + "\n",
		"pieces of a line":                     "abc",
		"lines longer than a record":           strings.Repeat("x", 40_000) + "\n",
		"one that is larger than all of share": strings.Repeat("x", 200_000),
	} {
		t.Run(name, func(t *testing.T) {
			const share = 100_000
			w := released()
			live := newLiveLog(w, share)
			for range 10_000 {
				_, _ = live.Write([]byte(line))
			}
			used, ok := live.close(time.Second)
			got := w.text()
			if inLog := logBytes(got); !ok || used > share || inLog > share || used < inLog {
				t.Errorf("it says %d, and %d are in the log", used, inLog)
			}
			if !strings.HasSuffix(got, "\n"+endOfLiveLog) && got != endOfLiveLog || strings.Count(got, endOfLiveLog) != 1 {
				t.Errorf("it ends with %q", got[max(0, len(got)-200):])
			}
		})
	}
}

// logBytes is what containerd writes for a text at least: 44 bytes beside each record.
func logBytes(text string) int64 {
	n := int64(0)
	for line := range strings.Lines(text) {
		n += int64(len(line)) + 44*int64(1+len(line)/(16<<10))
	}
	return n
}

func TestASlowLogDoesNotBlockTheCommand(t *testing.T) {
	w := &slowWriter{release: make(chan struct{})}
	live := newLiveLog(w, 5<<20)
	for range 1000 {
		_, _ = live.Write(bytes.Repeat([]byte("0123456789abcdef\n"), 100))
	}
	// Nothing is released yet: a log that blocked would never come here.
	if _, ok := live.close(50 * time.Millisecond); ok {
		t.Error("it says that all is written")
	}
	close(w.release)
	<-live.done
}

type brokenWriter struct{ writes int }

func (w *brokenWriter) Write([]byte) (int, error) { w.writes++; return 0, errors.New("broken pipe") }

func TestABrokenLogIsNotWrittenToAgain(t *testing.T) {
	w := &brokenWriter{}
	live := newLiveLog(w, 1<<20)
	for range 5 {
		_, _ = live.Write([]byte("x\n"))
		time.Sleep(5 * time.Millisecond)
	}
	live.close(time.Second)
	if w.writes != 1 {
		t.Errorf("it was written to %d times", w.writes)
	}
}
