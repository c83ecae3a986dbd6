// SPDX-License-Identifier: Apache-2.0

package redact

import "bytes"

// class is a set of bytes.
type class [256]bool

const alphanumeric = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

var (
	dash     = newClass("-")
	none     = newClass("")
	alnum    = newClass(alphanumeric)
	word     = newClass(alphanumeric + "_-") // base64url
	dotted   = newClass(alphanumeric + "_-.")
	padded   = newClass(alphanumeric + "+/=")
	encoded  = newClass(alphanumeric + "+/_-")    // either base64, without padding
	token68  = newClass(alphanumeric + "-._~+/=") // RFC 6750
	hexDigit = newClass("0123456789ABCDEFabcdef")
	lower    = newClass(alphanumeric[26:52])
	// Of a field in JSON.
	quoted = newClass(`"'\`)
	space  = newClass(" \t\r\n")
	colon  = newClass(":=")
	// Of PEM: label, name of a header, what may stand between lines, and what
	// ends one.
	label     = newClass(alphanumeric[:26] + " 0123456789")
	name      = newClass(alphanumeric[:52] + "-")
	between   = newClass(" \t\r|>,\"'")
	backslash = newClass(`\`)
	lineEnd   = newClass("\r\n\\-\"'")
)

func newClass(members string) *class {
	var c class
	for _, b := range []byte(members) {
		c[b] = true
	}
	return &c
}

// span is how many bytes at the beginning of the text are in the class.
func (c *class) span(text []byte) int {
	for i, b := range text {
		if !c[b] {
			return i
		}
	}
	return len(text)
}

// follows reports whether the text so far ends in a byte of the class, so that
// what comes next is no beginning. The end of an escape sequence is none of it.
func (w *Writer) follows(c *class) bool {
	before := w.buf[max(0, w.done-contextBytes):w.done]
	return len(before) > 0 && c[before[len(before)-1]] && !endsInEscape(before)
}

// endsInEscape knows those of JSON and most languages (\n, \u0026, \x0a), of
// URLs (%3D), and a terminal's colours (ESC[1;31m).
func endsInEscape(text []byte) bool {
	n := len(text)
	at := func(back int) byte {
		if back > n {
			return 0
		}
		return text[n-back]
	}
	isHex := func(digits int) bool { return n >= digits && hexDigit.span(text[n-digits:]) == digits }
	switch {
	case at(2) == '\\' && bytes.IndexByte([]byte("abfnrtv"), at(1)) >= 0,
		at(3) == '%' && isHex(2),
		at(4) == '\\' && at(3) == 'x' && isHex(2),
		at(6) == '\\' && at(5) == 'u' && isHex(4):
		return true
	}
	if at(1) != 'm' {
		return false
	}
	colours := bytes.TrimRight(text[:n-1], "0123456789;")
	return bytes.HasSuffix(colours, []byte("["))
}
