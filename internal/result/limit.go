// SPDX-License-Identifier: Apache-2.0

package result

import (
	"cmp"
	"slices"
	"unicode/utf8"
)

// Limit returns the report with the data of streams and files cut down to head
// and tail so that together they are at most total bytes. What is small stays
// whole; the large ones share alike what is left. UTF-8 sequences stay whole.
func (r Report) Limit(total int64) Report {
	r.Files = slices.Clone(r.Files)
	streams := []*Stream{&r.Stdout, &r.Stderr}
	for i := range r.Files {
		streams = append(streams, &r.Files[i].Stream)
	}
	sizes := make([]int64, len(streams))
	for i, s := range streams {
		sizes[i] = int64(len(s.Data))
	}
	for i, share := range Shares(sizes, total) {
		*streams[i] = streams[i].cut(int(share))
	}
	return r
}

// dataBytes is what Limit limits.
func (r Report) dataBytes() int64 {
	n := len(r.Stdout.Data) + len(r.Stderr.Data)
	for _, f := range r.Files {
		n += len(f.Data)
	}
	return int64(n)
}

// Shares divides total among sizes: none gets more than its size, and those
// that get less get the same, to the byte.
func Shares(sizes []int64, total int64) []int64 {
	order := make([]int, len(sizes))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(sizes[a], sizes[b]) })
	shares := make([]int64, len(sizes))
	left := max(total, 0)
	for done, i := range order {
		shares[i] = min(sizes[i], left/int64(len(order)-done))
		left -= shares[i]
	}
	return shares
}

// cut keeps n bytes, half of them head where there is as much.
func (s Stream) cut(n int) Stream {
	if len(s.Data) <= n {
		return s
	}
	head := n / 2
	if s.Truncated() {
		tail := len(s.Data) - s.Head
		head = min(max(head, n-tail), s.Head)
	}
	return s.with(s.Data[:head], s.Data[len(s.Data)-(n-head):])
}

// with returns the stream with a new head and tail, without the pieces of
// UTF-8 sequences at the gap between them.
func (s Stream) with(head, tail []byte) Stream {
	head, tail = trimEnd(head), trimStart(tail)
	s.Data = slices.Concat(head, tail)
	s.Head = len(head)
	return s
}

func trimEnd(b []byte) []byte {
	for i := 1; i < utf8.UTFMax && i <= len(b); i++ {
		last := b[len(b)-i:]
		if utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				return b[:len(b)-i]
			}
			break
		}
	}
	return b
}

func trimStart(b []byte) []byte {
	for i := 0; i < utf8.UTFMax-1 && len(b) > 0 && !utf8.RuneStart(b[0]); i++ {
		b = b[1:]
	}
	return b
}
