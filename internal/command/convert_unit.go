// SPDX-License-Identifier: Apache-2.0

package command

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/gcloud-operator/gcloud-operator/internal/command/tree"
)

const durationFix = "Write a number with a unit, such as 30s, 5m, 2h or 1d."

// toDuration checks a duration in ISO 8601 or short form. A number without a unit has the type's.
func toDuration(t *tree.Type, s string) (string, *valueError) {
	text := s
	if t.Unit != "" && pythonInt.MatchString(strings.TrimSpace(s)) {
		text = strings.ReplaceAll(strings.TrimSpace(s), "_", "") + t.Unit
	}
	seconds, ok := durationSeconds(text)
	if !ok {
		return "", wrong(s, "a duration", durationFix)
	}
	return s, bounds(t, s, seconds, "s")
}

// durationSeconds reads a duration as gcloud's iso_duration.Duration.Parse does.
func durationSeconds(text string) (float64, bool) {
	s := strings.ToUpper(text)
	sign := 1.0
	if rest, ok := strings.CutPrefix(s, "-"); ok {
		s, sign = rest, -1
	} else {
		s = strings.TrimPrefix(s, "+")
	}
	rest, period := strings.CutPrefix(s, "P")
	d := duration{rest: rest, time: !period}
	for d.rest != "" {
		if !d.step() {
			return 0, false
		}
	}
	if d.amount != "" && s != "P0" {
		return 0, false
	}
	return sign * d.seconds, true
}

// duration is a duration that is being read.
type duration struct {
	rest    string
	amount  string // digits that wait for their unit
	seconds float64
	time    bool // M means minutes from here on, not months
	hadT    bool
}

const (
	day  = 24 * 3600.0
	year = 365.2422 * day
)

// step reads one character.
func (d *duration) step() bool {
	c := []rune(d.rest)[0]
	after := d.rest[len(string(c)):]
	switch {
	case unicode.IsDigit(c):
		d.amount += string(c)
	case c == '.' || c == ',':
		d.amount += "."
	case c == 'T':
		if d.hadT {
			return false
		}
		d.hadT, d.time = true, true
	case d.amount == "":
		return false
	default:
		n, err := strconv.ParseFloat(d.amount, 64)
		if err != nil {
			return false
		}
		d.amount = ""
		if after == "S" && strings.ContainsRune("MUN", c) {
			d.seconds += n / map[rune]float64{'M': 1e3, 'U': 1e6, 'N': 1e9}[c]
			d.rest = ""
			return true
		}
		if !d.unit(c, n) {
			return false
		}
	}
	d.rest = after
	return true
}

func (d *duration) unit(c rune, n float64) bool {
	switch {
	case c == 'Y':
		d.seconds += n * year
	case c == 'W':
		d.seconds += n * 7 * day
	case c == 'D':
		d.seconds += n * day
	case c == 'M' && !d.time:
		d.time = true
		d.seconds += n * year / 12
	case strings.ContainsRune("HMS", c):
		d.time = true
		d.seconds += n * map[rune]float64{'H': 3600, 'M': 60, 'S': 1}[c]
	default:
		return false
	}
	return true
}

var sizeForm = regexp.MustCompile(`^([0-9]+\.?[0-9]*)([-/a-zA-Z]+)?\n?$`)

// smaller are the units that a fraction is converted to.
var smaller = map[string]string{
	"PiB": "TiB", "PB": "TiB", "TiB": "GiB", "TB": "GiB", "GiB": "MiB", "GB": "MiB", "MiB": "KiB", "MB": "KiB", "KiB": "B", "KB": "B",
}

// toSize checks a size with a unit, such as 10GB.
func toSize(t *tree.Type, s string) (string, *valueError) {
	units := fmt.Sprintf("Write a whole number with a unit of %s.", list(unitNames(t)))
	m := sizeForm.FindStringSubmatch(s)
	if m == nil {
		return "", wrong(s, "a size", units)
	}
	amount, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		return "", wrong(s, "a size", units)
	}
	suffix := m[2]
	for amount != math.Trunc(amount) && smaller[suffix] != "" {
		amount, suffix = amount*1024, smaller[suffix]
	}
	if amount != math.Trunc(amount) {
		return "", wrong(s, "a whole number of bytes", units)
	}
	unit := withoutSuffix(suffix, t.Suffix)
	if unit == "" && suffix == "" {
		unit = withoutSuffix(t.Unit, t.Suffix)
	}
	scale, ok := scaleOf(t, unit)
	if !ok {
		return "", wrong(s, "a size with a known unit", units)
	}
	return s, bounds(t, s, amount*scale, " bytes")
}

// unitNames are the units of a size, the smallest first.
func unitNames(t *tree.Type) []string {
	names := slices.SortedFunc(maps.Keys(t.Scales), func(a, b string) int {
		return cmp.Or(cmp.Compare(t.Scales[a], t.Scales[b]), cmp.Compare(a, b))
	})
	for i := range names {
		names[i] += t.Suffix
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == "" })
}

func scaleOf(t *tree.Type, unit string) (float64, bool) {
	for name, scale := range t.Scales {
		if name == unit || t.Strict == 0 && strings.EqualFold(name, unit) {
			return scale, true
		}
	}
	return 0, false
}

// withoutSuffix takes as much of the type's own suffix, such as B, off a unit as is there.
func withoutSuffix(unit, suffix string) string {
	for i := len(suffix) - 1; i >= 0 && unit != ""; i-- {
		if strings.EqualFold(unit[len(unit)-1:], suffix[i:i+1]) {
			unit = unit[:len(unit)-1]
		}
	}
	return unit
}
