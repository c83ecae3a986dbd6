// SPDX-License-Identifier: Apache-2.0

package command

import (
	"slices"
	"strings"
	"testing"
)

func TestTokenise(t *testing.T) {
	for name, c := range map[string]struct {
		line string
		want []string
	}{
		"words are separated by any white space":              {"gcloud  a\tb\nc \r\n d", []string{"gcloud", "a", "b", "c", "d"}},
		"single quotes protect everything":                    {`gcloud 'a $b "c" \ ` + "`" + `'`, []string{"gcloud", `a $b "c" \ ` + "`"}},
		"double quotes keep a backslash before other letters": {`gcloud "a\n\"\\\$\` + "`" + `"`, []string{"gcloud", `a\n"\$` + "`"}},
		"quotes in the middle of a word join it":              {`gcloud --a='b c'"d"e`, []string{"gcloud", "--a=b cde"}},
		"an empty string in quotes is a word":                 {`gcloud '' ""`, []string{"gcloud", "", ""}},
		"a backslash at a line's end joins the lines":         {"gcloud a \\\n  --b\\\n=c \\\r\n d", []string{"gcloud", "a", "--b=c", "d"}},
		"a backslash at a line's end in double quotes too":    {"gcloud \"a\\\nb\"", []string{"gcloud", "ab"}},
		"a line's end in quotes is text":                      {"gcloud 'a\nb'", []string{"gcloud", "a\nb"}},
		"globs and brackets are plain text":                   {"gcloud gs://b/*.[ch] --format=value(name) {a,b} ~ !x", []string{"gcloud", "gs://b/*.[ch]", "--format=value(name)", "{a,b}", "~", "!x"}},
		"a hash inside a word is plain text":                  {"gcloud a#b", []string{"gcloud", "a#b"}},
		"a dollar at a word's end is plain text":              {`gcloud --filter=name~a$ "b$" 5$. `, []string{"gcloud", "--filter=name~a$", "b$", "5$."}},
		"a backslash protects an operator":                    {`gcloud a\|b \# \$c`, []string{"gcloud", "a|b", "#", "$c"}},
		"other letters in quotes are text":                    {`gcloud 'héllo – “x” 👩‍🚀'`, []string{"gcloud", "héllo – “x” 👩‍🚀"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, violations := tokenise(c.line)
			if len(violations) > 0 || !slices.Equal(got, c.want) {
				t.Errorf("tokenise(%q) = %q, %v; want %q", c.line, got, violations, c.want)
			}
		})
	}
}

func TestAnOperatorIsRefusedOnce(t *testing.T) {
	for line, want := range map[string]int{
		"gcloud a && gcloud b":   1,
		"gcloud a&&b":            1,
		"gcloud a || b >> c":     2,
		"gcloud a &&& b":         2,
		`gcloud a \&& b`:         1,
		"gcloud a & & gcloud b":  2,
		"gcloud a | b && c; ls;": 4,
	} {
		if _, violations := tokenise(line); len(violations) != want {
			t.Errorf("tokenise(%q) refuses %d times, want %d: %v", line, len(violations), want, violations)
		}
	}
}

func TestTokeniseRefuses(t *testing.T) {
	for name, c := range map[string]struct{ line, message string }{
		"a pipe":                                {"gcloud a | jq", "| is an operator of the shell, and no shell runs the command (at character 10)"},
		"two commands":                          {"gcloud a && gcloud b", "&& is an operator"},
		"a redirection on the second line":      {"gcloud a \\\n > out", "> is an operator of the shell, and no shell runs the command (at character 2 of line 2)"},
		"a semicolon":                           {"gcloud a; b", "; is an operator"},
		"a here document":                       {"gcloud a <<E", "<< is an operator"},
		"a backquote in double quotes":          {"gcloud \"`id`\"", "a backquote runs a command"},
		"a variable":                            {"gcloud a --project=$PROJECT_ID", "$PROJECT_ID would be replaced"},
		"a variable in double quotes":           {`gcloud "a${X}"`, "${ would be replaced"},
		"a command substitution":                {"gcloud $(id)", "$( would be replaced"},
		"a positional variable":                 {"gcloud $1", "$1 would be replaced"},
		"C-style quotes":                        {`gcloud $'a\x2d'`, "$' would be replaced"},
		"a comment":                             {"gcloud a # b", "# begins a comment"},
		"an unclosed single quote":              {"gcloud 'a", "the quote ' is never closed"},
		"an unclosed double quote":              {`gcloud "a\"`, `the quote " is never closed`},
		"a last backslash":                      {`gcloud a\`, "protects nothing"},
		"typographic quotes":                    {"gcloud “a”", "typographic quotation mark"},
		"a typographic dash that begins a flag": {"gcloud –project=x", "typographic dash"},
		"a no-break space":                      {"gcloud\u00a0a", "special space"},
		"an invisible character":                {"gcloud au\u200bth", "invisible character"},
		"reordered text, even in quotes":        {"gcloud 'a\u202eb'", "control character"},
		"a control character in quotes":         {"gcloud 'a\x1bb'", "control character"},
		"a protected control character":         {"gcloud a\\\x1bb", "control character"},
		"a zero byte":                           {"gcloud a\x00b", "control character"},
		"a lone carriage return":                {"gcloud a\rb", "carriage return"},
		"bytes that are not UTF-8":              {"gcloud \xff", "not valid UTF-8"},
		"a word that no process takes":          {"gcloud " + strings.Repeat("x", 1<<17), "a process takes at most"},
	} {
		t.Run(name, func(t *testing.T) {
			_, violations := tokenise(c.line)
			if len(violations) == 0 {
				t.Fatalf("tokenise(%q) accepted it", c.line)
			}
			if v := violations[0]; v.Rule != Syntax || v.Fix == "" || !strings.Contains(v.Message, c.message) {
				t.Errorf("tokenise(%q): %+v; want a message with %q, and a fix", c.line, v, c.message)
			}
		})
	}
}

func TestQuoteIsUndoneByTokenise(t *testing.T) {
	words := []string{"gcloud", "", "a b", "it's", "--filter=a b", "--x=", "--=", "$X", "--a='", "a\nb", "*", "#", "é", "--a b=c", "=", "-"}
	got, violations := tokenise(Quote(words))
	if len(violations) > 0 || !slices.Equal(got, words) {
		t.Errorf("Quote(%q) = %s, which is %q, %v", words, Quote(words), got, violations)
	}
}
