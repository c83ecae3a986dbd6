// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"encoding/binary"
	"fmt"
)

// The data are a sequence of unsigned varints and of strings with their length before them: the SDK's version, a table
// of strings, types and groups as JSON, flags, sets of flags, and the nodes depth first. Numbers refer to the tables.

// decoder reads the data. All strings share the memory of the data.
type decoder struct {
	data string
	err  error
}

func (d *decoder) uint() int {
	var n uint64
	for i := 0; i < len(d.data) && i < binary.MaxVarintLen64; i++ {
		n |= uint64(d.data[i]&0x7f) << (7 * i)
		if d.data[i] < 0x80 {
			d.data = d.data[i+1:]
			return int(n)
		}
	}
	d.fail("a number is cut off")
	return 0
}

func (d *decoder) string() string {
	n := d.uint()
	if n < 0 || n > len(d.data) {
		d.fail("a string is cut off")
		return ""
	}
	s := d.data[:n]
	d.data = d.data[n:]
	return s
}

func (d *decoder) fail(why string) {
	if d.err == nil {
		d.err = fmt.Errorf("command tree: %s", why)
	}
	d.data = ""
}

// at is table[i], or the zero value and an error if there is no such entry.
func at[T any](d *decoder, table []T, i int) T {
	var zero T
	if i < 0 || i >= len(table) {
		d.fail(fmt.Sprintf("entry %d of a table of %d", i, len(table)))
		return zero
	}
	return table[i]
}

// table reads a count and that many entries.
func table[T any](d *decoder, entry func() T) []T {
	n := d.uint()
	if n == 0 || n > len(d.data) { // each entry takes a byte at least
		return nil
	}
	out := make([]T, 0, n)
	for range n {
		out = append(out, entry())
		if d.err != nil {
			return nil
		}
	}
	return out
}
