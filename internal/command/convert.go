// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"math/big"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/gcloud-operator/gcloud-operator/internal/command/tree"
)

// valueError says why a value doesn't fit a type, and what would.
type valueError struct{ message, fix string }

func (e *valueError) Error() string { return e.message }

func wrong(value, what, fix string) *valueError {
	return &valueError{fmt.Sprintf("%q is not %s", shorten(value), what), fix}
}

// convert checks a value against a type, as the functions in gcloud's calliope.arg_parsers do, and returns it in the form
// that choices are compared with.
func convert(t *tree.Type, s string) (string, *valueError) {
	if t == nil {
		return s, nil
	}
	if f, ok := converters[t.Kind]; ok {
		return f(t, s)
	}
	return s, nil // a function that isn't reproduced here
}

// converters are the types that are reproduced, by their kind.
var converters map[string]func(*tree.Type, string) (string, *valueError)

func init() { // a variable's initializer would refer to itself through convert
	converters = map[string]func(*tree.Type, string) (string, *valueError){
		"int":       toInt,
		"float":     toFloat,
		"regexp":    toPattern,
		"bool":      toBool,
		"duration":  toDuration,
		"size":      toSize,
		"list":      toList,
		"dict":      toDict,
		"object":    toObject,
		"range":     toRange,
		"hostport":  toHostPort,
		"dayofweek": toDayOfWeek,
		"none":      toNone,
		"lower":     func(_ *tree.Type, s string) (string, *valueError) { return strings.ToLower(s), nil },
		"upper":     func(_ *tree.Type, s string) (string, *valueError) { return strings.ToUpper(s), nil },
		"strip":     func(_ *tree.Type, s string) (string, *valueError) { return strings.TrimSpace(s), nil },
		"underscore": func(_ *tree.Type, s string) (string, *valueError) {
			return strings.ToUpper(strings.ReplaceAll(s, "-", "_")), nil
		},
		"hyphen": func(_ *tree.Type, s string) (string, *valueError) {
			return strings.ToLower(strings.ReplaceAll(s, "_", "-")), nil
		},
		"labelkey":   toLabelKey,
		"labelvalue": toLabelValue,
		"nonempty":   toNonEmpty,
		"ip":         toIP,
		"choice":     toChoice,
		"project":    toProject,
		"day":        toDay,
		"datetime":   toDateTime,
	}
}

// pythonInt is what Python's int() takes, with digits of any script left out.
var pythonInt = regexp.MustCompile(`^[+-]?[0-9](?:_?[0-9])*$`)

func toInt(t *tree.Type, s string) (string, *valueError) {
	if t.Unlimited != 0 && s == "unlimited" {
		return s, nil
	}
	trimmed := strings.TrimSpace(s)
	if !pythonInt.MatchString(trimmed) {
		return "", wrong(s, "an integer", "Write digits only, such as 10.")
	}
	n, ok := new(big.Int).SetString(strings.ReplaceAll(trimmed, "_", ""), 10)
	if !ok {
		return "", wrong(s, "an integer", "Write digits only, such as 10.")
	}
	value, _ := new(big.Float).SetInt(n).Float64()
	return n.String(), bounds(t, s, value, "")
}

var pythonFloat = regexp.MustCompile(`(?i)^[+-]?(?:(?:[0-9](?:_?[0-9])*\.?(?:[0-9](?:_?[0-9])*)?|\.[0-9](?:_?[0-9])*)(?:e[+-]?[0-9](?:_?[0-9])*)?|inf|infinity|nan)$`)

func toFloat(t *tree.Type, s string) (string, *valueError) {
	if t.Unlimited != 0 && s == "unlimited" {
		return s, nil
	}
	trimmed := strings.TrimSpace(s)
	if !pythonFloat.MatchString(trimmed) {
		return "", wrong(s, "a number", "Write a number such as 0.5.")
	}
	f, err := strconv.ParseFloat(strings.ReplaceAll(trimmed, "_", ""), 64)
	if err != nil && !strings.Contains(err.Error(), "range") {
		return "", wrong(s, "a number", "Write a number such as 0.5.")
	}
	return trimmed, bounds(t, s, f, "")
}

// bounds checks a number against the limits of its type.
func bounds(t *tree.Type, s string, value float64, unit string) *valueError {
	switch {
	case t.Low != nil && value < *t.Low:
		return &valueError{fmt.Sprintf("%s is less than %s%s", shorten(s), number(*t.Low), unit), fmt.Sprintf("Write at least %s%s.", number(*t.Low), unit)}
	case t.High != nil && value > *t.High:
		return &valueError{fmt.Sprintf("%s is more than %s%s", shorten(s), number(*t.High), unit), fmt.Sprintf("Write at most %s%s.", number(*t.High), unit)}
	}
	return nil
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

func toPattern(t *tree.Type, s string) (string, *valueError) {
	re, ok := compile(t.Pattern)
	if !ok || re.MatchString(s) {
		return s, nil
	}
	fix := "It has to match " + t.Pattern + "."
	if t.Text != "" {
		fix = strings.TrimSuffix(t.Text, ".") + "."
	}
	return "", wrong(s, "of the right form", fix)
}

func toBool(t *tree.Type, s string) (string, *valueError) {
	v := s
	if t.Strict == 0 {
		v = strings.ToLower(s)
	}
	switch {
	case slices.Contains(t.True, v):
		return "True", nil
	case slices.Contains(t.False, v):
		return "False", nil
	}
	return "", wrong(s, "a truth value", fmt.Sprintf("Write one of %s.", list(append(slices.Clone(t.True), t.False...))))
}

var numberRange = regexp.MustCompile(`^([0-9]+)(?:-([0-9]+))?\n?$`)

func toRange(_ *tree.Type, s string) (string, *valueError) {
	m := numberRange.FindStringSubmatch(s)
	if m == nil {
		return "", wrong(s, "a number or a range", "Write 5 or 5-10.")
	}
	low, _ := new(big.Int).SetString(m[1], 10)
	if m[2] != "" {
		if high, _ := new(big.Int).SetString(m[2], 10); high.Cmp(low) < 0 {
			return "", wrong(s, "a range: its end is before its start", fmt.Sprintf("Write %s-%s.", m[2], m[1]))
		}
	}
	return s, nil
}

var hostPort = regexp.MustCompile(`^[\p{L}\p{N}_.-]*(?::[0-9]*)?\n?$`)

func toHostPort(_ *tree.Type, s string) (string, *valueError) {
	if !hostPort.MatchString(s) {
		return "", wrong(s, "a host with a port", "Write HOST:PORT or HOST.")
	}
	return s, nil
}

func toDayOfWeek(_ *tree.Type, s string) (string, *valueError) {
	days := []string{"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"}
	day := []rune(strings.ToUpper(s))
	if len(day) > 0 && !slices.Contains(days, string(day[:min(3, len(day))])) {
		return "", wrong(s, "a day of the week", fmt.Sprintf("Write one of %s.", list(days)))
	}
	return s, nil
}

// toNone is for a key that stands without a value.
func toNone(_ *tree.Type, s string) (string, *valueError) {
	if s != "" {
		return "", wrong(s, "to be here: the key takes no value", "Write the key alone.")
	}
	return s, nil
}

func toNonEmpty(_ *tree.Type, s string) (string, *valueError) {
	if s == "" {
		return "", &valueError{"the value is empty", "Write a value, or leave the flag out."}
	}
	return s, nil
}

// toIP takes an address of the versions that the type's unit names: "4", "6", or "" for both.
func toIP(t *tree.Type, s string) (string, *valueError) {
	addr, err := netip.ParseAddr(s)
	if err != nil || t.Unit == "4" && !addr.Is4() || t.Unit == "6" && !addr.Is6() {
		return "", wrong(s, "an IP address", "Write an address such as 10.0.0.1.")
	}
	return s, nil
}

func toLabelKey(_ *tree.Type, s string) (string, *valueError) {
	first := []rune(s)
	if len(first) == 0 || !unicode.IsLower(first[0]) && !caseless(first[0]) || !labelText(s) {
		return "", wrong(s, "a label's key", "A key begins with a small letter and has at most 63 small letters, digits, hyphens and underscores.")
	}
	return s, nil
}

func toLabelValue(_ *tree.Type, s string) (string, *valueError) {
	if !labelText(s) {
		return "", wrong(s, "a label's value", "A value has at most 63 small letters, digits, hyphens and underscores.")
	}
	return s, nil
}

func labelText(s string) bool {
	n := 0
	for _, r := range s {
		n++
		if r != '-' && r != '_' && !unicode.IsLower(r) && !unicode.IsDigit(r) && !caseless(r) {
			return false
		}
	}
	return n <= 63
}

// caseless are letters of scripts without small and capital letters.
func caseless(r rune) bool { return unicode.IsLetter(r) && !unicode.IsUpper(r) }

func toChoice(t *tree.Type, s string) (string, *valueError) {
	if !slices.Contains(t.Choices, s) {
		return "", &valueError{fmt.Sprintf("%q is none of its choices", shorten(s)), choiceFix(s, t.Choices)}
	}
	return s, nil
}

func toProject(_ *tree.Type, s string) (string, *valueError) {
	if !projectValue.MatchString(s) {
		return "", wrong(s, "a project", "Write the project's id or number.")
	}
	return s, nil
}

func toDay(_ *tree.Type, s string) (string, *valueError) {
	if _, err := time.Parse("2006-1-2", s); s != "" && err != nil {
		return "", wrong(s, "a date", "Write YYYY-MM-DD.")
	}
	return s, nil
}

// timeWords are words that make a date or time without any digit.
var timeWords = regexp.MustCompile(`(?i)\b(?:now|today|tomorrow|yesterday|(?:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*|am|pm|utc|gmt|z)\b`)

// toDateTime refuses what can't be a date or time in any of the many forms that gcloud takes.
func toDateTime(_ *tree.Type, s string) (string, *valueError) {
	if s != "" && !strings.ContainsFunc(s, unicode.IsDigit) && !timeWords.MatchString(s) {
		return "", wrong(s, "a date or time", "Write it as 2006-01-02T15:04:05Z; gcloud topic datetimes shows the other forms.")
	}
	return s, nil
}
