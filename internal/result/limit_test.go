// SPDX-License-Identifier: Apache-2.0

package result

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func captured(limit int64, pieces ...string) Stream {
	c := NewCapture(limit)
	for _, p := range pieces {
		_, _ = c.Write([]byte(p))
	}
	return c.Stream()
}

func TestCaptureKeepsHeadAndTail(t *testing.T) {
	const text = "0123456789"
	for limit := range int64(13) {
		for size := 1; size <= len(text); size++ {
			var pieces []string
			for piece := range slices.Chunk([]byte(text), size) {
				pieces = append(pieces, string(piece))
			}
			s := captured(limit, pieces...)
			head, tail := s.HeadTail()
			want := text
			if limit < 10 {
				want = text[:limit/2] + "|" + text[10-(limit-limit/2):]
			} else {
				want += "|"
			}
			if got := string(head) + "|" + string(tail); got != want || s.Bytes != 10 || s.Truncated() != (limit < 10) {
				t.Errorf("limit %d, pieces of %d: got %q, want %q", limit, size, got, want)
			}
			if s.SHA256 != captured(100, text).SHA256 {
				t.Errorf("limit %d: the hash is not of the whole", limit)
			}
		}
	}
}

func TestLimitSharesTheRoom(t *testing.T) {
	for name, c := range map[string]struct {
		sizes []int64
		total int64
		want  []int64
	}{
		"all fit":                           {[]int64{1, 2, 3}, 6, []int64{1, 2, 3}},
		"what is small stays whole":         {[]int64{100, 1, 100}, 21, []int64{10, 1, 10}},
		"a byte that can't be divided":      {[]int64{100, 100}, 11, []int64{5, 6}},
		"nothing is there to share":         {[]int64{1, 0}, 0, []int64{0, 0}},
		"less than nothing is there":        {[]int64{1}, -5, []int64{0}},
		"the order is not that of the size": {[]int64{50, 3, 40, 2}, 65, []int64{30, 3, 30, 2}},
	} {
		if got := Shares(c.sizes, c.total); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}

func TestLimitCutsAgainWhatWasCut(t *testing.T) {
	whole := strings.Repeat("h", 1000) + strings.Repeat("t", 1000)
	for _, first := range []int64{5000, 2000, 1999, 100, 7, 0} {
		for _, second := range []int64{1500, 50, 3, 1, 0} {
			t.Run(fmt.Sprintf("to %d and then %d bytes", first, second), func(t *testing.T) {
				s := Report{Stdout: captured(first, whole)}.Limit(second).Stdout
				head, tail := s.HeadTail()
				if len(s.Data) != int(min(first, second)) || s.Bytes != 2000 {
					t.Errorf("%d bytes are left", len(s.Data))
				}
				if strings.Trim(string(head), "h") != "" || strings.Trim(string(tail), "t") != "" || len(tail)-len(head) > 1 || len(head) > len(tail) {
					t.Errorf("%d bytes of head, %d of tail", len(head), len(tail))
				}
			})
		}
	}
}

func TestCutsLeaveUTF8Valid(t *testing.T) {
	text := strings.Repeat("aé€😀", 20)
	for limit := range int64(len(text)) {
		for name, s := range map[string]Stream{
			"captured": captured(limit, text),
			"limited":  Report{Stdout: captured(1000, text)}.Limit(limit).Stdout,
		} {
			head, tail := s.HeadTail()
			if !utf8.Valid(head) || !utf8.Valid(tail) || int64(len(s.Data)) < limit-6 {
				t.Errorf("%s to %d: %q … %q", name, limit, head, tail)
			}
		}
	}
}

func TestLimitDoesNotChangeTheReportItIsGiven(t *testing.T) {
	r := Report{Stdout: captured(100, "0123456789"), Files: []File{{Path: "a", Stream: captured(100, "0123456789")}}}
	before := bytes.Clone(r.Stdout.Data)
	r.Limit(6)
	if !bytes.Equal(r.Stdout.Data, before) || !bytes.Equal(r.Files[0].Data, before) {
		t.Error("its data is another")
	}
}
