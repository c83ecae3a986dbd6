// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/gcloud-operator/gcloud-operator/internal/command/tree"
)

const escaping = "Choose another delimiter for the list, as in ^:^a,b:c; gcloud topic escaping explains it."

// split cuts a list at its delimiter, which the value itself may choose: ^:^a:b.
func split(t *tree.Type, s string) ([]string, *valueError) {
	delimiter := ","
	if t.Delimiter != "" {
		delimiter = t.Delimiter
	}
	if chosen, rest, ok := strings.Cut(strings.TrimPrefix(s, "^"), "^"); ok && strings.HasPrefix(s, "^") {
		if chosen == "" {
			return nil, &valueError{"no delimiter stands between ^ and ^", escaping}
		}
		delimiter, s = chosen, rest
	}
	if s == "" {
		return nil, nil
	}
	parts := strings.Split(strings.TrimSuffix(s, delimiter), delimiter)
	if t.JSON != 0 && delimiter == "," {
		return rejoin(parts)
	}
	return parts, nil
}

// rejoin puts together again what was cut inside brackets.
func rejoin(parts []string) ([]string, *valueError) {
	var out []string
	current := ""
	for _, part := range parts {
		if current == "" {
			current = part
		} else {
			current += "," + part
		}
		if balanced(current) {
			out = append(out, current)
			current = ""
		}
	}
	if current != "" {
		return nil, &valueError{fmt.Sprintf("%q has a bracket that is not closed, or not opened", shorten(current)), "Close each { with } and each [ with ]."}
	}
	return out, nil
}

// balanced says whether each bracket that no backslash protects is closed.
func balanced(s string) bool {
	var open []byte
	for i := range len(s) {
		if i > 0 && s[i-1] == '\\' {
			continue
		}
		switch c := s[i]; c {
		case '{', '[':
			open = append(open, c)
		case '}', ']':
			if len(open) == 0 || open[len(open)-1] != map[byte]byte{'}': '{', ']': '['}[c] {
				return false
			}
			open = open[:len(open)-1]
		}
	}
	return len(open) == 0
}

// items are the parts of a list whose number is right.
func items(t *tree.Type, s string) ([]string, *valueError) {
	parts, err := split(t, s)
	switch {
	case err != nil:
		return nil, err
	case len(parts) < t.Min:
		return nil, &valueError{fmt.Sprintf("the list has %d of at least %d values", len(parts), t.Min), "Write the values with commas between them."}
	case t.Max != nil && len(parts) > *t.Max:
		return nil, &valueError{fmt.Sprintf("the list has %d of at most %d values", len(parts), *t.Max), fmt.Sprintf("Leave out %d, or see whether a value has a comma. %s", len(parts)-*t.Max, escaping)}
	}
	return parts, nil
}

func toList(t *tree.Type, s string) (string, *valueError) {
	parts, err := items(t, s)
	if err != nil {
		return "", err
	}
	for _, part := range parts {
		converted, err := convert(t.Of, part)
		if err != nil {
			return "", err
		}
		if len(t.Choices) > 0 && !slices.Contains(t.Choices, converted) {
			return "", &valueError{fmt.Sprintf("%q is none of its choices", shorten(part)), choiceFix(converted, t.Choices)}
		}
	}
	return s, nil
}

// pair is one key of a dictionary with its value.
type pair struct{ key, operator, value string }

func pairs(t *tree.Type, s string) ([]pair, *valueError) {
	parts, err := items(t, s)
	if err != nil {
		return nil, err
	}
	out := make([]pair, 0, len(parts))
	for _, part := range parts {
		i := strings.IndexFunc(part, func(r rune) bool { _, ok := t.Operators[string(r)]; return ok })
		switch {
		case part == "" || i == 0:
			return nil, &valueError{fmt.Sprintf("%q has no key", shorten(part)), "Write KEY=VALUE. " + escaping}
		case i < 0:
			out = append(out, pair{key: part})
		default:
			out = append(out, pair{part[:i], part[i : i+1], part[i+1:]})
		}
	}
	return out, nil
}

// keys are the keys of a value that is merged with others; of a list, its values.
func keys(t *tree.Type, s string) []string {
	if t == nil {
		return nil
	}
	if t.Kind == "list" {
		parts, _ := items(t, s)
		return parts
	}
	all, _ := pairs(t, s)
	seen := map[string]bool{}
	var out []string
	for _, p := range all {
		if key := clean(t, p.key); !seen[key] {
			seen[key] = true
			out = append(out, key)
		}
	}
	return out
}

func toDict(t *tree.Type, s string) (string, *valueError) {
	all, err := pairs(t, s)
	if err != nil {
		return "", err
	}
	var seen []string
	for _, p := range all {
		p.key, p.value = clean(t, p.key), clean(t, p.value)
		if err := checkPair(t, p); err != nil {
			return "", err
		}
		seen = append(seen, p.key)
	}
	return s, requiredKeys(t, seen)
}

func requiredKeys(t *tree.Type, seen []string) *valueError {
	for _, key := range t.Required {
		if !slices.Contains(seen, key) {
			return &valueError{fmt.Sprintf("the key %s is missing", key), fmt.Sprintf("Add %s=VALUE.", key)}
		}
	}
	return nil
}

// clean removes white space and one double quote at each end, where the type says so.
func clean(t *tree.Type, s string) string {
	if t.Clean == 0 {
		return s
	}
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(s), `"`), `"`)
}

func checkPair(t *tree.Type, p pair) *valueError {
	if p.operator == "" && t.KeyOnly == 0 {
		return &valueError{fmt.Sprintf("%q has no value", shorten(p.key)), fmt.Sprintf("Write %s=VALUE. %s", shorten(p.key), escaping)}
	}
	if _, err := convert(t.Key, p.key); err != nil {
		return err
	}
	convertValue, known := t.Operators[p.operator]
	if !known && t.KeyOnly != 0 {
		convertValue = t.Operators["="]
	}
	if _, err := convert(convertValue, p.value); err != nil {
		return err
	}
	if t.Spec == nil {
		return nil
	}
	spec, known := t.Spec[p.key]
	if !known {
		names := make([]string, 0, len(t.Spec))
		for name := range t.Spec {
			names = append(names, name)
		}
		slices.Sort(names)
		return &valueError{fmt.Sprintf("it has no key %q", shorten(p.key)), choiceFix(p.key, names)}
	}
	_, err := convert(spec, p.value)
	return err
}

// toObject checks a value that is a dictionary, or JSON, or the name of a file that holds one.
func toObject(t *tree.Type, s string) (string, *valueError) {
	if t.Shorthand != 0 && (s == "" || hasOperator(t, s) && !isJSON(t, s)) {
		return toShorthand(t, s)
	}
	if t.Upload != 0 && dataFile.MatchString(s) || t.Keyed == 0 {
		return s, nil
	}
	var value any
	if json.Unmarshal([]byte(s), &value) != nil {
		if trimmed := strings.TrimSpace(s); trimmed == "" || !strings.ContainsAny(trimmed, "{[:") {
			return "", wrong(s, "JSON, nor KEY=VALUE", "Write KEY=VALUE,…, or a JSON object.")
		}
		return s, nil // YAML, which is left to gcloud
	}
	return s, checkJSON(t, value)
}

var dataFile = regexp.MustCompile(`^\S*\.(?:yaml|json)\n?$`)

func hasOperator(t *tree.Type, s string) bool {
	if t.KeyOnly != 0 {
		return true
	}
	for operator := range t.Operators {
		if strings.Contains(s, operator) {
			return true
		}
	}
	return false
}

// isJSON says whether the value is an object in JSON, or the name of a file.
func isJSON(t *tree.Type, s string) bool {
	var value any
	if json.Unmarshal([]byte(s), &value) != nil {
		return t.Upload != 0 && dataFile.MatchString(s)
	}
	if all, ok := value.([]any); ok && len(all) > 0 {
		value = all[len(all)-1]
	}
	object, ok := value.(map[string]any)
	if !ok {
		return false
	}
	for _, v := range object {
		if v != nil {
			return true
		}
	}
	return false
}

// toShorthand checks KEY=VALUE,… in braces or without, and lists of these in square brackets.
func toShorthand(t *tree.Type, s string) (string, *valueError) {
	trimmed := strings.TrimSpace(s)
	if t.Repeated != 0 && strings.HasPrefix(trimmed, "[") && strings.HasSuffix(trimmed, "]") && len(trimmed) > 1 {
		parts, err := split(&tree.Type{JSON: 1}, trimmed[1:len(trimmed)-1])
		for _, part := range parts {
			if err == nil {
				_, err = toShorthand(t, strings.TrimSpace(part))
			}
		}
		return s, err
	}
	if strings.HasPrefix(trimmed, "{") && strings.HasSuffix(trimmed, "}") && len(trimmed) > 1 {
		return toDict(t, trimmed[1:len(trimmed)-1])
	}
	return toDict(t, s)
}

// checkJSON checks the keys and values of JSON as those of KEY=VALUE are.
func checkJSON(t *tree.Type, value any) *valueError {
	if all, ok := value.([]any); ok && t.Repeated != 0 {
		for _, v := range all {
			if err := checkJSON(t, v); err != nil {
				return err
			}
		}
		return nil
	}
	object, ok := value.(map[string]any)
	if !ok {
		return &valueError{"it is no object", "Write a JSON object, or KEY=VALUE,…"}
	}
	var seen []string
	for key, v := range object {
		text, isText := v.(string)
		if !isText {
			encoded, _ := json.Marshal(v) // of what was decoded
			text = string(encoded)
		}
		if v != nil {
			if err := checkPair(t, pair{key, "=", text}); err != nil {
				return err
			}
		}
		seen = append(seen, key)
	}
	return requiredKeys(t, seen)
}

// compiled caches the compiled patterns of the tree. A pattern that Go's engine can't hold is left to gcloud.
var compiled sync.Map

func compile(pattern string) (*regexp.Regexp, bool) {
	if cached, ok := compiled.Load(pattern); ok {
		re, _ := cached.(*regexp.Regexp)
		return re, re != nil
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		re = nil
	}
	compiled.Store(pattern, re)
	return re, re != nil
}
