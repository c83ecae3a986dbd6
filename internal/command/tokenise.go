// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxWord is the longest argument, in bytes, that Linux hands to a process (MAX_ARG_STRLEN less the closing zero).
const maxWord = 128<<10 - 1

// tokenise splits a line into words by the POSIX shell's rules of quoting. No shell ever sees the words, so what only
// means something to a shell is refused where a shell would act on it: the writer expects something that won't happen.
func tokenise(line string) ([]string, []Violation) {
	if !utf8.ValidString(line) {
		return nil, []Violation{syntax(line, 0, strings.ToValidUTF8(shorten(line), "?"),
			"the command is not valid UTF-8", "Write the command in UTF-8.")}
	}
	l := lexer{line: line}
	for l.pos < len(line) {
		l.step()
	}
	l.endWord()
	return l.words, l.violations
}

// lexer holds how far a line has been read.
type lexer struct {
	line       string
	pos        int
	word       strings.Builder
	inWord     bool
	wordStart  int
	operator   int // where the last operator of a shell ends that was refused
	words      []string
	violations []Violation
}

// step reads one unquoted character, or one quoted string.
func (l *lexer) step() {
	r, size := utf8.DecodeRuneInString(l.line[l.pos:])
	switch {
	case r == '\r' && strings.HasPrefix(l.line[l.pos+1:], "\n"), r == ' ', r == '\t', r == '\n':
		l.endWord()
		l.pos++
	case r == '\'':
		l.single()
	case r == '"':
		l.double()
	case r == '\\':
		l.escape()
	default:
		l.refuseUnquoted(r)
		l.add(r, size)
	}
}

// begin notes that a word has started, even if it is going to be empty, as ” is.
func (l *lexer) begin() {
	if !l.inWord {
		l.inWord, l.wordStart = true, l.pos
	}
}

func (l *lexer) add(r rune, size int) {
	l.begin()
	l.word.WriteRune(r)
	l.pos += size
}

func (l *lexer) endWord() {
	if !l.inWord {
		return
	}
	if l.word.Len() > maxWord {
		l.refuse(l.wordStart, shorten(l.word.String()), fmt.Sprintf("a word is %d bytes long; a process takes at most %d", l.word.Len(), maxWord),
			"Put the text into spec.inputFiles and name the file in the command.")
	}
	l.words = append(l.words, l.word.String())
	l.word.Reset()
	l.inWord = false
}

// single reads a string in single quotes, in which nothing is special.
func (l *lexer) single() {
	l.begin()
	start := l.pos
	l.pos++
	for l.pos < len(l.line) {
		r, size := utf8.DecodeRuneInString(l.line[l.pos:])
		if r == '\'' {
			l.pos++
			return
		}
		l.refuseControl(r)
		l.add(r, size)
	}
	l.unclosed(start, "'")
}

// double reads a string in double quotes: a backslash protects only $ ` " \ and the end of the line.
func (l *lexer) double() {
	l.begin()
	start := l.pos
	l.pos++
	for l.pos < len(l.line) {
		r, size := utf8.DecodeRuneInString(l.line[l.pos:])
		switch {
		case r == '"':
			l.pos++
			return
		case r == '\\' && l.pos+1 < len(l.line) && strings.IndexByte("$`\"\\\n", l.line[l.pos+1]) >= 0:
			l.escape()
		default:
			l.refuseExpansion(r, true)
			l.refuseControl(r)
			l.add(r, size)
		}
	}
	l.unclosed(start, `"`)
}

// escape reads a backslash and what it protects. Before the end of a line it joins the lines.
func (l *lexer) escape() {
	rest := l.line[l.pos+1:]
	switch {
	case rest == "":
		l.refuse(l.pos, `\`, "the command ends in a backslash that protects nothing", `Remove the last \.`)
		l.pos++
	case strings.HasPrefix(rest, "\n"):
		l.pos += len("\\\n")
	case strings.HasPrefix(rest, "\r\n"):
		l.pos += len("\\\r\n")
	default:
		r, size := utf8.DecodeRuneInString(rest)
		l.refuseControl(r)
		l.add(r, 1+size)
	}
}

// refuseUnquoted refuses what a shell, or a reader's eye, would take for something else outside quotes.
func (l *lexer) refuseUnquoted(r rune) {
	switch {
	case l.pos < l.operator: // the second half of && has been refused with the first
	case strings.ContainsRune("|;&<>", r):
		l.operator = l.pos + len(l.shellToken())
		l.refuse(l.pos, l.shellToken(), fmt.Sprintf("%s is an operator of the shell, and no shell runs the command", l.shellToken()), operatorFix(r, l.around()))
	case r == '#' && !l.inWord:
		l.refuse(l.pos, "#", "# begins a comment in a shell, and no shell runs the command", `Remove the comment, or write '#' in quotes if it is meant.`)
	case strings.ContainsRune("“”„«»‘’‚", r):
		l.refuse(l.pos, string(r), fmt.Sprintf("%c is a typographic quotation mark (%U), which quotes nothing", r, r), `Write straight quotes: ' or ".`)
	case isDash(r) && !l.inWord:
		l.refuse(l.pos, string(r), fmt.Sprintf("%c is a typographic dash (%U), which begins no flag", r, r), "Write the hyphen-minus: - or --.")
	case unicode.IsSpace(r) && r > unicode.MaxASCII:
		l.refuse(l.pos, fmt.Sprintf("%U", r), fmt.Sprintf("%U is a special space, which separates no words", r), "Write an ordinary space.")
	case unicode.Is(unicode.Cf, r):
		l.refuse(l.pos, fmt.Sprintf("%U", r), fmt.Sprintf("%U is an invisible character", r), "Remove it, or put it in quotes if it is meant.")
	case r == '\r':
		l.refuse(l.pos, "U+000D", "a carriage return stands alone", "Remove it, or end the line with a line feed.")
	default:
		l.refuseExpansion(r, false)
		l.refuseControl(r)
	}
}

// refuseExpansion refuses what a shell would replace by something else, in double quotes too.
func (l *lexer) refuseExpansion(r rune, quoted bool) {
	if r == '`' {
		l.refuse(l.pos, "`", "a backquote runs a command in a shell, and no shell runs this one", "Write the value itself, or '`' in single quotes if it is meant.")
		return
	}
	if r != '$' {
		return
	}
	if name := expansion(l.line[l.pos:], quoted); name != "" {
		l.refuse(l.pos, name, fmt.Sprintf("%s would be replaced by a shell, and no shell runs the command", name),
			fmt.Sprintf("Write the value itself, or '%s' in single quotes if the text is meant.", name))
	}
}

// expansion is the shell expansion that s, which begins with $, starts with; "" if the $ is plain text.
func expansion(s string, quoted bool) string {
	rest := s[1:]
	if rest == "" {
		return ""
	}
	switch c := rest[0]; {
	case c == '{', c == '(':
		return s[:2]
	case '0' <= c && c <= '9', strings.IndexByte("?@$!#*-", c) >= 0:
		return s[:2]
	case c == '_' || isAlnum(c):
		name := rest[:len(rest)-len(strings.TrimLeft(rest, nameLetters))]
		return s[:1+len(name)]
	case !quoted && (c == '\'' || c == '"'):
		return s[:2]
	}
	return ""
}

// refuseControl refuses characters that no command needs and that a terminal would act on, or that reorder what a
// reader sees. Tabs and line ends are text in quotes.
func (l *lexer) refuseControl(r rune) {
	bidi := r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069
	if unicode.IsControl(r) && r != '\t' && r != '\n' && r != '\r' || bidi {
		l.refuse(l.pos, fmt.Sprintf("%U", r), fmt.Sprintf("%U is a control character", r), "Remove it.")
	}
}

func (l *lexer) unclosed(start int, quote string) {
	l.refuse(start, shorten(l.line[start:]), fmt.Sprintf("the quote %s is never closed", quote), fmt.Sprintf("Close it with %s.", quote))
}

func (l *lexer) refuse(at int, value, message, fix string) {
	if len(l.violations) == maxViolations {
		return
	}
	l.violations = append(l.violations, syntax(l.line, at, value, message, fix))
}

// syntax makes a violation that says where in the line, which may have several lines, it was found.
func syntax(line string, at int, value, message, fix string) Violation {
	before := line[:at]
	where := fmt.Sprintf("at character %d", utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])+1)
	if n := strings.Count(before, "\n"); n > 0 {
		where += fmt.Sprintf(" of line %d", n+1)
	}
	return inCommand(Syntax, value, message+" ("+where+")", fix)
}

// shellToken is the shell operator at the current position: the doubled forms count as one.
func (l *lexer) shellToken() string {
	s := l.line[l.pos:]
	if len(s) > 1 && s[0] == s[1] {
		return s[:2]
	}
	return s[:1]
}

// around is the text round the current position as far as the next white space: the word that was probably meant.
func (l *lexer) around() string {
	start := l.pos
	if l.inWord {
		start = l.wordStart
	}
	end := strings.IndexAny(l.line[l.pos:], " \t\r\n")
	if end < 0 {
		end = len(l.line) - l.pos
	}
	return l.line[start : l.pos+end]
}

func operatorFix(r rune, around string) string {
	instead := "Make a resource of its own for each command"
	switch r {
	case '|', '>':
		instead = "Remove it: the output comes back in status (choose a part of it with --format)"
	case '<':
		instead = "Remove it: give files as spec.inputFiles"
	}
	if strings.ContainsAny(around, `'"\`) {
		around = string(r)
	}
	return fmt.Sprintf("%s, or write %s in quotes if the text is meant.", instead, "'"+shorten(around)+"'")
}

func isDash(r rune) bool {
	return r > unicode.MaxASCII && unicode.Is(unicode.Pd, r) || r == '−'
}

// nameLetters are what the name of a shell variable consists of.
const nameLetters = "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

func isAlnum(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}
