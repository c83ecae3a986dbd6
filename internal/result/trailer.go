// SPDX-License-Identifier: Apache-2.0

package result

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strconv"
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
	// Lines is the number of lines that the encoded report is divided into.
	Lines int
	// Bytes and SHA256 (hex) are of the encoded report.
	Bytes  int64
	SHA256 string
	Nonce  [NonceBytes]byte
}

// TailLines is the tailLines to ask the kubelet for: the trailer, and as much
// again, because some runtimes split a line into several records.
func (t Trailer) TailLines() int64 { return 2 * int64(t.Lines+noticeLines) }

// A trailer is a line for people, the lines of the report, and a footer:
//
//	gcloud-operator: the report of this run follows, …
//	gcloud-operator-report/1 <nonce> <number> <checksum> <part of the report>
//	gcloud-operator-report/1 <nonce> end <checksum> <lines> <bytes> <SHA-256>
const (
	notice      = "gcloud-operator: the report of this run follows"
	linePrefix  = "gcloud-operator-report/1"
	footerLabel = "end"
	partBytes   = 8000
	noticeLines = 2
	// lineBytes is the most that a line has beside its part.
	lineBytes = MaxLineBytes - partBytes
	// noticeBytes is the most that the line for people and the footer have.
	noticeBytes = 512
	// maxBodyBytes bounds what a Trailer may ask to be kept in memory.
	maxBodyBytes = 2 * maxPayloadBytes
)

// TrailerBytes is what the trailer of a report with this CaptureBytes takes at
// most in the log, each record's own bytes counted; a report with so many
// files that it would be more is cut down to the room that there is.
func TrailerBytes(capture int64) int64 {
	const descriptionBytes = 256 << 10
	body := (capture + capture>>10 + descriptionBytes) * 4 / 3
	return body + (body/partBytes+1)*(lineBytes+RecordOverhead) + noticeBytes
}

// trailerRoom is the size of an encoded report whose trailer takes log bytes.
func trailerRoom(log int64) int {
	perLine := int64(partBytes + lineBytes + RecordOverhead)
	return int(max(log-noticeBytes, 0)/perLine) * partBytes
}

func encodeTrailer(body []byte, nonce [NonceBytes]byte) (Trailer, []byte) {
	sum := sha256.Sum256(body)
	t := Trailer{Bytes: int64(len(body)), SHA256: hex.EncodeToString(sum[:]), Nonce: nonce}
	t.Lines = (len(body) + partBytes - 1) / partBytes
	out := fmt.Appendf(nil, "%s, for the operator to read: %d lines, %d bytes, SHA-256 %s\n",
		notice, t.Lines, t.Bytes, t.SHA256)
	for i := range t.Lines {
		part := body[i*partBytes : min((i+1)*partBytes, len(body))]
		out = appendLine(out, nonce, strconv.Itoa(i), part)
	}
	return t, appendLine(out, nonce, footerLabel, fmt.Appendf(nil, "%d %d %s", t.Lines, t.Bytes, t.SHA256))
}

func appendLine(out []byte, nonce [NonceBytes]byte, label string, part []byte) []byte {
	return fmt.Appendf(out, "%s %s %s %s %s\n", linePrefix, encoding.EncodeToString(nonce[:]), label, lineSum(label, part), part)
}

func lineSum(label string, part []byte) string {
	return fmt.Sprintf("%08x", crc32.Update(crc32.ChecksumIEEE([]byte(label)), crc32.IEEETable, part))
}

// BeginsReport says whether the line of a log looks like one of a trailer's. It
// is for those who show a log to people: a command can print such a line, too.
func BeginsReport(line []byte) bool {
	return bytes.HasPrefix(line, []byte(notice)) || bytes.HasPrefix(line, []byte(linePrefix))
}

// MayBeginReport says whether a line that begins so can still become one for
// which BeginsReport is true.
func MayBeginReport(beginning []byte) bool {
	return bytes.HasPrefix([]byte(notice), beginning) || bytes.HasPrefix([]byte(linePrefix), beginning)
}

// line is one of a trailer's, the newline cut off.
type line struct {
	nonce [NonceBytes]byte
	label string
	part  []byte
}

// parseLine returns false for whatever is not an intact line of a trailer.
func parseLine(text []byte) (line, bool) {
	fields := bytes.SplitN(text, []byte(" "), 5)
	if len(fields) != 5 || string(fields[0]) != linePrefix || len(fields[1]) != encoding.EncodedLen(NonceBytes) {
		return line{}, false
	}
	l := line{label: string(fields[2]), part: fields[4]}
	if _, err := encoding.Decode(l.nonce[:], fields[1]); err != nil {
		return line{}, false
	}
	return l, string(fields[3]) == lineSum(l.label, l.part)
}

// DecodeTrailer finds the trailer in (the end of) a log and returns the whole
// report. The order of the lines and what stands between them doesn't matter.
// It reads to the end, and keeps no more than t.Bytes.
func DecodeTrailer(t Trailer, log io.Reader) (Report, error) {
	return OpenTrailer(t, log, fromClear)
}

// OpenTrailer is DecodeTrailer for a sealed report.
func OpenTrailer(t Trailer, log io.Reader, open Opener) (Report, error) {
	body, err := trailerBody(t, log)
	if err != nil {
		return Report{}, err
	}
	report, err := decodeReport(body, open)
	if err != nil {
		return Report{}, fmt.Errorf("%w: %w", ErrTrailer, err)
	}
	return report, nil
}

// trailerBody returns the encoded report, which is what t says.
func trailerBody(t Trailer, log io.Reader) ([]byte, error) {
	parts, err := collectParts(t, log)
	if err != nil {
		return nil, fmt.Errorf("reading the log for the report: %w", err)
	}
	var body []byte
	for i := range t.Lines {
		part, ok := parts[i]
		if !ok {
			return nil, fmt.Errorf("%w: %d of its %d lines are missing", ErrTrailer, t.Lines-len(parts), t.Lines)
		}
		body = append(body, part...)
	}
	sum := sha256.Sum256(body)
	if int64(len(body)) != t.Bytes || hex.EncodeToString(sum[:]) != t.SHA256 {
		return nil, fmt.Errorf("%w: length or SHA-256 is not what the termination message says", ErrTrailer)
	}
	return body, nil
}

// collectParts returns the parts by number. Of two intact lines with the same
// number the first is kept; the whole's hash decides whether it was right.
func collectParts(t Trailer, log io.Reader) (map[int][]byte, error) {
	parts := map[int][]byte{}
	left := t.Bytes
	err := eachLine(log, func(text []byte) {
		l, ok := parseLine(text)
		if !ok || l.nonce != t.Nonce {
			return
		}
		number, err := strconv.Atoi(l.label)
		if err != nil || number < 0 || number >= t.Lines || parts[number] != nil || int64(len(l.part)) > left {
			return
		}
		parts[number] = bytes.Clone(l.part)
		left -= int64(len(l.part))
	})
	return parts, err
}

// KeepTrailerLines reads a log to its end, before the termination message is
// known, and returns the lines that may be a trailer's: the last ones, at most
// limit bytes (Task.LogBytes is enough for any trailer). DecodeTrailer takes
// them later. Complete reports whether they end in a whole trailer; a command
// can forge one, so it is no reason not to read again while the log is there.
// What was read before an error is returned with it.
func KeepTrailerLines(log io.Reader, limit int64) (lines []byte, complete bool, err error) {
	var kept [][]byte
	var size int64
	err = eachLine(log, func(text []byte) {
		if _, ok := parseLine(text); !ok {
			return
		}
		kept = append(kept, append(bytes.Clone(text), '\n'))
		size += int64(len(text)) + 1
		for size > limit {
			size -= int64(len(kept[0]))
			kept = kept[1:]
		}
	})
	lines = bytes.Join(kept, nil)
	return lines, endsInTrailer(kept, lines), err
}

func endsInTrailer(kept [][]byte, lines []byte) bool {
	if len(kept) == 0 {
		return false
	}
	t, ok := parseFooter(bytes.TrimSuffix(kept[len(kept)-1], []byte("\n")))
	if !ok {
		return false
	}
	_, err := trailerBody(t, bytes.NewReader(lines))
	return err == nil
}

func parseFooter(text []byte) (Trailer, bool) {
	l, ok := parseLine(text)
	if !ok || l.label != footerLabel {
		return Trailer{}, false
	}
	t := Trailer{Nonce: l.nonce}
	_, err := fmt.Sscanf(string(l.part), "%d %d %s", &t.Lines, &t.Bytes, &t.SHA256)
	return t, err == nil && t.plausible()
}

// plausible bounds what a forged reference makes a reader allocate.
func (t Trailer) plausible() bool {
	return t.Bytes > 0 && t.Bytes <= maxBodyBytes && t.Lines > 0 && int64(t.Lines) <= t.Bytes
}

func (t Trailer) header() *trailerHeader {
	sum, err := hex.DecodeString(t.SHA256)
	if err != nil {
		panic("a hash of our own: " + err.Error())
	}
	return &trailerHeader{digest{t.Bytes, encoding.EncodeToString(sum)}, t.Lines, encoding.EncodeToString(t.Nonce[:])}
}

func (h trailerHeader) trailer() (*Trailer, error) {
	nonce, err := encoding.DecodeString(h.Nonce)
	if err != nil || len(nonce) != NonceBytes {
		return nil, fmt.Errorf("%q is no nonce", h.Nonce)
	}
	sum, err := h.sha256()
	if err != nil {
		return nil, err
	}
	t := &Trailer{Lines: h.Lines, Bytes: h.Bytes, SHA256: sum, Nonce: [NonceBytes]byte(nonce)}
	if !t.plausible() {
		return nil, fmt.Errorf("a trailer of %d lines and %d bytes", t.Lines, t.Bytes)
	}
	return t, nil
}

// eachLine calls visit for each line that may be a trailer's, without its
// newline: longer ones are none. The slice is valid during the call only.
func eachLine(r io.Reader, visit func([]byte)) error {
	buffered := bufio.NewReaderSize(r, 2*MaxLineBytes)
	tooLong := false
	for {
		text, err := buffered.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			tooLong = true
			continue
		}
		if !tooLong {
			visit(bytes.TrimSuffix(text, []byte("\n")))
		}
		tooLong = false
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
