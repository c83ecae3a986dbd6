// SPDX-License-Identifier: Apache-2.0

package result

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/gcloud-operator/gcloud-operator/internal/seal"
)

// key is a new pair.
func key(t testing.TB) (Sealer, Opener) {
	t.Helper()
	identity, recipient, err := seal.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	sealer, errFor := seal.For(recipient)
	opener, errWith := seal.With(identity)
	if err := errors.Join(errFor, errWith); err != nil {
		t.Fatal(err)
	}
	return sealer, opener
}

func sealedReport() Report {
	r := report("the-password", "the-warning", "the-key")
	r.Message, r.Files[0].Path = "the-reason", "the-name"
	r.LeftOut = []LeftOut{{Path: "the-rest", Why: "the-limit"}}
	return r
}

func TestASealedReportArrivesAsItWas(t *testing.T) {
	seal, open := key(t)
	long := sealedReport()
	long.Stdout = captured(MaxCaptureBytes, noise(100_000))
	for name, c := range map[string]struct {
		report Report
		body   Body
	}{
		"in the message":      {sealedReport(), Complete},
		"in the log":          {long, Excerpt},
		"nothing was started": {Report{Run: theRun, Reason: CommandNotFound, ExitCode: 127, FinishedAt: start, Message: "no"}, Complete},
	} {
		t.Run(name, func(t *testing.T) {
			limits := roomy
			limits.Seal = seal
			message, trailer := encode(t, c.report, limits)
			if got := received(t, message, trailer, open); !reflect.DeepEqual(got, normal(c.report)) {
				t.Errorf("got %.300v, want %.300v", got, c.report)
			}
			if m, err := decode(t, message).Open(open); m.Body != c.body || !m.Sealed || err != nil || (m.Trailer == nil) != (trailer == "") {
				t.Errorf("body %d, sealed %v, %v", m.Body, m.Sealed, err)
			}
		})
	}
}

func TestASealedReportTellsNothingOfWhatTheCommandWrote(t *testing.T) {
	seal, _ := key(t)
	short := sealedReport()
	long := sealedReport()
	long.Stdout = captured(MaxCaptureBytes, "the-password"+strings.Repeat("x", 1<<20)+noise(50_000))
	for name, r := range map[string]Report{"in the message": short, "in the log": long} {
		t.Run(name, func(t *testing.T) {
			limits := roomy
			limits.Seal = seal
			message, trailer := encode(t, r, limits)
			m := decode(t, message)
			want := Report{
				Run: r.Run, Reason: r.Reason, ExitCode: r.ExitCode, StartedAt: r.StartedAt, FinishedAt: r.FinishedAt,
				Stdout: Stream{Bytes: r.Stdout.Bytes}, Stderr: Stream{Bytes: r.Stderr.Bytes},
			}
			if !m.Finished || m.Body != Sealed || !reflect.DeepEqual(m.Report, want) {
				t.Errorf("in clear it says %+v", m)
			}
			for _, text := range texts(t, message, trailer) {
				for _, secret := range secrets(r) {
					if strings.Contains(text, secret) {
						t.Errorf("%q is there in clear", secret)
					}
				}
			}
		})
	}
}

// secrets are what the command wrote, and the hashes of it in each spelling.
func secrets(r Report) []string {
	all := []string{"the-password", "the-warning", "the-key", "the-name", "the-reason", "the-rest", "the-limit"}
	for _, s := range []Stream{r.Stdout, r.Stderr, r.Files[0].Stream} {
		sum := sha256.Sum256(s.Data)
		all = append(all, s.SHA256, encoding.EncodeToString(sum[:]), string(sum[:]))
		if s.SHA256 != hex.EncodeToString(sum[:]) {
			panic("the report is not whole")
		}
	}
	return all
}

// texts are message and trailer, and what a reader without the key makes of them.
func texts(t *testing.T, message, trailer string) []string {
	t.Helper()
	all := []string{message, trailer}
	_, body, _ := strings.Cut(message, "\n")
	bodies := []string{body}
	if m := decode(t, message); m.Trailer != nil {
		whole, err := trailerBody(*m.Trailer, strings.NewReader(trailer))
		if err != nil {
			t.Fatal(err)
		}
		bodies = append(bodies, string(whole))
	}
	for _, body := range bodies {
		raw, err := encoding.DecodeString(body)
		if err != nil || !bytes.HasPrefix(raw, []byte("age-encryption.org/v1\n")) {
			t.Errorf("the body is not age's: %.30q, %v", raw, err)
		}
		if r, err := decodeReport([]byte(body), fromClear); err == nil {
			t.Errorf("it can be read without the key: %+v", r)
		}
		all = append(all, string(raw))
	}
	return all
}

func TestASealedReportIsNotOpenedWithAnotherKey(t *testing.T) {
	seal, _ := key(t)
	_, stranger := key(t)
	limits := roomy
	limits.Seal = seal
	message, trailer := encode(t, report(noise(50_000), "e"), limits)
	sealed := decode(t, message)
	if m, err := sealed.Open(stranger); err == nil || !reflect.DeepEqual(m, sealed) {
		t.Errorf("the message: got %+v, %v", m, err)
	}
	if r, err := OpenTrailer(*sealed.Trailer, strings.NewReader(trailer), stranger); !errors.Is(err, ErrTrailer) {
		t.Errorf("the trailer: got %.100v, %v", r, err)
	}
	if r, err := DecodeTrailer(*sealed.Trailer, strings.NewReader(trailer)); !errors.Is(err, ErrTrailer) {
		t.Errorf("without a key: got %.100v, %v", r, err)
	}
}

func TestASealedTrailerIsKeptBeforeTheMessageIsThere(t *testing.T) {
	seal, open := key(t)
	limits := roomy
	limits.Seal = seal
	r := report(noise(50_000), "e")
	message, trailer := encode(t, r, limits)
	kept, complete, err := KeepTrailerLines(strings.NewReader("output\n"+trailer), DefaultLogBytes)
	if err != nil || !complete {
		t.Errorf("complete %v, %v", complete, err)
	}
	if got := received(t, message, string(kept), open); !reflect.DeepEqual(got, normal(r)) {
		t.Errorf("got %.100v", got)
	}
}

func TestOpeningWhatIsNotSealedChangesNothing(t *testing.T) {
	_, open := key(t)
	text, _ := encode(t, report("out", ""), roomy)
	want := decode(t, text)
	if m, err := want.Open(open); err != nil || !reflect.DeepEqual(m, want) {
		t.Errorf("got %+v, %v", m, err)
	}
}

func TestASealThatFailsIsAnError(t *testing.T) {
	broken := errors.New("no randomness")
	limits := roomy
	limits.Seal = func(io.Writer) (io.WriteCloser, error) { return nil, broken }
	for _, r := range []Report{report("out", ""), report(noise(50_000), "")} {
		if message, trailer, err := Encode(r, limits); !errors.Is(err, broken) || message != nil || trailer != nil {
			t.Errorf("got %q, %q, %v", message, trailer, err)
		}
	}
}
