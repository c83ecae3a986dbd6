// SPDX-License-Identifier: Apache-2.0

package result

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"
)

// A report is encoded as the length of a description in JSON, the description,
// and the data of stdout, stderr and the files one after the other: as JSON it
// would be base64 inside, which compresses badly. That is deflated, sealed where
// a Sealer is given, and written as base64 for messages and logs, which keep
// text only.

// maxPayloadBytes bounds what a report inflates to: data, and the description
// of files and of what was left out.
const maxPayloadBytes = MaxCaptureBytes + 8<<20

// Sealer returns a writer that encrypts; internal/seal has one.
type Sealer func(io.Writer) (io.WriteCloser, error)

// Opener is the reverse of a Sealer.
type Opener func(io.Reader) (io.Reader, error)

func inClear(w io.Writer) (io.WriteCloser, error) { return nopCloser{w}, nil }

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

func fromClear(r io.Reader) (io.Reader, error) { return r, nil }

var encoding = base64.RawURLEncoding.Strict()

type description struct {
	Run        string            `json:"run"`
	Reason     Reason            `json:"reason"`
	Message    string            `json:"message,omitempty"`
	ExitCode   int               `json:"exitCode"`
	ArgvSHA256 string            `json:"argvSHA256,omitempty"`
	StartedAt  int64             `json:"startedAt,omitempty"` // milliseconds since 1970
	FinishedAt int64             `json:"finishedAt,omitempty"`
	Stdout     streamDescription `json:"stdout"`
	Stderr     streamDescription `json:"stderr"`
	Files      []fileDescription `json:"files,omitempty"`
	LeftOut    []LeftOut         `json:"leftOut,omitempty"`
	Redacted   int64             `json:"redacted,omitempty"`
}

type streamDescription struct {
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256,omitempty"`
	Kept   int    `json:"kept,omitempty"`
	Head   int    `json:"head,omitempty"`
}

type fileDescription struct {
	Path       string `json:"path"`
	Executable bool   `json:"executable,omitempty"`
	streamDescription
}

func encodeReport(r Report, seal Sealer) ([]byte, error) {
	header, err := json.Marshal(describe(r))
	if err != nil {
		panic("encoding strings and numbers: " + err.Error())
	}
	var text bytes.Buffer
	armour := base64.NewEncoder(encoding, &text)
	sealed, err := seal(armour)
	if err != nil {
		return nil, fmt.Errorf("sealing a report: %w", err)
	}
	deflate, err := flate.NewWriter(sealed, flate.DefaultCompression)
	if err != nil {
		panic("making a compressor: " + err.Error())
	}
	parts := [][]byte{binary.AppendUvarint(nil, uint64(len(header))), header, r.Stdout.Data, r.Stderr.Data}
	for _, f := range r.Files {
		parts = append(parts, f.Data)
	}
	for _, part := range parts {
		_, _ = deflate.Write(part) // it ends in memory
	}
	if err := errors.Join(deflate.Close(), sealed.Close(), armour.Close()); err != nil {
		return nil, fmt.Errorf("sealing a report: %w", err)
	}
	return text.Bytes(), nil
}

func decodeReport(text []byte, open Opener) (Report, error) {
	opened, err := open(base64.NewDecoder(encoding, bytes.NewReader(text)))
	if err != nil {
		return Report{}, fmt.Errorf("opening a report: %w", err)
	}
	payload, err := io.ReadAll(io.LimitReader(flate.NewReader(opened), maxPayloadBytes+1))
	if err != nil {
		return Report{}, fmt.Errorf("inflating a report: %w", err)
	}
	if len(payload) > maxPayloadBytes {
		return Report{}, fmt.Errorf("a report inflates to more than %d bytes", maxPayloadBytes)
	}
	length, n := binary.Uvarint(payload)
	if n <= 0 || length > uint64(len(payload)-n) {
		return Report{}, errors.New("a report's description is cut")
	}
	var d description
	if err := json.Unmarshal(payload[n:n+int(length)], &d); err != nil {
		return Report{}, fmt.Errorf("reading a report's description: %w", err)
	}
	return d.report(payload[n+int(length):])
}

func describe(r Report) description {
	d := description{
		Run: r.Run, Reason: r.Reason, Message: r.Message, ExitCode: r.ExitCode, ArgvSHA256: r.ArgvSHA256,
		StartedAt: millis(r.StartedAt), FinishedAt: millis(r.FinishedAt),
		Stdout: describeStream(r.Stdout), Stderr: describeStream(r.Stderr), LeftOut: r.LeftOut, Redacted: r.Redacted,
	}
	for _, f := range r.Files {
		d.Files = append(d.Files, fileDescription{f.Path, f.Executable, describeStream(f.Stream)})
	}
	return d
}

func describeStream(s Stream) streamDescription {
	return streamDescription{Bytes: s.Bytes, SHA256: s.SHA256, Kept: len(s.Data), Head: s.Head}
}

// report puts description and data together; the data must fit exactly.
func (d description) report(data []byte) (Report, error) {
	r := Report{
		Run: d.Run, Reason: d.Reason, Message: d.Message, ExitCode: d.ExitCode, ArgvSHA256: d.ArgvSHA256,
		StartedAt: fromMillis(d.StartedAt), FinishedAt: fromMillis(d.FinishedAt), LeftOut: d.LeftOut, Redacted: d.Redacted,
	}
	var errs [2]error
	r.Stdout, data, errs[0] = d.Stdout.stream(data)
	r.Stderr, data, errs[1] = d.Stderr.stream(data)
	if err := errors.Join(errs[:]...); err != nil {
		return Report{}, err
	}
	for _, f := range d.Files {
		s, rest, err := f.stream(data)
		if err != nil || !fs.ValidPath(f.Path) {
			return Report{}, fmt.Errorf("file %q of a report is not valid: %w", f.Path, err)
		}
		r.Files, data = append(r.Files, File{f.Path, f.Executable, s}), rest
	}
	if len(data) > 0 {
		return Report{}, fmt.Errorf("a report has %d bytes too many", len(data))
	}
	return r, nil
}

func (d streamDescription) stream(data []byte) (Stream, []byte, error) {
	whole := int64(d.Kept) == d.Bytes
	switch {
	case d.Kept < 0 || d.Kept > len(data) || int64(d.Kept) > d.Bytes:
		return Stream{}, nil, fmt.Errorf("a stream keeps %d of %d bytes, and %d are there", d.Kept, d.Bytes, len(data))
	case d.Head < 0 || d.Head > d.Kept || whole && d.Head != d.Kept:
		return Stream{}, nil, fmt.Errorf("a stream's head is %d of %d bytes", d.Head, d.Kept)
	}
	return Stream{Bytes: d.Bytes, SHA256: d.SHA256, Data: data[:d.Kept:d.Kept], Head: d.Head}, data[d.Kept:], nil
}

// Times are milliseconds on the wire; 0 is the zero time.
func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func fromMillis(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
