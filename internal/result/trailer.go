// SPDX-License-Identifier: Apache-2.0

package result

import (
	"errors"
	"io"
)

const (
	// NonceBytes is the size of the random value in each line of a trailer. The
	// runner draws it after the command has ended, so that no command can know
	// it, and the controller learns it from the termination message.
	NonceBytes = 16
	// RecordOverhead is what a container runtime adds to a record of the log:
	// time, stream, flags. 46 bytes at most, rounded up.
	RecordOverhead = 50
	// MaxLineBytes bounds a line of a trailer, its newline included; so each is
	// one record of the log.
	MaxLineBytes = 8 << 10
)

// ErrTrailer is what every error of DecodeTrailer wraps, except those of the
// log's reader.
var ErrTrailer = errors.New("the report at the end of the log can't be used")

// Trailer says which lines at the end of the log are the report's.
type Trailer struct {
	// Lines is the number of log lines, all of which are needed.
	Lines int
	// Bytes and SHA256 (hex) are of the encoded report.
	Bytes  int64
	SHA256 string
	Nonce  [NonceBytes]byte
}

// TailLines is the tailLines to ask the kubelet for: the trailer and a margin,
// because some runtimes split lines into several records.
func (t Trailer) TailLines() int64 { return 0 }

// DecodeTrailer finds the trailer in (the end of) a log and returns the whole
// report. The order of the lines and what stands between them doesn't matter.
// It reads to the end, and keeps no more than t.Bytes.
func DecodeTrailer(t Trailer, log io.Reader) (Report, error) { return Report{}, ErrTrailer }

// KeepTrailerLines reads a log to its end, before the termination message is
// known, and returns the lines that may be a trailer's: the last ones, at most
// limit bytes (MaxTrailerBytes is enough for any). DecodeTrailer takes them
// later. Complete reports whether they end in a whole trailer; it may be a
// forged one, and so is no reason not to read again while the log is there.
func KeepTrailerLines(log io.Reader, limit int64) (lines []byte, complete bool, err error) {
	return nil, false, nil
}

// MaxTrailerBytes is the most that the trailer of a report with this
// CaptureBytes takes in the log, each record's own bytes counted.
func MaxTrailerBytes(capture int64) int64 { return 0 }
