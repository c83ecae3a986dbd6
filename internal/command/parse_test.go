// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// describe writes a command in one line: its words, flags as name[values], positionals as NAME=value, the remainder.
func describe(c Command) string {
	out := []string{strings.Join(c.Words(), " ")}
	for _, f := range c.Flags {
		out = append(out, fmt.Sprintf("%s%v", f.Name, f.Values))
	}
	for _, p := range c.Positionals {
		out = append(out, p.Name+"="+p.Value)
	}
	if c.Remainder != nil {
		out = append(out, fmt.Sprintf("-- %v", c.Remainder))
	}
	return strings.Join(out, " | ")
}

func TestParse(t *testing.T) {
	const describeP1 = "projects describe | PROJECT_ID_OR_NUMBER=p1"
	for name, c := range map[string]struct{ line, want string }{
		"a command with an argument":                             {"projects describe p1", describeP1},
		"a global flag before the command":                       {"--project=x projects describe p1", "projects describe | --project[x] | PROJECT_ID_OR_NUMBER=p1"},
		"a global flag with a separate value before the command": {"--project x projects describe p1", "projects describe | --project[x] | PROJECT_ID_OR_NUMBER=p1"},
		"a global flag inside the command":                       {"projects --quiet describe p1", "projects describe | --quiet[] | PROJECT_ID_OR_NUMBER=p1"},
		"a short flag":                                           {"-q projects describe p1", "projects describe | --quiet[] | PROJECT_ID_OR_NUMBER=p1"},
		"a short flag with = and a value":                        {"storage cat -r=0-5 gs://b/o", "storage cat | -r[0-5] | URL=gs://b/o"},
		"flags round the argument":                               {"compute instances describe --zone=z vm --format=json", "compute instances describe | --zone[z] | --format[json] | INSTANCE_NAME=vm"},
		"several arguments":                                      {"compute instances list a b", "compute instances list | NAME=a | NAME=b"},
		"a repeated flag":                                        {"projects list --limit=1 --limit=2", "projects list | --limit[1] | --limit[2]"},
		"an inverted flag":                                       {"compute instances list --no-uri", "compute instances list | --no-uri[]"},
		"a value that is a negative number":                      {"pubsub topics publish t --message -5", "pubsub topics publish | --message[-5] | TOPIC=t"},
		"an argument that is a negative number":                  {"logging write l -5", "logging write | LOG_NAME=l | MESSAGE=-5"},
		"an argument with a hyphen and a blank":                  {"logging write l '-x y'", "logging write | LOG_NAME=l | MESSAGE=-x y"},
		"an argument after --":                                   {"projects describe -- p1", describeP1},
		"an argument with hyphens after --":                      {"logging write l -- --msg", "logging write | LOG_NAME=l | MESSAGE=--msg"},
		"a remainder":                                            {"compute ssh vm -- -v --flag", "compute ssh | [USER@]INSTANCE=vm | -- [-v --flag]"},
		"an empty remainder":                                     {"compute ssh vm --", "compute ssh | [USER@]INSTANCE=vm | -- []"},
		"a remainder that has another --":                        {"compute ssh vm -- a -- b", "compute ssh | [USER@]INSTANCE=vm | -- [a -- b]"},
		"an empty value":                                         {"projects list --filter=", "projects list | --filter[]"},
		"a value that is --":                                     {"projects list --filter=--", "projects list | --filter[]"},
		"a value with a hyphen after =":                          {"projects list --filter=-x", "projects list | --filter[-x]"},
		"an empty argument":                                      {"projects describe ''", "projects describe | PROJECT_ID_OR_NUMBER="},
		"a release track":                                        {"beta compute instances list", "beta compute instances list"},
		"an alias":                                               {"ml-engine models list", "ai-platform models list"},
		"an alias in another track":                              {"alpha container hub memberships list", "alpha container fleet memberships list"},
		"a list with a delimiter of its own":                     {"compute instances add-tags vm --tags=^:^a:b", "compute instances add-tags | --tags[^:^a:b] | INSTANCE_NAME=vm"},
		"help, after which gcloud reads nothing":                 {"projects describe --help --bogus", "projects describe | --help[]"},
		"the version":                                            {"--version bogus", " | -v[]"},
		"labels in two flags":                                    {"pubsub topics create t --labels=a=b --labels=c=d", "pubsub topics create | --labels[a=b] | --labels[c=d] | TOPIC=t"},
		"a flag that a track redefines":                          {"alpha run worker-pools list --project=x", "alpha run worker-pools list | --project[x]"},
	} {
		t.Run(name, func(t *testing.T) {
			got, violations := Parse("gcloud " + c.line)
			if len(violations) > 0 || describe(got) != c.want {
				t.Errorf("got  %s\nwant %s\n%v", describe(got), c.want, violations)
			}
			if words, _ := tokenise("gcloud " + c.line); !slices.Equal(got.Argv, words) {
				t.Errorf("argv %q is not the words %q", got.Argv, words)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		line string
		rule Rule
		fix  string
	}{
		"an abbreviated flag":                        {"projects list --proj=x", UnknownFlag, "Write --project=x."},
		"an abbreviated command":                     {"projects desc p1", UnknownCommand, "Write gcloud projects describe."},
		"a command in capitals":                      {"Projects describe p1", UnknownCommand, "Write gcloud projects."},
		"underscores in a command":                   {"compute forwarding_rules list", UnknownCommand, "Write gcloud compute forwarding-rules."},
		"underscores in a flag":                      {"projects list --page_size=5", UnknownFlag, "Write --page-size, with hyphens."},
		"a separate value that begins with a hyphen": {"projects list --filter -x", MissingArgument, "Write --filter=-x if that is the value: a value that begins with a hyphen needs the =."},
		"a value that is missing":                    {"projects list --filter", MissingArgument, "Write --filter=VALUE."},
		"a value before --":                          {"projects list --filter -- x", MissingArgument, "Write --filter=VALUE."},
		"a truth value for a boolean flag":           {"compute instances list --uri=true", InvalidValue, "Write --uri alone."},
		"a false value for a boolean flag":           {"compute instances list --uri=false", InvalidValue, "Write --no-uri."},
		"short flags in one word":                    {"storage ls -lr", UnknownFlag, "Write -l -r."},
		"a short flag with its value in one word":    {"storage cat -r0-5 gs://b/o", UnknownFlag, "Write -r=0-5."},
		"a blank before the =":                       {"compute instances describe vm '--zone =z'", UnexpectedArgument, "Leave it out, or put quotes round a value that has blanks."},
		"arguments that don't stand together":        {"compute instances delete a --zone=z b", UnexpectedArgument, "Leave it out, or put quotes round a value that has blanks."},
		"-- before the command":                      {"-- projects list", UnknownCommand, "Remove the --: it may stand only after the command."},
		"-- inside the command":                      {"projects -- list", UnknownCommand, "Remove the --: it may stand only after the command."},
		"the version after a command":                {"projects list --version", UnknownFlag, "Leave it out; gcloud projects list --help shows the flags."},
		"a track in a track":                         {"alpha beta projects list", UnknownCommand, ""},
		"a command of another track":                 {"logging tail", UnknownCommand, "Write gcloud alpha logging tail."},
		"a group":                                    {"compute instances", UnknownCommand, ""},
		"a flag of the command before the command":   {"compute --zone=z instances describe vm", UnknownFlag, "Write --zone after the command's name"},
		"a delimiter that is empty":                  {"compute instances add-tags vm --tags=^^a", InvalidValue, escaping},
		"a flag that may be written once":            {"compute instances create vm --metadata=a=b --metadata=c=d", InvalidValue, "Put all its values into one, separated by commas."},
		"a key that is given twice":                  {"pubsub topics create t --labels=a=b --labels=a=c", InvalidValue, "Keep one of them."},
		"a label in capitals":                        {"pubsub topics create t --labels=A=b", InvalidValue, "A key begins with a small letter and has at most 63 small letters, digits, hyphens and underscores."},
		"a choice that isn't":                        {"projects list --verbosity=loud", InvalidValue, "Write one of"},
		"a choice that is misspelt":                  {"projects list --verbosity=debgu", InvalidValue, "Write debug."},
		"a number out of bounds":                     {"projects list --limit=0", InvalidValue, "Write at least 1."},
		"a duration without sense":                   {"pubsub subscriptions create s --topic=t --message-retention-duration=long", InvalidValue, durationFix},
		"a size without sense":                       {"compute disks create d --size=big", InvalidValue, "Write a whole number with a unit"},
		"a dictionary with an unknown key":           {"compute instances create vm --create-disk=sise=10", InvalidValue, "Write size."},
		"a project's name for its id":                {"projects list --project='My Project'", InvalidValue, "it isn't the project's name"},
		"an exclusive group":                         {"container clusters create c --zone=z --region=r", ConflictingFlags, "Keep one of them."},
		"a required flag that is missing":            {"dns record-sets list", MissingArgument, "Add --zone=VALUE."},
		"an argument that is missing":                {"projects describe", MissingArgument, "Write the PROJECT_ID_OR_NUMBER after gcloud projects describe."},
	} {
		t.Run(name, func(t *testing.T) {
			_, violations := Parse("gcloud " + c.line)
			if len(violations) == 0 {
				t.Fatal("taken")
			}
			if v := violations[0]; v.Rule != c.rule || !strings.Contains(v.Fix, c.fix) || v.Message == "" || v.Fix == "" {
				t.Errorf("got %+v\nwant rule %s, fix %q", v, c.rule, c.fix)
			}
		})
	}
}
