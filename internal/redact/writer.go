// SPDX-License-Identifier: Apache-2.0

// Package redact replaces tokens and private keys in what a command writes.
// docs/redaction.md says which, and what looks like one and stays.
//
// One matcher serves streams and byte slices. It takes linear time, and holds
// back at most MaxHeld bytes: what may be the beginning of a secret.
package redact

import (
	"bytes"
	"io"
)

const (
	// Replacement stands for a token, or for a line of a private key.
	Replacement = "[redacted]"
	// MaxHeld is the most that a Writer holds back.
	MaxHeld = 8 << 10
	// contextBytes is how far back is looked for what a word begins after.
	contextBytes = 16
)

// Writer passes on what is written to it, secrets replaced. What may be the
// beginning of a secret waits for the next Write, or for Close.
type Writer struct {
	dst   io.Writer
	count int64
	// buf has the context, which is passed on already, and what is not yet.
	buf    []byte
	done   int // length of the context
	out    []byte
	inside part // what the next byte belongs to; nil in ordinary text
	// noToken is an index in buf before which no signed token begins.
	noToken int
}

// part reads what belongs to a secret, and sets Writer.inside to nil where that
// ends. It returns false where it must see more first.
type part interface {
	read(w *Writer, final bool) bool
}

// NewWriter returns a Writer to dst.
func NewWriter(dst io.Writer) *Writer { return &Writer{dst: dst} }

// Write returns dst's error, if it has one.
func (w *Writer) Write(p []byte) (int, error) {
	w.buf = append(w.buf, p...)
	if err := w.pass(false); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close passes on what is held back. It doesn't close the other writer.
func (w *Writer) Close() error { return w.pass(true) }

// Count is how many secrets were replaced so far; a private key of many lines
// is one.
func (w *Writer) Count() int64 { return w.count }

// Bytes returns the text with secrets replaced, and how many there were.
func Bytes(text []byte) ([]byte, int64) {
	var out bytes.Buffer
	w := NewWriter(&out)
	_, _ = w.Write(text) // to memory
	_ = w.Close()
	return out.Bytes(), w.Count()
}

func (w *Writer) pass(final bool) error {
	w.out = w.out[:0]
	for len(w.rest()) > 0 && w.step(final) {
	}
	w.forget()
	if len(w.out) == 0 {
		return nil
	}
	_, err := w.dst.Write(w.out)
	return err
}

// step is false where more must be seen first.
func (w *Writer) step(final bool) bool {
	if w.inside != nil {
		return w.inside.read(w, final)
	}
	w.keep(indexStart(w.rest()))
	if len(w.rest()) == 0 {
		return true
	}
	switch m := w.match(final); {
	case m.verdict == yes:
		w.keep(m.keep)
		if m.drop > 0 {
			w.count++
			w.replace(m.drop)
		}
		w.inside = m.inside
	case m.verdict == more:
		return false
	default:
		w.keep(1)
	}
	return true
}

// rest is what has not been passed on.
func (w *Writer) rest() []byte { return w.buf[w.done:] }

// keep passes n bytes on as they are.
func (w *Writer) keep(n int) {
	w.out = append(w.out, w.rest()[:n]...)
	w.done += n
}

// replace passes the replacement on for n bytes.
func (w *Writer) replace(n int) {
	w.out = append(w.out, Replacement...)
	w.done += n
}

// forget drops what was passed on, but the context.
func (w *Writer) forget() {
	if drop := w.done - contextBytes; drop > 0 {
		w.buf = append(w.buf[:0], w.buf[drop:]...)
		w.done -= drop
		w.noToken -= drop
	}
}
