// SPDX-License-Identifier: Apache-2.0

package result

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand"
	"reflect"
	"strings"
	"testing"
	"time"
)

var (
	start  = time.Date(2026, 1, 2, 3, 4, 5, 678_000_000, time.UTC)
	nonce  = [NonceBytes]byte{1, 2, 3}
	roomy  = Limits{MessageBytes: DefaultMessageBytes, LogBytes: DefaultLogBytes, Nonce: nonce}
	theRun = "6f9d2c1e-7a44-4c0b-9d55-0d9f3f1f7a10/3/1"
)

// noise is text that doesn't compress.
func noise(n int) string {
	b := make([]byte, n)
	rand.New(rand.NewSource(int64(n))).Read(b)
	return string(b)
}

func report(stdout, stderr string, files ...string) Report {
	r := Report{
		Run: theRun, Reason: Exited, ExitCode: 3, ArgvSHA256: HashArgv([]string{"gcloud"}), Message: "why",
		StartedAt: start, FinishedAt: start.Add(time.Second),
		Stdout: captured(MaxCaptureBytes, stdout), Stderr: captured(MaxCaptureBytes, stderr),
	}
	for i, content := range files {
		r.Files = append(r.Files, File{Path: fmt.Sprintf("dir/%d", i), Executable: i%2 == 1, Stream: captured(MaxCaptureBytes, content)})
	}
	return r
}

func encode(t *testing.T, r Report, l Limits) (message, trailer string) {
	t.Helper()
	m, tr, err := Encode(r, l)
	if err != nil {
		t.Fatal(err)
	}
	if len(m) > int(l.MessageBytes) || bytes.IndexByte(m, '\n') >= MaxHeaderBytes {
		t.Errorf("a message of %d bytes, a header of %d", len(m), bytes.IndexByte(m, '\n'))
	}
	if cost := logBytes(string(tr)); cost > l.LogBytes {
		t.Errorf("the trailer takes %d bytes of %d", cost, l.LogBytes)
	}
	return string(m), string(tr)
}

func logBytes(text string) int64 {
	return int64(len(text) + strings.Count(text, "\n")*RecordOverhead)
}

func decode(t *testing.T, message string) Message {
	t.Helper()
	m, err := DecodeMessage(message)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// received is the whole report, from wherever it is, sealed or not.
func received(t *testing.T, message, log string, open Opener) Report {
	t.Helper()
	m, err := decode(t, message).Open(open)
	if err != nil {
		t.Fatal(err)
	}
	if m.Trailer == nil {
		return m.Report
	}
	if !m.Sealed {
		open = fromClear
	}
	r, err := OpenTrailer(*m.Trailer, strings.NewReader(log), open)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestReportsArriveAsTheyWere(t *testing.T) {
	long := report(noise(100_000), "e")
	long.Message = strings.Repeat("<é", 500)
	redacted := report("[redacted]", "")
	redacted.Redacted = 1
	leftOut := report("", "")
	leftOut.LeftOut = []LeftOut{{"a/b", 5, "not a regular file"}, {Why: "3 more"}}
	refused := Report{Run: theRun, Reason: CommandNotFound, ExitCode: 127, FinishedAt: start, Message: "not found"}
	for name, c := range map[string]struct {
		report Report
		body   Body
	}{
		"nothing was printed":                     {report("", ""), Complete},
		"a short text":                            {report("out\n", "err\n"), Complete},
		"bytes that are no text":                  {report("\x00\xff\r\n", noise(500)), Complete},
		"a long text that compresses":             {report(strings.Repeat("name: value\n", 5000), ""), Complete},
		"small files":                             {report("", "", "a", "", "\x00"), Complete},
		"something was left out":                  {leftOut, Complete},
		"something was redacted":                  {redacted, Complete},
		"nothing was started":                     {refused, Complete},
		"more than a message holds":               {report(noise(3000), noise(3000)), Excerpt},
		"4 MiB that don't compress":               {report(noise(4<<20), ""), Excerpt},
		"files that a message doesn't hold":       {report("out", "err", noise(5000), "x"), Excerpt},
		"a long sentence and more than a message": {long, Excerpt},
	} {
		t.Run(name, func(t *testing.T) {
			message, trailer := encode(t, c.report, roomy)
			if m := decode(t, message); m.Body != c.body || !m.Finished || (m.Trailer == nil) != (trailer == "") {
				t.Errorf("body %d, trailer of %d bytes", m.Body, len(trailer))
			}
			if got := received(t, message, trailer, fromClear); !reflect.DeepEqual(got, normal(c.report)) {
				t.Errorf("got %.300v, want %.300v", got, c.report)
			}
		})
	}
}

// normal has empty data where decoding makes some.
func normal(r Report) Report {
	for _, s := range []*Stream{&r.Stdout, &r.Stderr} {
		s.Data = append([]byte{}, s.Data...)
	}
	for i := range r.Files {
		r.Files[i].Data = append([]byte{}, r.Files[i].Data...)
	}
	return r
}

func TestAnExcerptHasHeadAndTailOfBothStreams(t *testing.T) {
	message, _ := encode(t, report("first\n"+noise(50_000)+"last\n", "error\n", noise(5000)), roomy)
	r := decode(t, message).Report
	if !strings.HasPrefix(string(r.Stdout.Data), "first\n") || !strings.HasSuffix(string(r.Stdout.Data), "last\n") || string(r.Stderr.Data) != "error\n" {
		t.Errorf("got %q and %q", r.Stdout.Data, r.Stderr.Data)
	}
	if r.Stdout.Bytes != 50_011 || !r.Stdout.Truncated() || len(r.Stdout.Data) < 2200 || r.Files != nil {
		t.Errorf("%d of %d bytes, files %v", len(r.Stdout.Data), r.Stdout.Bytes, r.Files)
	}
}

func TestAReportIsCutToTheRoomInTheLog(t *testing.T) {
	r := report(noise(400_000), noise(100), noise(100_000))
	for _, room := range []int64{500_000, 100_000, 20_000, 8_754} {
		message, trailer := encode(t, r, Limits{MessageBytes: DefaultMessageBytes, LogBytes: room, Nonce: nonce})
		r := received(t, message, trailer, fromClear)
		kept := int64(len(r.Stdout.Data) + len(r.Stderr.Data) + len(r.Files[0].Data))
		if !r.Stdout.Truncated() || r.Stderr.Truncated() || r.Stdout.Bytes != 400_000 {
			t.Errorf("%d: stdout %d, stderr %d", room, len(r.Stdout.Data), len(r.Stderr.Data))
		}
		// Base64 and the lines' own bytes take a third; the search is good to a tenth.
		if room > 50_000 && kept < room*6/10 {
			t.Errorf("%d: only %d bytes are kept", room, kept)
		}
	}
}

func TestWithoutRoomInTheLogTheMessageIsAllThereIs(t *testing.T) {
	message, trailer := encode(t, report(noise(50_000), "", noise(5000), "x"), Limits{MessageBytes: MinMessageBytes})
	m := decode(t, message)
	if trailer != "" || m.Trailer != nil || m.Body != Complete || !m.Report.Stdout.Truncated() || m.Report.ExitCode != 3 {
		t.Errorf("got body %d, trailer %v, %d bytes of stdout", m.Body, m.Trailer, len(m.Report.Stdout.Data))
	}
	if want := []LeftOut{{Bytes: 5001, Why: "no room in the log for 2 files"}}; !reflect.DeepEqual(m.Report.LeftOut, want) {
		t.Errorf("got %+v", m.Report.LeftOut)
	}
}

func TestTheLargestHeaderHasRoom(t *testing.T) {
	r := report("", "")
	r.Run, r.Reason, r.ExitCode = strings.Repeat("r", MaxRunBytes), StoppedBeforeStart, 255
	r.Stdout.Bytes, r.Stderr.Bytes = math.MaxInt64, math.MaxInt64
	h, err := finishedHeader(r)
	if err != nil {
		t.Fatal(err)
	}
	h.Trailer = Trailer{Lines: maxBodyBytes / partBytes, Bytes: maxBodyBytes, SHA256: r.Stdout.SHA256, Nonce: nonce}.header()
	if n := len(h.withBody(make([]byte, DefaultMessageBytes))) - DefaultMessageBytes; n > MaxHeaderBytes {
		t.Errorf("it has %d bytes", n)
	}
}

func TestEncodeRefusesWhatHasNoRoomInAHeader(t *testing.T) {
	for name, change := range map[string]func(*Report, *Limits){
		"the run is missing":        func(r *Report, _ *Limits) { r.Run = "" },
		"the run is too long":       func(r *Report, _ *Limits) { r.Run = strings.Repeat("r", MaxRunBytes+1) },
		"the reason is missing":     func(r *Report, _ *Limits) { r.Reason = "" },
		"a hash is none":            func(r *Report, _ *Limits) { r.Stdout.SHA256 = "x" },
		"the message is too small":  func(_ *Report, l *Limits) { l.MessageBytes = MinMessageBytes - 1 },
		"the message is too large":  func(_ *Report, l *Limits) { l.MessageBytes = DefaultMessageBytes + 1 },
		"the run has a line's end":  func(r *Report, _ *Limits) { r.Run = "a\nb" },
		"the run has an ampersand":  func(r *Report, _ *Limits) { r.Run = "a&b" },
		"the run is not plain text": func(r *Report, _ *Limits) { r.Run = "é" },
	} {
		r, l := report("", ""), roomy
		change(&r, &l)
		if m, tr, err := Encode(r, l); err == nil || m != nil || tr != nil {
			t.Errorf("%s: got %q, %v", name, m, err)
		}
	}
}

func TestTheInterimMessage(t *testing.T) {
	argv := HashArgv([]string{"gcloud"})
	text := string(Started(theRun, argv, start))
	m := decode(t, text)
	if want := (Report{Run: theRun, ExitCode: NoExitCode, ArgvSHA256: argv, StartedAt: start}); m.Finished || !reflect.DeepEqual(m.Report, want) {
		t.Errorf("got %+v", m)
	}
	if m.Report.Believed(theRun, 0) || m.Report.Believed(theRun, 1) || m.Report.Believed(theRun, 137) {
		t.Error("it is believed as a report")
	}
}

func TestNoMessage(t *testing.T) {
	if _, err := DecodeMessage(""); !errors.Is(err, ErrNoMessage) {
		t.Errorf("got %v", err)
	}
}

// damaged decodes a damaged message, and checks that it is never misread: it is
// refused, or the header is as it was and the body is known to be lost.
func damaged(t *testing.T, what, text string, want Message) {
	t.Helper()
	m, err := DecodeMessage(text)
	if err != nil {
		if !errors.Is(err, ErrDamaged) && text != "" {
			t.Errorf("%s: %v", what, err)
		}
		return
	}
	lost := Report{
		Run: want.Report.Run, Reason: want.Report.Reason, ExitCode: want.Report.ExitCode,
		StartedAt: want.Report.StartedAt, FinishedAt: want.Report.FinishedAt,
	}
	lost.Stdout = Stream{Bytes: want.Report.Stdout.Bytes, SHA256: want.Report.Stdout.SHA256}
	lost.Stderr = Stream{Bytes: want.Report.Stderr.Bytes, SHA256: want.Report.Stderr.SHA256}
	if m.Body != Lost || !m.Finished || m.Sealed != want.Sealed || !reflect.DeepEqual(m.Report, lost) || !reflect.DeepEqual(m.Trailer, want.Trailer) {
		t.Errorf("%s: misread as %+v", what, m)
	}
}

func TestDamageIsDetectedAtEachPosition(t *testing.T) {
	seal, _ := key(t)
	sealed := roomy
	sealed.Seal = seal
	for name, c := range map[string]struct {
		report Report
		limits Limits
	}{
		"a report in the message":        {report("some output\n", "and errors\n", "x"), roomy},
		"a report in the log":            {report(noise(5000), "e"), roomy},
		"a sealed report in the message": {report("some output\n", "and errors\n", "x"), sealed},
		"a sealed report in the log":     {report(noise(5000), "e"), sealed},
	} {
		t.Run(name, func(t *testing.T) {
			text, _ := encode(t, c.report, c.limits)
			want := decode(t, text)
			for i := range len(text) {
				for _, c := range []byte{text[i] ^ 1, '\n', 0xff} {
					if c != text[i] {
						damaged(t, fmt.Sprintf("byte %d is %q", i, c), text[:i]+string(c)+text[i+1:], want)
					}
				}
				damaged(t, fmt.Sprintf("the tail is cut after %d bytes", i), text[:i], want)
				damaged(t, fmt.Sprintf("a byte more at %d", i), text[:i]+"A"+text[i:], want)
				if i > 0 {
					damaged(t, fmt.Sprintf("the head is cut by %d bytes", i), text[i:], want)
				}
			}
			damaged(t, "something was written after it", text+"x", want)
			damaged(t, "it stands there twice", text+text, want)
		})
	}
}

func TestDamageToTheInterimMessageIsDetected(t *testing.T) {
	text := string(Started(theRun, HashArgv(nil), start))
	for i := range len(text) {
		if m, err := DecodeMessage(text[:i] + string(text[i]^1) + text[i+1:]); err == nil {
			t.Errorf("byte %d: misread as %+v", i, m)
		}
		if _, err := DecodeMessage(text[:i]); err == nil {
			t.Errorf("cut after %d bytes: not detected", i)
		}
	}
}

func TestOnlyTheRunnersOwnReportIsBelieved(t *testing.T) {
	for name, c := range map[string]struct {
		report Report
		code   int32
		want   bool
	}{
		"success":                               {Report{Run: theRun, Reason: Exited, ExitCode: 0}, 0, true},
		"success, and the container was killed": {Report{Run: theRun, Reason: Exited, ExitCode: 0}, 137, false},
		"success, and the runner crashed":       {Report{Run: theRun, Reason: Exited, ExitCode: 0}, 2, false},
		"success, and the runner says failure":  {Report{Run: theRun, Reason: Exited, ExitCode: 0}, 1, false},
		"failure":                               {Report{Run: theRun, Reason: Exited, ExitCode: 42}, 1, true},
		"failure, and the runner says success":  {Report{Run: theRun, Reason: Exited, ExitCode: 42}, 0, false},
		"failure, and the container was killed": {Report{Run: theRun, Reason: Exited, ExitCode: 137}, 137, false},
		"stopped with exit code 0":              {Report{Run: theRun, Reason: Terminated, ExitCode: 0}, 1, true},
		"never started":                         {Report{Run: theRun, Reason: CommandNotFound, ExitCode: 127}, 1, true},
		"another run's":                         {Report{Run: "x", Reason: Exited, ExitCode: 0}, 0, false},
	} {
		if got := c.report.Believed(theRun, c.code); got != c.want {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

func TestEachReasonIsEitherRanOrNeverRanOrUnknown(t *testing.T) {
	for reason, want := range map[Reason]string{
		Exited: "ran", TimedOut: "ran", Terminated: "ran", RunnerFailed: "ran",
		InputsChanged: "never", InputsMissing: "never", InputsFailed: "never", NoIdentity: "never", CommandNotFound: "never", NotExecutable: "never", StoppedBeforeStart: "never",
		AlreadyStarted: "unknown", StartWindowPassed: "unknown", SetupFailed: "unknown", "": "unknown", "OfALaterRelease": "unknown",
	} {
		got := "unknown"
		if reason.Ran() {
			got = "ran"
		}
		if reason.NeverRan() {
			got = strings.TrimPrefix(got+" never", "unknown ")
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", reason, got, want)
		}
	}
}
