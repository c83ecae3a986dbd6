// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/gcloud-operator/gcloud-operator/internal/jobspec"
	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

// lastWords is how long the end of the live log may take after the run's end.
const lastWords = 3 * time.Second

// live is the log of a pod on its way to a terminal.
type live struct {
	pod   string
	stop  context.CancelFunc
	shown int64         // bytes; valid when done
	done  chan struct{} // closed at the log's end, or where it can't be read
}

// startLive shows the log of the pod as it grows.
func (s *session) startLive(ctx context.Context, pod string) *live {
	ctx, stop := context.WithCancel(ctx)
	l := &live{pod: pod, stop: stop, done: make(chan struct{})}
	go func() {
		defer close(l.done)
		l.shown, _ = s.copyLog(ctx, pod, true, s.screen) // what it did not show the result has
	}()
	return l
}

// end waits for the log's end, but not for long, and returns how much of it was shown.
func (l *live) end() int64 {
	defer l.stop()
	select {
	case <-l.done:
	case <-time.After(lastWords):
		l.stop()
		<-l.done
	}
	return l.shown
}

// copyLog writes what the command has printed, which is the log without the operator's own part at its end.
func (s *session) copyLog(ctx context.Context, pod string, follow bool, to io.Writer) (int64, error) {
	log, err := s.pods.Pods(s.namespace).GetLogs(pod, &corev1.PodLogOptions{Container: jobspec.ContainerName, Follow: follow}).Stream(ctx)
	if err != nil {
		return 0, err
	}
	defer func() { _ = log.Close() }() // it was only read
	f := &logFilter{to: to}
	if _, err := io.Copy(f, log); err != nil {
		return f.written, fmt.Errorf("reading the log of pod %s: %w", pod, err)
	}
	return f.written, f.flush()
}

// logFilter leaves out the report that the runner writes at the end of the log, and what follows it. Of a line, no
// more is held back than may be the beginning of such a one.
type logFilter struct {
	to      io.Writer
	held    []byte // the beginning of a line that may be the report's
	inLine  bool   // the beginning of this line was passed on
	over    bool
	written int64
}

func (f *logFilter) Write(p []byte) (int, error) {
	for piece := range bytes.Lines(p) {
		if err := f.piece(piece); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// piece takes a line, or a part of one.
func (f *logFilter) piece(p []byte) error {
	if !f.inLine {
		p = append(f.held, p...) // a copy, for p is the reader's
		f.held = nil
		switch f.over = f.over || result.BeginsReport(p); {
		case f.over:
			return nil
		case result.MayBeginReport(p):
			f.held = p
			return nil
		}
	}
	f.inLine = p[len(p)-1] != '\n'
	return f.pass(p)
}

func (f *logFilter) flush() error {
	held := f.held
	f.held = nil
	return f.pass(held)
}

func (f *logFilter) pass(p []byte) error {
	if f.over || len(p) == 0 {
		return nil
	}
	n, err := f.to.Write(p)
	f.written += int64(n)
	return err
}
