// SPDX-License-Identifier: Apache-2.0

package redact

import "bytes"

const (
	beginKey = "-----BEGIN "
	endKey   = "-----END"
	slash    = `\/`
	// minFirstLine is the least that makes a key of what follows its first line;
	// shorter words, later on, are the key's if they are a line.
	minFirstLine = 16
	maxLabel     = 48
	maxName      = 24 // of a header line
	maxEscapes   = 8
)

// privateKey: the first line of a private key in PEM, of whatever kind.
func privateKey(text []byte) match {
	rest, v := after(text, beginKey)
	if v != yes {
		return match{verdict: v}
	}
	n := label.span(rest[:min(len(rest), maxLabel)])
	if n == len(rest) {
		return match{verdict: more}
	}
	kind := bytes.TrimSuffix(rest[:n], []byte(" BLOCK"))
	_, v = after(rest[n:], "-----")
	if v == no || !bytes.HasSuffix(kind, []byte("PRIVATE KEY")) {
		return match{}
	}
	return match{v, len(beginKey) + n + len("-----"), 0, &key{}}
}

// key is the rest of a private key: lines of base64, ended by line breaks or by
// escape sequences for them. It ends with its last line, or with what is none
// of a key.
type key struct {
	begun     bool // its first line was replaced
	lineStart bool
	inLine    bool // what follows belongs to the line that was replaced
	header    bool // in a line such as "DEK-Info: …"
}

func (k *key) read(w *Writer, final bool) bool {
	text := w.rest()
	switch b := text[0]; {
	case k.header:
		n := bytes.IndexAny(text, "\n\\")
		k.header = n < 0
		if n < 0 {
			n = len(text)
		}
		w.keep(n)
	case k.inLine:
		return k.readLine(w, final)
	case b == '\n':
		w.keep(1)
		k.lineStart = true
	case between[b]:
		w.keep(1)
	case b == '\\':
		return k.readEscape(w, final)
	case b == '-':
		return k.readEnd(w, final)
	default:
		return k.beginLine(w, final)
	}
	return true
}

// beginLine replaces the first word of a line.
func (k *key) beginLine(w *Writer, final bool) bool {
	text := w.rest()
	n := padded.span(text[:min(len(text), minFirstLine)])
	if n == len(text) && n < minFirstLine && !final {
		return false
	}
	if n == minFirstLine || k.isShortLine(text, n) {
		if !k.begun {
			k.begun = true
			w.count++
		}
		w.replace(n)
		k.lineStart, k.inLine = false, true
		return true
	}
	if !k.begun && k.lineStart {
		v := headerLine(text)
		if v == more && !final {
			return false
		}
		k.header = v == yes
	}
	if !k.header {
		w.inside = nil
	}
	return true
}

// isShortLine reports whether n bytes of text are a line of their own.
func (k *key) isShortLine(text []byte, n int) bool {
	return k.begun && k.lineStart && n > 0 && (n == len(text) || lineEnd[text[n]])
}

// readLine skips the rest of a line that was replaced; JSON may write "/" as "\/".
func (k *key) readLine(w *Writer, final bool) bool {
	w.done += padded.span(w.rest())
	switch v := literal(w.rest(), slash); {
	case len(w.rest()) == 0:
	case v == more && !final:
		return false
	case v == yes:
		w.done += len(slash)
	default:
		k.inLine = false
	}
	return true
}

// readEscape keeps \n, \r and \t, also where they are escaped twice.
func (k *key) readEscape(w *Writer, final bool) bool {
	text := w.rest()
	n := backslash.span(text[:min(len(text), maxEscapes)])
	if n == len(text) && n < maxEscapes && !final {
		return false
	}
	if n == len(text) || bytes.IndexByte([]byte("nrt"), text[n]) < 0 {
		w.inside = nil
		return true
	}
	k.lineStart = k.lineStart || text[n] == 'n'
	w.keep(n + 1)
	return true
}

// readEnd keeps the last line.
func (k *key) readEnd(w *Writer, final bool) bool {
	switch v := literal(w.rest(), endKey); {
	case v == more && !final:
		return false
	case v == yes:
		w.keep(len(endKey))
	}
	w.inside = nil
	return true
}

// headerLine: "Proc-Type: 4,ENCRYPTED".
func headerLine(text []byte) verdict {
	n := name.span(text[:min(len(text), maxName)])
	if n == len(text) && n < maxName {
		return more
	}
	if n > 0 && n < len(text) && text[n] == ':' {
		return yes
	}
	return no
}
