// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gcloud-operator/gcloud-operator/internal/command/tree"
)

// consumeOption handles the flag at index i with the values that belong to it, and returns where the rest begins.
func (l *level) consumeOption(i int) int {
	o := l.options[i]
	if o.flag == nil {
		l.extras = append(l.extras, i)
		return i + 1
	}
	if o.glued {
		l.gluedValue(o)
		return i + 1
	}
	n, ok := l.takes(o.flag.NArgs, l.pattern[i+1:])
	if !ok {
		l.specified[o.flag.Dest] = true
		l.refuse(MissingArgument, o.name, fmt.Sprintf("%s needs %s, and none follows", o.name, valueCount(o.flag.NArgs)), l.valueFix(o, i))
		return i + 1
	}
	l.take(o, l.args[i+1:i+1+n])
	return i + 1 + n
}

// takes says how many arguments at the beginning of the pattern belong to a flag, and whether these are enough.
func (l *level) takes(nargs, pattern string) (int, bool) {
	available := len(pattern) - len(strings.TrimLeft(pattern, "A"))
	switch nargs {
	case "":
		return 1, available >= 1
	case "?":
		return min(1, available), true
	case "*":
		return available, true
	case "+":
		return available, available >= 1
	}
	return count(nargs), available >= count(nargs)
}

// count is the number of values where it is fixed.
func count(nargs string) int {
	n, err := strconv.Atoi(nargs)
	if err != nil {
		panic("embedded command tree: unknown number of values " + strconv.Quote(nargs)) // the generator knows no other
	}
	return n
}

func valueCount(nargs string) string {
	switch nargs {
	case "", "+":
		return "a value"
	}
	return nargs + " values"
}

// valueFix says how to give a flag its value, with the word that follows where that was meant as one.
func (l *level) valueFix(o *option, i int) string {
	if i+1 < len(l.args) && l.args[i+1] != "--" && l.options[i+1] != nil && l.options[i+1].flag == nil {
		return fmt.Sprintf("Write %s=%s if that is the value: a value that begins with a hyphen needs the =.", o.name, quoteWord(l.args[i+1]))
	}
	return fmt.Sprintf("Write %s=VALUE.", o.name)
}

// gluedValue handles --flag=value.
func (l *level) gluedValue(o *option) {
	n, ok := l.takes(o.flag.NArgs, "A")
	switch {
	case ok && n == 1:
		l.take(o, []string{o.value})
	case ok && n == 0 && !strings.HasPrefix(o.name, "--"):
		l.cluster(o)
	default:
		l.specified[o.flag.Dest] = true
		l.refuse(InvalidValue, o.name+"="+o.value, fmt.Sprintf("%s takes no value", o.name), booleanFix(l.node, o))
	}
}

// cluster handles -q=h, which argparse reads as -q -h.
func (l *level) cluster(o *option) {
	short, rest := "", ""
	for i, r := range o.value {
		short, rest = "-"+string(r), o.value[i+len(string(r)):]
		break
	}
	next := l.node.Flag(short)
	if next == nil || rest != "" && next.Boolean() {
		l.refuse(InvalidValue, o.name+"="+o.value, fmt.Sprintf("%s takes no value", o.name), fmt.Sprintf("Write %s alone.", o.name))
		return
	}
	l.take(o, nil)
	following := &option{flag: next, name: short, value: rest, glued: true}
	switch {
	case l.stopped:
	case rest != "":
		l.gluedValue(following)
	case next.Boolean():
		l.take(following, nil)
	default:
		l.refuse(MissingArgument, short, fmt.Sprintf("%s needs a value", short), fmt.Sprintf("Write %s=VALUE.", short))
	}
}

func booleanFix(n *tree.Node, o *option) string {
	negative := strings.Replace(o.name, "--", "--no-", 1)
	switch strings.ToLower(o.value) {
	case "false", "no", "off", "0":
		if n.Flag(negative) != nil {
			return fmt.Sprintf("Write %s.", negative)
		}
		return fmt.Sprintf("Leave %s out.", o.name)
	}
	return fmt.Sprintf("Write %s alone.", o.name)
}

// take records a flag with its values and checks them.
func (l *level) take(o *option, words []string) {
	f := o.flag
	var values []string
	for _, w := range words {
		if w != "--" {
			values = append(values, w)
		}
	}
	l.command.Flags = append(l.command.Flags, Flag{Name: f.Name(), As: o.name, Values: values, Equals: o.glued})
	l.specified[f.Dest] = true
	l.written[f]++
	for _, v := range values {
		l.check(f, o.name, v)
	}
	switch {
	case f.Removed:
		l.refuse(UnknownFlag, o.name, fmt.Sprintf("%s has been removed from gcloud", o.name), fmt.Sprintf("Leave it out; see %s --help.", l.command.Name()))
	case f.Action == tree.Exit:
		l.stopped = true
	case f.Action == tree.Once && l.written[f] == 2:
		l.refuse(InvalidValue, o.name, fmt.Sprintf("%s can be written only once", o.name), "Put all its values into one, separated by commas.")
	case f.Action == tree.Update:
		l.merge(f, o.name, values)
	}
}

// merge refuses a key that was already given by the same flag further left. In one dictionary, the last of equal keys
// wins; in one list, equal values are refused too.
func (l *level) merge(f *tree.Arg, name string, values []string) {
	seen := l.keys[f.Dest]
	if seen == nil {
		seen = map[string]bool{}
		l.keys[f.Dest] = seen
	}
	for _, v := range values {
		for _, key := range keys(f.Type(), v) {
			if seen[key] {
				l.refuse(InvalidValue, name, fmt.Sprintf("%s gives %q more than once", name, shorten(key)), "Keep one of them.")
			}
			seen[key] = true
		}
	}
}

// maxViolations is how many violations of one kind are reported of a command: nobody corrects more at once.
const maxViolations = 50

func (p *parser) refuse(rule Rule, value, message, fix string) {
	if len(p.violations) == maxViolations {
		return
	}
	p.violations = append(p.violations, inCommand(rule, value, message, fix))
}
