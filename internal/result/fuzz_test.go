// SPDX-License-Identifier: Apache-2.0

package result

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
)

// FuzzMessage: whatever stands in a termination message, decoding it neither
// crashes nor returns what could not have been encoded.
func FuzzMessage(f *testing.F) {
	f.Add("")
	f.Add(string(Started("r", HashArgv(nil), start)))
	seal, open := key(f)
	for _, r := range []Report{report("o", "e", "f"), report(noise(3000), "")} {
		m, _, _ := Encode(r, Limits{MessageBytes: MinMessageBytes, LogBytes: 1 << 20, Nonce: nonce})
		f.Add(string(m))
		m, _, _ = Encode(r, Limits{MessageBytes: MinMessageBytes, LogBytes: 1 << 20, Nonce: nonce, Seal: seal})
		f.Add(string(m))
	}
	f.Add(string(header{Run: "r", Reason: Exited, Trailer: &trailerHeader{Lines: -1}}.withBody([]byte("x"))))
	f.Fuzz(func(t *testing.T, text string) {
		m, err := DecodeMessage(text)
		if err != nil {
			return
		}
		checkReport(t, m.Report)
		if opened, err := m.Open(open); err == nil {
			checkReport(t, opened.Report)
		}
		if m.Trailer != nil && (!m.Trailer.plausible() || len(m.Trailer.SHA256) != 64) {
			t.Errorf("an implausible trailer %+v", m.Trailer)
		}
	})
}

// FuzzPayload goes behind the checksums, which no mutation gets past.
func FuzzPayload(f *testing.F) {
	f.Add([]byte(""))
	f.Add(inTheClear(f, report("o", "e", "f")))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := decodeReport(text, fromClear)
		if err != nil {
			return
		}
		checkReport(t, r)
		again, err := decodeReport(inTheClear(t, r), fromClear)
		if err != nil || !reflect.DeepEqual(again, r) {
			t.Errorf("got %+v, then %+v, %v", r, again, err)
		}
	})
}

func inTheClear(t testing.TB, r Report) []byte {
	t.Helper()
	text, err := encodeReport(r, inClear)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func checkReport(t *testing.T, r Report) {
	streams := []Stream{r.Stdout, r.Stderr}
	for _, f := range r.Files {
		streams = append(streams, f.Stream)
	}
	for _, s := range streams {
		s.HeadTail() // panics where Head is out of range
		if s.Bytes < int64(len(s.Data)) || !s.Truncated() && s.Head != len(s.Data) {
			t.Errorf("an impossible stream: %d of %d bytes, head %d", len(s.Data), s.Bytes, s.Head)
		}
	}
}

// FuzzTrailer: whatever stands in a log, before, between or after, a trailer is
// found whole or not at all.
func FuzzTrailer(f *testing.F) {
	r := report(noise(20_000), "")
	message, trailer, err := Encode(r, Limits{MessageBytes: MinMessageBytes, LogBytes: 1 << 20, Nonce: nonce})
	if err != nil {
		f.Fatal(err)
	}
	m, err := DecodeMessage(string(message))
	if err != nil {
		f.Fatal(err)
	}
	want := normal(r)
	lines := bytes.SplitAfter(trailer, []byte("\n"))
	f.Add([]byte("output\n"), uint16(0))
	f.Add(lines[len(lines)-2], uint16(9000))
	f.Add(appendLine(nil, nonce, "1", []byte("AAAA")), uint16(1000))
	f.Add([]byte(linePrefix+" x end 0 1 2 3\n"), uint16(20_000))
	f.Fuzz(func(t *testing.T, noise []byte, at uint16) {
		cut := int(at) % len(trailer)
		log := bytes.Join([][]byte{noise, trailer[:cut], noise, trailer[cut:], noise}, nil)
		kept, complete, err := KeepTrailerLines(bytes.NewReader(log), 1<<20)
		if err != nil {
			t.Error(err)
		}
		direct, directErr := DecodeTrailer(*m.Trailer, bytes.NewReader(log))
		early, earlyErr := DecodeTrailer(*m.Trailer, bytes.NewReader(kept))
		if directErr == nil && !reflect.DeepEqual(direct, want) || earlyErr == nil && !reflect.DeepEqual(early, want) {
			t.Error("another report was read")
		}
		if (directErr == nil) != (earlyErr == nil) {
			t.Errorf("the early reader sees another: %v and %v (complete %v)", directErr, earlyErr, complete)
		}
	})
}

// FuzzRoundTrip: every report arrives whole if there is room, and with what
// Limit leaves of it if there isn't.
func FuzzRoundTrip(f *testing.F) {
	f.Add("out", "err", "file", "why", 3, uint16(0), uint16(4096), uint16(100), false)
	f.Add("", "", "", "\xff<>&", -1, uint16(5000), uint16(1024), uint16(9), false)
	f.Add("", "é", "x", "", 0, uint16(50_000), uint16(2000), uint16(0), false)
	f.Add("out", "err", "file", "why", 3, uint16(20_000), uint16(4096), uint16(100), true)
	seal, open := key(f)
	f.Fuzz(func(t *testing.T, stdout, stderr, file, why string, code int, more, message, logKB uint16, sealed bool) {
		r := report(stdout+noise(int(more)), stderr, file)
		r.Message, r.ExitCode = strings.ToValidUTF8(why, ""), code
		l := Limits{MinMessageBytes + int64(message)%(DefaultMessageBytes-MinMessageBytes+1), int64(logKB) << 10, nonce, nil}
		if sealed {
			l.Seal = seal
		}
		text, trailer, err := Encode(r, l)
		if err != nil {
			t.Fatal(err)
		}
		if int64(len(text)) > l.MessageBytes || logBytes(string(trailer)) > l.LogBytes {
			t.Errorf("%d bytes of message, %d of log", len(text), len(trailer))
		}
		got := received(t, string(text), string(trailer), open)
		checkReport(t, got)
		if got.Run != r.Run || got.Reason != r.Reason || got.ExitCode != r.ExitCode || !(sealed && got.Stdout.SHA256 == "") && got.Stdout.SHA256 != r.Stdout.SHA256 || got.Stderr.Bytes != r.Stderr.Bytes {
			t.Errorf("got %+v", got)
		}
		if l.LogBytes > logBytes(string(trailer))+20_000 && !reflect.DeepEqual(got, normal(r)) {
			t.Error("there was room, and it is not the same")
		}
	})
}
