// SPDX-License-Identifier: Apache-2.0

package result

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// inLog is a report that is in the log, and its reference.
func inLog(t *testing.T) (Report, Trailer, string) {
	t.Helper()
	r := report(noise(60_000), "e")
	message, trailer := encode(t, r, roomy)
	return normal(r), *decode(t, message).Trailer, trailer
}

func TestATrailersLinesAreRecords(t *testing.T) {
	_, ref, trailer := inLog(t)
	lines := strings.SplitAfter(strings.TrimSuffix(trailer, "\n"), "\n")
	if len(lines) != ref.Lines+noticeLines || int64(len(lines)) > ref.TailLines() {
		t.Errorf("%d lines, the reference says %d, tailLines %d", len(lines), ref.Lines, ref.TailLines())
	}
	for _, line := range lines {
		if len(line) > MaxLineBytes || strings.Trim(line, "\n") == "" {
			t.Errorf("a line of %d bytes", len(line))
		}
	}
	if !strings.HasPrefix(trailer, "gcloud-operator: the report of this run follows, for the operator to read: ") {
		t.Errorf("it begins with %q", lines[0])
	}
}

func TestATrailerIsFoundInWhateverLog(t *testing.T) {
	want, ref, trailer := inLog(t)
	lines := strings.SplitAfter(trailer, "\n")
	shuffled := slices.Clone(lines)
	rand.New(rand.NewSource(1)).Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	between := strings.Join(lines, "a line of the other stream\n")
	forged := strings.ReplaceAll(trailer, encoding.EncodeToString(nonce[:]), encoding.EncodeToString(make([]byte, NonceBytes)))
	damaged := strings.ReplaceAll(trailer, "A", "B")
	for name, log := range map[string]string{
		"it is alone":                            trailer,
		"output before it":                       strings.Repeat("output\n", 1000) + trailer,
		"a line without end, of a megabyte":      strings.Repeat("x", 1<<20) + "\n" + trailer,
		"its lines are shuffled":                 strings.Join(shuffled, ""),
		"other lines are between":                between,
		"each line is there twice":               trailer + trailer,
		"its last newline is missing":            strings.TrimSuffix(trailer, "\n"),
		"one with another nonce before it":       forged + trailer,
		"its damaged lines stand before it":      damaged + trailer,
		"binary output":                          noise(100_000) + "\n" + trailer,
		"something was written after it":         trailer + "after\n",
		"footer and first line are lost":         strings.Join(lines[1:len(lines)-2], ""),
		"half a line at the beginning":           lines[3][100:] + trailer,
		"a line with its nonce that is too long": "gcloud-operator-report/1 " + encoding.EncodeToString(nonce[:]) + strings.Repeat(" 1", 1<<15) + "\n" + trailer,
	} {
		t.Run(name, func(t *testing.T) {
			got, err := DecodeTrailer(ref, iotest.HalfReader(strings.NewReader(log)))
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("got %.100v, %v", got, err)
			}
		})
	}
}

func TestADamagedTrailerIsAnHonestError(t *testing.T) {
	_, ref, trailer := inLog(t)
	lines := strings.SplitAfter(trailer, "\n")
	other := ref
	other.SHA256 = strings.Repeat("0", 64)
	// With the nonce, which nobody has, and a checksum that fits.
	forgedLine := string(appendLine(nil, nonce, "2", []byte("AAAA")))
	for name, c := range map[string]struct {
		ref  Trailer
		log  string
		want string
	}{
		"the log is empty":           {ref, "", "11 of its 11 lines are missing"},
		"the log was rotated":        {ref, strings.Join(lines[5:], ""), "4 of its 11 lines are missing"},
		"the last lines are missing": {ref, strings.Join(lines[:8], ""), "4 of its 11 lines are missing"},
		"a line is damaged":          {ref, strings.Join(lines[:3], "") + strings.Replace(lines[3], "A", "B", 1) + strings.Join(lines[4:], ""), "1 of its 11 lines are missing"},
		"a line is forged":           {ref, forgedLine + trailer, "length or SHA-256"},
		"it is another report's":     {other, trailer, "length or SHA-256"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := DecodeTrailer(c.ref, strings.NewReader(c.log)); !errors.Is(err, ErrTrailer) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestALogThatCannotBeReadIsNotTheTrailersFault(t *testing.T) {
	_, ref, _ := inLog(t)
	if _, err := DecodeTrailer(ref, iotest.ErrReader(iotest.ErrTimeout)); !errors.Is(err, iotest.ErrTimeout) || errors.Is(err, ErrTrailer) {
		t.Errorf("got %v", err)
	}
}

func TestALogReadBeforeTheMessageIsThere(t *testing.T) {
	want, ref, trailer := inLog(t)
	otherNonce := encoding.EncodeToString(make([]byte, NonceBytes))
	forged := strings.ReplaceAll(trailer, encoding.EncodeToString(nonce[:]), otherNonce)
	lines := strings.SplitAfter(trailer, "\n")
	for name, c := range map[string]struct {
		log      string
		limit    int64
		complete bool
		usable   bool
	}{
		"all of it":                             {"output\n" + trailer, DefaultLogBytes, true, true},
		"forged ones before it, more than fits": {strings.Repeat(forged, 20) + trailer, int64(len(trailer)), true, true},
		"the runner is still writing":           {strings.Join(lines[:7], ""), DefaultLogBytes, false, false},
		"the command has forged one so far":     {forged, DefaultLogBytes, true, false},
		"a footer alone":                        {lines[len(lines)-2], DefaultLogBytes, false, false},
		"output only":                           {"output\n", DefaultLogBytes, false, false},
		"nothing":                               {"", DefaultLogBytes, false, false},
		"the limit is too small":                {trailer, 20_000, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			kept, complete, err := KeepTrailerLines(strings.NewReader(c.log), c.limit)
			if err != nil || complete != c.complete || int64(len(kept)) > c.limit {
				t.Errorf("%d bytes, complete %v, %v", len(kept), complete, err)
			}
			got, err := DecodeTrailer(ref, bytes.NewReader(kept))
			if usable := err == nil && reflect.DeepEqual(got, want); usable != c.usable {
				t.Errorf("usable: %v, %v", usable, err)
			}
		})
	}
}

func TestTheRoomForATrailerIsEnough(t *testing.T) {
	seal, _ := key(t)
	for name, c := range map[string]struct {
		capture int
		seal    Sealer
	}{
		"10 kB":         {10_000, nil},
		"100 kB":        {100_000, nil},
		"1 MiB":         {1 << 20, nil},
		"10 kB, sealed": {10_000, seal},
		"1 MiB, sealed": {1 << 20, seal},
	} {
		t.Run(name, func(t *testing.T) {
			r := report(noise(c.capture), "")
			for i := range 1000 {
				r.Files = append(r.Files, File{Path: fmt.Sprintf("some/folder/with/a/file-%d.yaml", i), Stream: captured(1, "")})
			}
			room := Limits{MessageBytes: DefaultMessageBytes, LogBytes: TrailerBytes(int64(c.capture)), Nonce: nonce, Seal: c.seal}
			_, trailer := encode(t, r, room)
			room.LogBytes = 1 << 30
			if _, unlimited := encode(t, r, room); len(trailer) != len(unlimited) {
				t.Errorf("it was cut: %d of %d", len(trailer), len(unlimited))
			}
		})
	}
}
