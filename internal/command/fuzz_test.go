// SPDX-License-Identifier: Apache-2.0

package command

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// seeds are lines for the fuzzers to start from.
func seeds() []string {
	all := []string{
		"", "gcloud", "gcloud --", "gcloud -q=h", "gcloud -- projects", "gcloud projects list --", "gcloud compute instances create a b --zone=z --labels=a=b,c=d --metadata=^:^a=b:c=d",
		"gcloud logging write log -- --msg", "gcloud logging write log -5 -- -- x", "gcloud compute ssh vm -- -o x", `gcloud logging read "a\"b" --limit=1 --format='value(a)'`,
		"gcloud -q --project x alpha ml-engine models list --no-user-output-enabled", "gcloud a \\\n\t'b'\"c\"\\d", "gcloud config set a --flags-file=x", "gcloud run deploy s --set-env-vars='A={\"b\":1}' --min-instances=default",
		"gcloud sql instances create i --tier db --storage-size=10GB --maintenance-window-day=MON --retained-backups-count=1_0", "gcloud pubsub topics create t --message-retention-duration=P1DT2h3.5s",
	}
	for line := range bypasses {
		all = append(all, line)
	}
	slices.Sort(all)
	return all
}

func FuzzTokenise(f *testing.F) {
	for _, s := range seeds() {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		words, violations := tokenise(line)
		if len(violations) > 0 {
			for _, v := range violations {
				if v.Message == "" || v.Fix == "" {
					t.Errorf("%q: a violation that doesn't help: %+v", line, v)
				}
			}
			return
		}
		again, violations := tokenise(Quote(words))
		if len(violations) > 0 || !slices.Equal(words, again) {
			t.Errorf("%q is %q; quoted %q, that is %q, %v", line, words, Quote(words), again, violations)
		}
	})
}

// What Parse accepts is the same when it is quoted anew, and what the rules admit is what they looked at.
func FuzzParse(f *testing.F) {
	for _, s := range seeds() {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		c, violations := Parse(line)
		if len(violations) == 0 {
			again, more := Parse(Quote(c.Argv))
			if len(more) > 0 || !reflect.DeepEqual(c, again) {
				t.Errorf("%q: %+v; quoted anew %+v, %v", line, c, again, more)
			}
		}
		r := admitted()
		r.Command = line
		checked, v := Policy{}.Check(r)
		if !reflect.DeepEqual(c, checked) {
			t.Errorf("%q: parsed %+v, checked %+v", line, c, checked)
		}
		if v.OK() {
			mustBeHarmless(t, c)
		}
	})
}

func mustBeHarmless(t *testing.T, c Command) {
	if len(c.Argv) == 0 || c.Argv[0] != "gcloud" {
		t.Fatalf("admitted %q", c.Argv)
	}
	for _, w := range c.Argv {
		if strings.HasPrefix(w, "--flags-file") && (len(w) == 12 || w[12] == '=') || strings.ContainsRune(w, 0) {
			t.Errorf("admitted %q", c.Argv)
		}
	}
	for _, f := range forbidden {
		if isBelow(c.Path, strings.Fields(f.command)) {
			t.Errorf("admitted %q", c.Argv)
		}
	}
}
