// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/gcloud-operator/gcloud-operator/internal/redact"
	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

// stream is the command's stdout or stderr: a pipe, and what came through it.
type stream struct {
	read, write *os.File
	capture     *result.Capture
	lines       *lineWriter
	redact      *redact.Writer // before capture and live log; nil where secrets stay
	done        chan struct{}  // closed at the end of the pipe
	err         error          // valid once done
}

func (r *run) newStream() (*stream, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("making a pipe: %w", err)
	}
	s := &stream{
		read: read, write: write, capture: result.NewCapture(r.task.CaptureBytes),
		lines: &lineWriter{live: r.passThrough()}, done: make(chan struct{}),
	}
	if r.redacts() {
		s.redact = redact.NewWriter(s.kept())
	}
	return s, nil
}

// kept takes what the report and the log get.
func (s *stream) kept() io.Writer { return io.MultiWriter(s.capture, s.lines) }

// pump copies until every process has closed its end, or the runner its own.
func (s *stream) pump() {
	defer close(s.done)
	defer func() {
		if p := recover(); p != nil {
			s.err = fmt.Errorf("the runner failed: %v", p)
		}
	}()
	s.write.Close()
	if err := s.copy(); !errors.Is(err, os.ErrClosed) {
		s.err = err
	}
	s.lines.flush()
}

func (s *stream) copy() error {
	source := struct{ io.Reader }{s.read}
	if s.redact == nil {
		_, err := io.Copy(s.kept(), source)
		return err
	}
	_, err := io.Copy(s.redact, source)
	// What may be the beginning of a secret was held back until now.
	return errors.Join(err, s.redact.Close())
}

// close ends the pump, if it has not ended, and returns what was captured, and
// how many secrets were replaced.
func (s *stream) close() (captured result.Stream, redacted int64, err error) {
	s.read.Close()
	<-s.done
	if s.redact != nil {
		redacted = s.redact.Count()
	}
	return s.capture.Stream(), redacted, s.err
}
