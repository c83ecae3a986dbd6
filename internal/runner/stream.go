// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

// stream is the command's stdout or stderr: a pipe, and what came through it.
type stream struct {
	read, write *os.File
	capture     *result.Capture
	lines       *lineWriter
	sink        io.Writer     // capture and live log; a stage that changes the text goes before both
	done        chan struct{} // closed at the end of the pipe
	err         error         // valid once done
}

func newStream(live *liveLog, capture int64) (*stream, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("making a pipe: %w", err)
	}
	s := &stream{read: read, write: write, capture: result.NewCapture(capture), lines: &lineWriter{live: live}, done: make(chan struct{})}
	s.sink = io.MultiWriter(s.capture, s.lines)
	return s, nil
}

// pump copies until every process has closed its end, or the runner its own.
func (s *stream) pump() {
	defer close(s.done)
	defer func() {
		if p := recover(); p != nil {
			s.err = fmt.Errorf("the runner failed: %v", p)
		}
	}()
	s.write.Close()
	_, err := io.Copy(s.sink, struct{ io.Reader }{s.read})
	if !errors.Is(err, os.ErrClosed) {
		s.err = err
	}
	s.lines.flush()
}

// close ends the pump, if it has not ended, and returns what was captured.
func (s *stream) close() (result.Stream, error) {
	s.read.Close()
	<-s.done
	return s.capture.Stream(), s.err
}
