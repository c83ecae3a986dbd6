// SPDX-License-Identifier: Apache-2.0

package result

import (
	"errors"
	"time"
)

var (
	// ErrNoMessage: the termination message is empty.
	ErrNoMessage = errors.New("no termination message")
	// ErrDamaged: the message is not the runner's, or its header is not intact.
	ErrDamaged = errors.New("the termination message is damaged")
)

// MaxHeaderBytes bounds a message's header: it survives in a pod of up to 24
// containers, however much of the message is cut.
const MaxHeaderBytes = 512

// Body says what of a finished message's report has come through.
type Body int

const (
	// Lost: the body is cut or damaged. The report has what the header says:
	// run, reason, exit code, times, and size and hash of both streams.
	Lost Body = iota
	// Excerpt: the report has head and tail of both streams, but no files; all
	// the rest is in the trailer.
	Excerpt
	// Complete: the report is all there is.
	Complete
)

// Message is a decoded termination message.
type Message struct {
	// Finished is false for the interim message, whose report has Run,
	// ArgvSHA256 and StartedAt only.
	Finished bool
	Report   Report
	Body     Body
	// Trailer says where the whole report is; nil where Body is Complete, or
	// would be if it weren't Lost.
	Trailer *Trailer
}

// Limits say how much room a report has.
type Limits struct {
	// MessageBytes is the Task's.
	MessageBytes int64
	// LogBytes is what is left of the log for a trailer, each record's own bytes
	// (RecordOverhead) counted; 0 for no trailer.
	LogBytes int64
	// Nonce marks the trailer's lines; see NonceBytes.
	Nonce [NonceBytes]byte
}

// Started returns the interim message, written before the command is started:
// it survives whatever happens to the runner.
func Started(run, argvSHA256 string, at time.Time) []byte { return nil }

// Encode returns the termination message and, where the report doesn't fit
// into it, the trailer for the end of the log (nil otherwise). A report that is
// too large for both is cut down as Limit does. It fails only for a Run or
// MessageBytes that DecodeTask would have refused.
func Encode(r Report, l Limits) (message, trailer []byte, err error) { return nil, nil, nil }

// DecodeMessage reads a container's termination message. What the kubelet, a
// crowded pod or the command itself does to it is detected: ErrNoMessage,
// ErrDamaged, or Body Lost. That it is genuine only Report.Believed can tell.
func DecodeMessage(text string) (Message, error) { return Message{}, ErrDamaged }
