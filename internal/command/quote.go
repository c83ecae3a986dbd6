// SPDX-License-Identifier: Apache-2.0

package command

import "strings"

// Quote writes words as one line which [Parse], and a POSIX shell, split into the same words again.
func Quote(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = quoteWord(w)
	}
	return strings.Join(quoted, " ")
}

// quoteWord puts single quotes round a word that has characters other than the plainly harmless ones. What stands
// before the = of a flag stays readable.
func quoteWord(w string) string {
	name, value, isFlag := strings.Cut(w, "=")
	if isFlag && strings.HasPrefix(w, "--") && harmless(name) && value != "" {
		return name + "=" + singleQuoted(value)
	}
	return singleQuoted(w)
}

func singleQuoted(w string) string {
	if w != "" && harmless(w) {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}

func harmless(w string) bool {
	for i := range len(w) {
		if !isAlnum(w[i]) && strings.IndexByte("-_=+./:,@%^", w[i]) < 0 {
			return false
		}
	}
	return true
}
