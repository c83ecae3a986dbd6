// SPDX-License-Identifier: Apache-2.0

package command

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/gcloud-operator/gcloud-operator/internal/command/tree"
)

// flagEquals refuses the value of a long flag that is a word of its own.
func flagEquals(in input) []Violation {
	var found []Violation
	for _, f := range in.command.Flags {
		if f.Equals || len(f.Values) != 1 || !strings.HasPrefix(f.As, "--") {
			continue
		}
		found = append(found, inCommand(FlagEquals, f.As+" "+f.Values[0], fmt.Sprintf("the value of %s is a word of its own", f.As), fmt.Sprintf("Write %s=%s.", f.As, singleQuoted(shorten(f.Values[0])))))
	}
	return found
}

// asyncRequired refuses to wait for an operation unless the spec says how long.
func asyncRequired(in input) []Violation {
	c := in.command
	if in.TimeoutSet || c.node == nil {
		return nil
	}
	async := c.node.Flag("--async")
	if async == nil || async.Hidden || !async.Boolean() {
		return nil
	}
	for _, f := range c.Flags {
		if f.As == "--async" {
			return nil
		}
	}
	return []Violation{inCommand(AsyncRequired, c.Name(), fmt.Sprintf("%s starts an operation and waits for its end, which may take long", c.Name()), "Add --async, or set spec.timeout if the run is to wait.")}
}

func loggingLimit(in input) []Violation {
	if !slices.Equal(in.command.Path, []string{"logging", "read"}) {
		return nil
	}
	if _, written := in.command.Flag("--limit"); written {
		return nil
	}
	return []Violation{inCommand(LoggingLimit, in.command.Name(), "gcloud logging read without --limit reads all entries", "Add a limit, such as --limit=100.")}
}

func hiddenCommand(in input) []Violation {
	if in.command.node == nil || !in.command.node.Hidden {
		return nil
	}
	return []Violation{inCommand(HiddenCommand, in.command.Name(), fmt.Sprintf("%s is hidden: it is internal to gcloud, and stands in no documentation", in.command.Name()), "Use a documented command.")}
}

// unsafeFlags are the visible global flags that get round identity or policy, with the reason and what to do instead.
var unsafeFlags = map[string][2]string{
	"--account":                     {"says who the command runs as", "Leave it out, and set spec.identity."},
	"--access-token-file":           {"says who the command runs as, and reads a file", "Leave it out, and set spec.identity."},
	"--configuration":               {"reads gcloud's configuration, and a run has none", "Leave it out, and write flags."},
	"--impersonate-service-account": {"says who the command runs as", "Leave it out, and set spec.identity.impersonateServiceAccount."},
	"--log-http":                    {"writes access tokens to the output", "Leave it out; --verbosity=debug writes none."},
	"--trace-token":                 {"sends the requests' contents to support", "Leave it out."},
}

// unsafeFlag refuses the unsafe global flags and all hidden ones. --configuration is looked for among all words, as
// gcloud does.
func unsafeFlag(in input) []Violation {
	root := tree.Load().Root
	var found []Violation
	refuse := func(as, why, fix string) {
		found = append(found, inCommand(UnsafeFlag, as, fmt.Sprintf("%s %s", as, why), fix))
	}
	seen := map[string]bool{"--flags-file": true}
	for _, as := range writtenFlags(in.command) {
		f := root.Flag(as)
		if f == nil || seen[as] {
			continue
		}
		seen[as] = true
		if why, ok := unsafeFlags[f.Name()]; ok {
			refuse(as, why[0], why[1])
		} else if f.Hidden {
			refuse(as, "is hidden: it is internal to gcloud, and stands in no documentation", "Leave it out.")
		}
	}
	return found
}

// writtenFlags are the flags as written: those that were parsed, and those that gcloud finds among all words.
func writtenFlags(c Command) []string {
	var all []string
	for _, f := range c.Flags {
		all = append(all, f.As)
	}
	for _, w := range c.Argv {
		if name, _, _ := strings.Cut(w, "="); name == "--configuration" {
			all = append(all, name)
		}
	}
	return all
}

// formats are the names that --format can begin with.
var formats = []string{"config", "csv", "default", "diff", "disable", "flattened", "get", "json", "list", "multi", "none", "object", "table", "text", "value", "yaml"}

// needProjection are the formats that show nothing, or fail, without a list of keys.
var needProjection = []string{"csv", "get", "multi", "table", "value"}

var formatForm = regexp.MustCompile(`^\s*([A-Za-z_-]*)\s*(\[|\(|:|$)`)

// formatName checks the name of the format, and that its brackets are closed.
func formatName(in input) []Violation {
	value, written := in.command.Flag("--format")
	if !written || strings.TrimSpace(value) == "" {
		return nil
	}
	refuse := func(message, fix string) []Violation {
		return []Violation{inCommand(FormatName, value, message+"; gcloud would see that only after it has acted", fix)}
	}
	m := formatForm.FindStringSubmatch(value)
	if m == nil {
		return refuse(fmt.Sprintf("--format=%q begins with no format's name", shorten(value)), "Write --format=json, or --format='value(KEY)'.")
	}
	name := m[1]
	switch {
	case name != "" && !slices.Contains(formats, name):
		return refuse(fmt.Sprintf("gcloud has no format %q", name), "Write --format="+cmp.Or(Nearest(name, formats), "json, or another of "+strings.Join(formats, ", "))+".")
	case slices.Contains(needProjection, name) && !strings.Contains(value, "("):
		return refuse(fmt.Sprintf("the format %s needs keys in brackets", name), fmt.Sprintf("Write --format='%s(KEY)'.", name))
	case strings.Count(value, "(") != strings.Count(value, ")") && !strings.ContainsAny(value, `"'`):
		return refuse(fmt.Sprintf("--format=%q has a bracket that is not closed, or not opened", shorten(value)), "Close each ( with ).")
	}
	return nil
}
