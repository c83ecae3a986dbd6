// SPDX-License-Identifier: Apache-2.0

package result

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
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
	// ArgvSHA256 and StartedAt, no Reason and no exit code.
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

// A message is one line, "<magic> <checksum> <header in JSON>", and the body:
// an encoded report. The checksum is over the JSON alone, and the JSON has the
// body's length and checksum, so that a cut or damaged body costs the body only.
const magic = "gcloud-operator/1"

type header struct {
	Run     string         `json:"run"`
	Reason  Reason         `json:"reason,omitempty"`
	Exit    int            `json:"exit"`
	Argv    string         `json:"argv,omitempty"` // in the interim message only, as hex
	Start   int64          `json:"start,omitempty"`
	End     int64          `json:"end,omitempty"`
	Stdout  *digest        `json:"out,omitempty"`
	Stderr  *digest        `json:"err,omitempty"`
	Body    *digest        `json:"body,omitempty"` // in a finished message only
	Trailer *trailerHeader `json:"trailer,omitempty"`
}

// digest is a length and a SHA-256; of the body only a shortSum.
type digest struct {
	Bytes int64  `json:"n"`
	Sum   string `json:"s"` // base64
}

type trailerHeader struct {
	digest
	Lines int    `json:"l"`
	Nonce string `json:"k"`
}

// Started returns the interim message, written before the command is started:
// it survives whatever happens to the runner.
func Started(run, argvSHA256 string, at time.Time) []byte {
	return header{Run: run, Exit: NoExitCode, Argv: argvSHA256, Start: millis(at)}.encode()
}

// Encode returns the termination message and, where the report doesn't fit
// into it, the trailer for the end of the log (nil otherwise). A report that is
// too large for both is cut down as Limit does. It fails only for a Run or
// MessageBytes that DecodeTask would have refused, or a hash that is none.
func Encode(r Report, l Limits) (message, trailer []byte, err error) {
	if err := errors.Join(checkName("run", r.Run), checkName("reason", string(r.Reason)), checkMessageBytes(l.MessageBytes)); err != nil {
		return nil, nil, err
	}
	h, err := finishedHeader(r)
	if err != nil {
		return nil, nil, err
	}
	room := int(l.MessageBytes) - MaxHeaderBytes
	if body, ok := fitsWhole(withoutHeader(r), room); ok {
		return h.withBody(body), nil, nil
	}
	excerpt := withoutFiles(withoutHeader(r))
	if body := shrink(r, trailerRoom(l.LogBytes)); body != nil {
		var ref Trailer
		ref, trailer = encodeTrailer(body, l.Nonce)
		h.Trailer = ref.header()
	} else {
		excerpt.LeftOut = filesLeftOut(r)
	}
	return h.withBody(shrink(excerpt, room)), trailer, nil
}

// withoutHeader leaves to the header what it has; withHeader puts it back.
func withoutHeader(r Report) Report {
	r.Run, r.Reason, r.ExitCode, r.StartedAt, r.FinishedAt = "", "", 0, time.Time{}, time.Time{}
	r.Stdout.SHA256, r.Stderr.SHA256 = "", ""
	return r
}

func withHeader(r, h Report) Report {
	r.Run, r.Reason, r.ExitCode, r.StartedAt, r.FinishedAt = h.Run, h.Reason, h.ExitCode, h.StartedAt, h.FinishedAt
	r.Stdout.SHA256, r.Stderr.SHA256 = h.Stdout.SHA256, h.Stderr.SHA256
	return r
}

// withoutFiles is what an excerpt has: nothing that can grow without the data.
func withoutFiles(r Report) Report {
	r.Files, r.LeftOut = nil, nil
	r.Message = string(trimEnd([]byte(r.Message[:min(len(r.Message), maxExcerptMessage)])))
	return r
}

const maxExcerptMessage = 128

func filesLeftOut(r Report) []LeftOut {
	if len(r.Files) == 0 {
		return nil
	}
	var n int64
	for _, f := range r.Files {
		n += f.Bytes
	}
	return []LeftOut{{Bytes: n, Why: fmt.Sprintf("no room in the log for %d files", len(r.Files))}}
}

// deflateRatio is more than deflate makes of anything, per base64 character.
const deflateRatio = 800

// fitsWhole encodes the report, unless it can't fit into room bytes anyway.
func fitsWhole(r Report, room int) ([]byte, bool) {
	if r.dataBytes() > deflateRatio*int64(room) {
		return nil, false
	}
	body := encodeReport(r)
	return body, len(body) <= room
}

// shrink encodes as much of the report as fits into room bytes: all of it, or
// as much data as a search finds. Nil: it doesn't fit without any data either.
func shrink(r Report, room int) []byte {
	if body, ok := fitsWhole(r, room); ok {
		return body
	}
	best := encodeReport(r.Limit(0))
	if len(best) > room {
		return nil
	}
	// Twice the room is about what text deflates to it.
	low, high := int64(0), r.dataBytes()
	guess := min(2*int64(room), high/2)
	for step := 0; step < 16 && high-low > 16 && len(best) < room*15/16; step++ {
		body := encodeReport(r.Limit(guess))
		if len(body) <= room {
			low, best = guess, body
		} else {
			high = guess
		}
		// Size grows much as data does; where it doesn't, halves converge too.
		guess = guess * int64(room) / int64(len(body)) * 31 / 32
		if guess <= low || guess >= high || step%4 == 3 {
			guess = low + (high-low)/2
		}
	}
	return best
}

func finishedHeader(r Report) (header, error) {
	h := header{Run: r.Run, Reason: r.Reason, Exit: r.ExitCode, Start: millis(r.StartedAt), End: millis(r.FinishedAt)}
	var errs [2]error
	h.Stdout, errs[0] = streamDigest(r.Stdout)
	h.Stderr, errs[1] = streamDigest(r.Stderr)
	return h, errors.Join(errs[:]...)
}

func (h header) withBody(body []byte) []byte {
	h.Body = &digest{int64(len(body)), shortSum(body)}
	return append(h.encode(), body...)
}

func (h header) encode() []byte {
	text, err := json.Marshal(h)
	if err != nil {
		panic("encoding strings and numbers: " + err.Error())
	}
	line := fmt.Appendf(nil, "%s %s %s\n", magic, shortSum(text), text)
	if len(line) > MaxHeaderBytes {
		panic(fmt.Sprintf("a header of %d bytes: %s", len(line), line))
	}
	return line
}

// DecodeMessage reads a container's termination message. What the kubelet, a
// crowded pod or the command itself does to it is detected: ErrNoMessage,
// ErrDamaged, or Body Lost. That it is genuine only Report.Believed can tell.
func DecodeMessage(text string) (Message, error) {
	if text == "" {
		return Message{}, ErrNoMessage
	}
	h, body, err := decodeHeader(text)
	if err != nil {
		return Message{}, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	m := Message{Finished: h.Body != nil}
	if m.Report, err = h.report(); err != nil {
		return Message{}, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if !m.Finished {
		return m, nil
	}
	if h.Trailer != nil {
		if m.Trailer, err = h.Trailer.trailer(); err != nil {
			return Message{}, fmt.Errorf("%w: %w", ErrDamaged, err)
		}
	}
	m.addBody(*h.Body, body)
	return m, nil
}

func decodeHeader(text string) (header, string, error) {
	line, body, ok := strings.Cut(text, "\n")
	fields := strings.SplitN(line, " ", 3)
	if !ok || len(line) >= MaxHeaderBytes || len(fields) != 3 || fields[0] != magic {
		return header{}, "", errors.New("it does not begin with the runner's header")
	}
	if shortSum([]byte(fields[2])) != fields[1] {
		return header{}, "", errors.New("the checksum of its header does not match")
	}
	var h header
	if err := json.Unmarshal([]byte(fields[2]), &h); err != nil {
		return header{}, "", fmt.Errorf("reading its header: %w", err)
	}
	return h, body, checkName("run", h.Run)
}

func (h header) report() (Report, error) {
	r := Report{
		Run: h.Run, Reason: h.Reason, ExitCode: h.Exit, ArgvSHA256: h.Argv,
		StartedAt: fromMillis(h.Start), FinishedAt: fromMillis(h.End),
	}
	var errs [2]error
	r.Stdout, errs[0] = h.Stdout.stream()
	r.Stderr, errs[1] = h.Stderr.stream()
	return r, errors.Join(errs[:]...)
}

// addBody replaces what the header says by what the body says, if it is intact.
func (m *Message) addBody(want digest, body string) {
	if int64(len(body)) != want.Bytes || shortSum([]byte(body)) != want.Sum {
		return
	}
	report, err := decodeReport([]byte(body))
	if err != nil {
		return
	}
	m.Report, m.Body = withHeader(report, m.Report), Complete
	if m.Trailer != nil {
		m.Body = Excerpt
	}
}

func streamDigest(s Stream) (*digest, error) {
	if s.SHA256 == "" {
		return nil, nil
	}
	sum, err := hex.DecodeString(s.SHA256)
	if err != nil || len(sum) != sha256.Size {
		return nil, fmt.Errorf("%q is no SHA-256", s.SHA256)
	}
	return &digest{s.Bytes, encoding.EncodeToString(sum)}, nil
}

func (d *digest) stream() (Stream, error) {
	if d == nil {
		return Stream{}, nil
	}
	sum, err := d.sha256()
	if err != nil || d.Bytes < 0 {
		return Stream{}, fmt.Errorf("a stream of %d bytes with hash %q: %w", d.Bytes, d.Sum, err)
	}
	return Stream{Bytes: d.Bytes, SHA256: sum}, nil
}

func (d digest) sha256() (string, error) {
	sum, err := encoding.DecodeString(d.Sum)
	if err != nil || len(sum) != sha256.Size {
		return "", fmt.Errorf("%q is no SHA-256", d.Sum)
	}
	return hex.EncodeToString(sum), nil
}

// shortSum is enough against damage, and a header has little room.
func shortSum(b []byte) string {
	sum := sha256.Sum256(b)
	return encoding.EncodeToString(sum[:12])
}
