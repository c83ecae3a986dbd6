// SPDX-License-Identifier: Apache-2.0

package redact

import "bytes"

type verdict int

const (
	no verdict = iota
	more
	yes
)

// match says whether a secret begins here: keep is how much stands before it,
// drop how much of it is to be replaced, and inside reads on.
type match struct {
	verdict
	keep, drop int
	inside     part
}

// indexStart returns where the first secret may begin; len(text) for nowhere.
func indexStart(text []byte) int {
	for i := 0; i+1 < len(text); i++ {
		switch {
		case !pairs[uint16(text[i])<<8|uint16(text[i+1])]:
		case text[i] != '-':
			return i
		default:
			// Only the last of many dashes may be a key's.
			n := dash.span(text[i:])
			begin := i + max(0, n-len("-----"))
			if n >= len("-----") || i+n == len(text) {
				return begin
			}
			i += n - 1
		}
	}
	if n := len(text); n > 0 && !starts[text[n-1]] {
		return n
	}
	return max(0, len(text)-1)
}

// starts has the first bytes of secrets, and pairs the first two of each.
var starts, pairs = func() (*class, *[1 << 16]bool) {
	var starts class
	var pairs [1 << 16]bool
	for first, seconds := range map[byte]string{
		'y': "a", '1': `/%\`, 'G': "O", 'A': "I", 'e': "y", 'B': "e", 'b': "e", '-': "-", 'a': "c", 'r': "e", 'i': "d",
	} {
		starts[first] = true
		for _, second := range []byte(seconds) {
			pairs[uint16(first)<<8|uint16(second)] = true
		}
	}
	return &starts, &pairs
}()

// match looks for a secret at a start. It is no longer undecided where nothing
// more comes, or may be held back.
func (w *Writer) match(final bool) match {
	text := w.rest()
	text = text[:min(len(text), MaxHeld)]
	final = final || len(text) == MaxHeld
	m := w.matchFirst(text, final)
	if m.verdict == more && final {
		return match{}
	}
	return m
}

func (w *Writer) matchFirst(text []byte, final bool) match {
	switch first := text[0]; {
	case w.follows(notBefore[first]):
		return match{}
	case first == 'y':
		return googleToken(text)
	case first == '1':
		return refreshToken(text, final)
	case first == 'G':
		return clientSecret(text)
	case first == 'A':
		return apiKey(text, final)
	case first == 'e':
		return w.signedToken(text)
	case first == '-':
		return privateKey(text)
	case first == 'B', first == 'b':
		return bearer(text)
	}
	return field(text)
}

// notBefore has what a secret with this first byte doesn't stand after: it is
// the middle of a longer word there.
var notBefore = [256]*class{
	'y': alnum, 'e': alnum, 'B': alnum, 'b': alnum,
	'G': alnum, '1': encoded, 'A': encoded,
	'-': none, 'a': word, 'r': word, 'i': word,
}

// read skips the rest of a token that ends where its class does.
func (c *class) read(w *Writer, _ bool) bool {
	w.done += c.span(w.rest())
	if len(w.rest()) > 0 {
		w.inside = nil
	}
	return true
}

// literal compares the beginning of the text.
func literal(text []byte, want string) verdict {
	switch {
	case bytes.HasPrefix(text, []byte(want)):
		return yes
	case len(text) < len(want) && want[:len(text)] == string(text):
		return more
	}
	return no
}

// atLeast says whether so many bytes of the class are there.
func (c *class) atLeast(text []byte, n int) verdict {
	switch got := c.span(text[:min(len(text), n)]); {
	case got == n:
		return yes
	case got == len(text):
		return more
	}
	return no
}
