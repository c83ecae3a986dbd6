// SPDX-License-Identifier: Apache-2.0

package redact

import "bytes"

// The least that makes a secret of what begins like one; real ones are longer.
const (
	minWord     = 20 // of a token, a client secret, a signature
	minRefresh  = 20
	minHeader   = 8
	minBearer   = 20
	minField    = 10 // between quotes
	minUnquoted = 20
	// surelyToken is a length from which a word without a digit is no placeholder.
	surelyToken = 64
	// maxRefresh bounds what must be seen of a refresh token: all of it.
	maxRefresh = 512
	// apiKeyBytes is the length of an API key after "AIza", always.
	apiKeyBytes = 35
)

// googleToken: ya29.a0Ab…, ya29.c.b0Ab…. After the first dot, or the second, is
// a long word; host names have none.
func googleToken(text []byte) match {
	rest, v := after(text, "ya29.")
	if v != yes {
		return match{verdict: v}
	}
	if kind := alnum.span(rest[:min(len(rest), 3)]); kind <= 2 && kind < len(rest) && rest[kind] == '.' {
		rest = rest[kind+1:]
	}
	return match{word.atLeast(rest, minWord), 0, len(text) - len(rest), dotted}
}

// refreshToken: 1//0gAb…, also as JSON and URLs write slashes. It ends like a
// word: base64 may begin like one, but goes on or is padded.
func refreshToken(text []byte, final bool) match {
	undecided := no
	for _, prefix := range []string{"1//0", `1\/\/0`, "1%2F%2F0", "1%2f%2f0"} {
		rest, v := after(text, prefix)
		undecided = max(undecided, v)
		if v != yes {
			continue
		}
		n := word.span(rest[:min(len(rest), maxRefresh)])
		switch {
		case n == maxRefresh:
			return match{}
		case n == len(rest) && !final:
			return match{verdict: more}
		case n < minRefresh || n < len(rest) && padded[rest[n]]:
			return match{}
		}
		return match{yes, 0, len(prefix) + n, nil}
	}
	return match{verdict: undecided}
}

// clientSecret: GOCSPX-….
func clientSecret(text []byte) match {
	rest, v := after(text, "GOCSPX-")
	if v != yes {
		return match{verdict: v}
	}
	return match{word.atLeast(rest, minWord), 0, len(text) - len(rest), word}
}

// apiKey: AIza and 35 characters, no more: longer words are something else.
func apiKey(text []byte, final bool) match {
	rest, v := after(text, "AIza")
	if v != yes {
		return match{verdict: v}
	}
	n := word.span(rest[:min(len(rest), apiKeyBytes+1)])
	switch {
	case n == len(rest) && !final && n <= apiKeyBytes:
		return match{verdict: more}
	case n != apiKeyBytes || n < len(rest) && padded[rest[n]]:
		return match{}
	}
	return match{yes, 0, len(text) - len(rest) + n, nil}
}

// signedToken: eyJ….eyJ….…, a JWT with a signature. One that is longer than may
// be held back needs none.
func (w *Writer) signedToken(text []byte) match {
	if w.done < w.noToken {
		return match{}
	}
	header := word.span(text)
	if v := literal(text, "eyJ"); v != yes || header == len(text) && header < MaxHeld {
		return match{verdict: min(v, more)}
	}
	payload, v := after(text[header:], ".eyJ")
	if v == no || header < minHeader || header == MaxHeld {
		// Whatever begins in this word ends like it.
		w.noToken = w.done + header
		return match{}
	}
	n := word.span(payload)
	if v == yes && n == len(payload) && len(text) == MaxHeld {
		return match{yes, 0, len(text), dotted}
	}
	signature, v := after(payload[n:], ".")
	if v != yes {
		return match{verdict: v}
	}
	return match{word.atLeast(signature, minWord), 0, len(text) - len(signature), word}
}

// bearer: Bearer ….
func bearer(text []byte) match {
	prefix := "Bearer "
	if text[0] == 'b' {
		prefix = "bearer "
	}
	rest, v := after(text, prefix)
	if v != yes {
		return match{verdict: v}
	}
	return match{opaque(rest, minBearer), len(prefix), minBearer, token68}
}

// field: "access_token": "…" and its like, in JSON, in JSON within JSON, and as
// Python prints it; access_token: … in YAML; access_token=… in URLs.
func field(text []byte) match {
	undecided := no
	for _, name := range []string{"access_token", "accessToken", "refresh_token", "id_token"} {
		rest, v := after(text, name)
		undecided = max(undecided, v)
		if v == yes {
			return fieldValue(text, rest)
		}
	}
	return match{verdict: undecided}
}

// fieldValue: rest of text comes after the field's name.
func fieldValue(text, rest []byte) match {
	n := 0
	for _, stage := range []*class{quoted, space, colon, space, quoted} {
		n = stage.span(rest[:min(len(rest), maxGap)])
		if n == len(rest) {
			return match{verdict: more}
		}
		if n == 0 && stage == colon {
			return match{}
		}
		rest = rest[n:]
	}
	least := minField
	if n == 0 {
		least = minUnquoted
	}
	return match{opaque(rest, least), len(text) - len(rest), least, token68}
}

// maxGap bounds quotes and spaces between a field's name and its value.
const maxGap = 16

// opaque says whether a token of no known form is there, and no placeholder and
// no resource's name: of these many bytes at least, with a digit unless it is long.
func opaque(text []byte, least int) verdict {
	seen := text[:min(len(text), surelyToken)]
	n := token68.span(seen)
	switch {
	case isResource(seen[:n]):
		return no
	case n == surelyToken, n >= least && bytes.ContainsAny(seen[:n], "0123456789"):
		return yes
	case n == len(text):
		return more
	}
	return no
}

// isResource: projects/my-project/….
func isResource(text []byte) bool {
	const shortest = len("apps")
	n := lower.span(text)
	return n >= shortest && n < len(text) && text[n] == '/'
}

// after returns what comes after the prefix, if it is there.
func after(text []byte, prefix string) ([]byte, verdict) {
	if v := literal(text, prefix); v != yes {
		return nil, v
	}
	return text[len(prefix):], yes
}
