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
	// Sealed: the body is intact, and Message.Open reads it. Until then the report
	// has run, reason, exit code, times, and the size of both streams.
	Sealed
)

// Message is a decoded termination message.
type Message struct {
	// Finished is false for the interim message, whose report has Run,
	// ArgvSHA256 and StartedAt, no Reason and no exit code.
	Finished bool
	Report   Report
	Body     Body
	// Sealed says that body and trailer are encrypted: the command's output is to
	// be known to the controller alone. Of a damaged message it holds too.
	Sealed bool
	// Trailer says where the whole report is; nil where Body is Complete, or
	// would be if it weren't Lost.
	Trailer *Trailer
	body    string // while Body is Sealed
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
	// Seal encrypts the report; nil for one in clear.
	Seal Sealer
}

// A message is one line, "<magic> <checksum> <header in JSON>", and the body:
// an encoded report. The checksum is over the JSON alone, and the JSON has the
// body's length and checksum, so that a cut or damaged body costs the body only.
// The header of a sealed report has no hash of what the command wrote: where
// that is a short password, say, its hash is as good as the text.
const magic = "gcloud-operator/1"

type header struct {
	Run     string         `json:"run"`
	Reason  Reason         `json:"reason,omitempty"`
	Exit    int            `json:"exit"`
	Argv    string         `json:"argv,omitempty"` // in the interim message only, as hex
	Start   int64          `json:"start,omitempty"`
	End     int64          `json:"end,omitempty"`
	Sealed  bool           `json:"sealed,omitempty"`
	Stdout  *digest        `json:"out,omitempty"`
	Stderr  *digest        `json:"err,omitempty"`
	Body    *digest        `json:"body,omitempty"` // in a finished message only
	Trailer *trailerHeader `json:"trailer,omitempty"`
}

// digest is a length and a SHA-256; of the body only a shortSum.
type digest struct {
	Bytes int64  `json:"n"`
	Sum   string `json:"s,omitempty"` // base64; of a stream in a sealed report there is none
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
// MessageBytes that DecodeTask would have refused, a hash that is none, or a
// Seal that fails.
func Encode(r Report, l Limits) (message, trailer []byte, err error) {
	if err := errors.Join(checkName("run", r.Run), checkName("reason", string(r.Reason)), checkMessageBytes(l.MessageBytes)); err != nil {
		return nil, nil, err
	}
	h, err := finishedHeader(r)
	if err != nil {
		return nil, nil, err
	}
	inside := withoutHeader(r)
	if l.Seal != nil {
		h, inside = h.sealed(), withHashes(inside, r)
	}
	seal := l.sealer()
	room := int(l.MessageBytes) - MaxHeaderBytes
	body, err := encodeWithin(inside, room, seal)
	if err != nil {
		return nil, nil, err
	}
	if body != nil {
		return h.withBody(body), nil, nil
	}
	whole, err := shrink(r, trailerRoom(l.LogBytes), seal)
	if err != nil {
		return nil, nil, err
	}
	excerpt := withoutFiles(inside)
	if whole != nil {
		var ref Trailer
		ref, trailer = encodeTrailer(whole, l.Nonce)
		h.Trailer = ref.header()
	} else {
		excerpt.LeftOut = filesLeftOut(r)
	}
	if body, err = shrink(excerpt, room, seal); err != nil {
		return nil, nil, err
	}
	return h.withBody(body), trailer, nil
}

func (l Limits) sealer() Sealer {
	if l.Seal == nil {
		return inClear
	}
	return l.Seal
}

// withoutHeader leaves to the header what it has; withHeader puts it back.
func withoutHeader(r Report) Report {
	r.Run, r.Reason, r.ExitCode, r.StartedAt, r.FinishedAt = "", "", 0, time.Time{}, time.Time{}
	return withHashes(r, Report{})
}

func withHeader(r, h Report) Report {
	r.Run, r.Reason, r.ExitCode, r.StartedAt, r.FinishedAt = h.Run, h.Reason, h.ExitCode, h.StartedAt, h.FinishedAt
	return withHashes(r, h)
}

func withHashes(r, from Report) Report {
	r.Stdout.SHA256, r.Stderr.SHA256 = from.Stdout.SHA256, from.Stderr.SHA256
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

// encodeWithin encodes the report, unless it is more than room bytes then: nil.
func encodeWithin(r Report, room int, seal Sealer) ([]byte, error) {
	if r.dataBytes() > deflateRatio*int64(room) {
		return nil, nil
	}
	body, err := encodeReport(r, seal)
	if len(body) > room {
		return nil, nil
	}
	return body, err
}

// shrink encodes as much of the report as fits into room bytes: all of it, or
// as much data as a search finds. Nil: it doesn't fit without any data either.
func shrink(r Report, room int, seal Sealer) ([]byte, error) {
	if body, err := encodeWithin(r, room, seal); body != nil || err != nil {
		return body, err
	}
	best, err := encodeReport(r.Limit(0), seal)
	if err != nil || len(best) > room {
		return nil, err
	}
	// Twice the room is about what text deflates to it.
	low, high := int64(0), r.dataBytes()
	guess := min(2*int64(room), high/2)
	for step := 0; step < 16 && high-low > 16 && len(best) < room*15/16; step++ {
		body, err := encodeReport(r.Limit(guess), seal)
		if err != nil {
			return nil, err
		}
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
	return best, nil
}

func finishedHeader(r Report) (header, error) {
	h := header{Run: r.Run, Reason: r.Reason, Exit: r.ExitCode, Start: millis(r.StartedAt), End: millis(r.FinishedAt)}
	var errs [2]error
	h.Stdout, errs[0] = streamDigest(r.Stdout)
	h.Stderr, errs[1] = streamDigest(r.Stderr)
	return h, errors.Join(errs[:]...)
}

// sealed is the header without hashes of what the command wrote.
func (h header) sealed() header {
	h.Sealed = true
	for _, d := range []*digest{h.Stdout, h.Stderr} {
		if d != nil {
			d.Sum = ""
		}
	}
	return h
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
	m := Message{Finished: h.Body != nil, Sealed: h.Sealed}
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
	r.Stdout, errs[0] = h.Stdout.stream(h.Sealed)
	r.Stderr, errs[1] = h.Stderr.stream(h.Sealed)
	return r, errors.Join(errs[:]...)
}

// addBody replaces what the header says by what the body says, if it is intact.
func (m *Message) addBody(want digest, body string) {
	if int64(len(body)) != want.Bytes || shortSum([]byte(body)) != want.Sum {
		return
	}
	if m.Sealed {
		m.Body, m.body = Sealed, body
		return
	}
	if report, err := decodeReport([]byte(body), fromClear); err == nil {
		m.setBody(report)
	}
}

func (m *Message) setBody(report Report) {
	m.Report, m.Body = withHeader(report, m.Report), Complete
	if m.Trailer != nil {
		m.Body = Excerpt
	}
}

// Open returns the message with its sealed body read: Body is Complete or
// Excerpt then. A message whose Body isn't Sealed stays as it is. The error is
// open's, or says what is wrong inside; the message is then as it was.
func (m Message) Open(open Opener) (Message, error) {
	if m.Body != Sealed {
		return m, nil
	}
	report, err := decodeReport([]byte(m.body), open)
	if err != nil {
		return m, err
	}
	// The header has sizes, but no hashes.
	m.Report, m.body = withHashes(m.Report, report), ""
	m.setBody(report)
	return m, nil
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

func (d *digest) stream(sealed bool) (Stream, error) {
	switch {
	case d == nil:
		return Stream{}, nil
	case sealed && d.Sum == "" && d.Bytes >= 0:
		return Stream{Bytes: d.Bytes}, nil
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
