// SPDX-License-Identifier: Apache-2.0

package command

import (
	"slices"
	"strings"
	"testing"
)

func TestModes(t *testing.T) {
	r := admitted()
	r.Command = "gcloud projects list --limit 5" + p
	for mode, want := range map[Mode][2]int{Enforce: {1, 0}, Warn: {0, 1}, Off: {0, 0}} {
		_, v := Policy{Modes: map[Rule]Mode{FlagEquals: mode}}.Check(r)
		if len(v.Errors) != want[0] || len(v.Warnings) != want[1] {
			t.Errorf("%s: %d errors, %d warnings; want %v", mode, len(v.Errors), len(v.Warnings), want)
		}
	}
}

func TestTheFloorCantBeLowered(t *testing.T) {
	off := Policy{Modes: map[Rule]Mode{}}
	for _, rule := range Rules() {
		off.Modes[rule.ID] = Off
	}
	for _, line := range []string{"gcloud auth list", "gcloud alpha auth list --bogus", "gcloud meta debug", "gcloud config list", "gcloud projects list --flags-file=x", "gcloud projects list | sh", "gcloud auth bogus"} {
		r := admitted()
		r.Command = line
		if _, v := off.Check(r); v.OK() {
			t.Errorf("%s: admitted with all rules off", line)
		}
	}
	r := admitted()
	r.Command = "gcloud compute ssh vm --zone z"
	if _, v := off.Check(r); !v.OK() {
		t.Errorf("refused with all rules off: %v", v.Errors)
	}
}

func TestPlaceholderIsAWarning(t *testing.T) {
	r := admitted()
	r.Command = "gcloud projects list --project=PROJECT_ID"
	_, v := Policy{}.Check(r)
	if !v.OK() || len(v.Warnings) != 1 || v.Warnings[0].Rule != Placeholder {
		t.Errorf("errors %v, warnings %v", v.Errors, v.Warnings)
	}
	if _, v := (Policy{Modes: map[Rule]Mode{Placeholder: Enforce}}).Check(r); v.OK() {
		t.Error("admitted though the rule is enforced")
	}
}

func TestPolicy(t *testing.T) {
	policy := Policy{
		Forbidden:       []string{"compute firewall-rules", "gcloud beta ml-engine"},
		AllowedCommands: []string{"compute *", "projects *", "ai-platform *"},
		DeniedCommands:  []string{"compute instances delete", "* set-iam-policy"},
		AllowedProjects: map[string][]string{"team": {"team-*", "shared"}, "*": {"shared"}},
	}
	if err := policy.Validate(); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		namespace, command string
		want               []Rule
	}{
		"an allowed command on an allowed project":              {"team", "compute instances list --project=team-a", nil},
		"a command that is configured as forbidden":             {"team", "compute firewall-rules list --project=team-a", []Rule{ForbiddenCommand}},
		"the same in another track":                             {"team", "alpha compute firewall-rules list --project=team-a", []Rule{ForbiddenCommand}},
		"a forbidden command under its other name":              {"team", "ai-platform models list --project=team-a", []Rule{ForbiddenCommand}},
		"a command that no glob allows":                         {"team", "run services list --project=team-a", []Rule{CommandPolicy}},
		"a denied command":                                      {"team", "beta compute instances delete vm --project=team-a", []Rule{CommandPolicy}},
		"a command that a glob denies":                          {"team", "projects set-iam-policy shared f.json --project=team-a", []Rule{CommandPolicy}},
		"a project that the namespace may not use":              {"team", "compute instances list --project=other-a", []Rule{ProjectPolicy}},
		"a project of another namespace":                        {"other", "compute instances list --project=team-a", []Rule{ProjectPolicy}},
		"a project that every other namespace may use":          {"other", "compute instances list --project=shared", nil},
		"a billing project that the namespace may not use":      {"team", "compute instances list --project=team-a --billing-project=other-a", []Rule{ProjectPolicy}},
		"a project in a full resource name":                     {"team", "compute instances describe projects/other-a/zones/z/instances/i --project=team-a", []Rule{ProjectPolicy}},
		"a project in a URL that is the value of a flag":        {"team", "compute instances list --project=team-a --filter=x --zones=https://compute.googleapis.com/compute/v1/projects/other-a/zones/z", []Rule{ProjectPolicy}},
		"a project as argument":                                 {"team", "projects describe other-a --project=team-a", []Rule{ProjectPolicy}},
		"the first of two projects, of which the last one wins": {"team", "compute instances list --project=other-a --project=team-a", []Rule{ProjectPolicy}},
	} {
		t.Run(name, func(t *testing.T) {
			r := Request{Namespace: c.namespace, Project: "projects/shared-1", Command: "gcloud " + c.command}
			policy.AllowedProjects["team"] = []string{"team-*", "shared*"}
			policy.AllowedProjects["*"] = []string{"shared*"}
			if _, v := policy.Check(r); !slices.Equal(errorsOf(v), c.want) {
				t.Errorf("refused by %v, want %v: %v", errorsOf(v), c.want, v.Errors)
			}
		})
	}
}

func TestSpecProjectIsCheckedToo(t *testing.T) {
	policy := Policy{AllowedProjects: map[string][]string{"team": {"team-*"}}}
	r := Request{Namespace: "team", Project: "projects/other-project", Command: "gcloud projects list --project=team-a"}
	_, v := policy.Check(r)
	if len(v.Errors) != 1 || v.Errors[0].Field != "spec.project" || v.Errors[0].Rule != ProjectPolicy {
		t.Errorf("%v", v.Errors)
	}
}

func TestValidatePolicy(t *testing.T) {
	for name, c := range map[string]struct {
		policy Policy
		want   string
	}{
		"a rule that doesn't exist":  {Policy{Modes: map[Rule]Mode{"Bogus": Off}}, `no rule "Bogus"`},
		"a mode that doesn't exist":  {Policy{Modes: map[Rule]Mode{LocalPath: "Maybe"}}, `mode "Maybe" is none of`},
		"a rule that can't be off":   {Policy{Modes: map[Rule]Mode{ForbiddenCommand: Off}}, "always enforced"},
		"a forbidden command, empty": {Policy{Forbidden: []string{" gcloud beta "}}, "names no command"},
	} {
		t.Run(name, func(t *testing.T) {
			if err := c.policy.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Validate() = %v, want it to have %q", err, c.want)
			}
		})
	}
}

func TestGlobMatches(t *testing.T) {
	for _, c := range []struct {
		pattern, s string
		want       bool
	}{
		{"a b", "a b", true}, {"a b", "a b c", false}, {"a *", "a b c", true}, {"a *", "a", false}, {"*", "", true}, {"* delete", "a b delete", true},
		{"a*b*c", "axxbyyc", true}, {"a*b*c", "ac", false}, {"ab*ba", "aba", false}, {"*b*", "abc", true}, {"", "", true}, {"", "a", false}, {"a.b", "axb", false},
	} {
		if got := globMatches(c.pattern, c.s); got != c.want {
			t.Errorf("globMatches(%q, %q) = %v", c.pattern, c.s, got)
		}
	}
}

func TestImpersonationPolicy(t *testing.T) {
	policy := Policy{
		AllowedImpersonations: map[string][]string{"team": {"team-*@my-project.iam.gserviceaccount.com"}, "locked": {}, "*": {"reader@*"}},
		Modes:                 map[Rule]Mode{UnsafeFlag: Off},
	}
	const deployer, reader = "team-deployer@my-project.iam.gserviceaccount.com", "reader@my-project.iam.gserviceaccount.com"
	for name, c := range map[string]struct {
		policy                    Policy
		namespace, account, flags string
		want                      string // the field that is refused
	}{
		"nobody is impersonated":                            {policy, "locked", "", "", ""},
		"an account that the namespace may impersonate":     {policy, "team", deployer, "", ""},
		"one that it may not":                               {policy, "team", reader, "", "spec.identity.impersonateServiceAccount"},
		"one that every other namespace may":                {policy, "other", reader, "", ""},
		"one that is another namespace's":                   {policy, "other", deployer, "", "spec.identity.impersonateServiceAccount"},
		"a namespace that may impersonate none":             {policy, "locked", reader, "", "spec.identity.impersonateServiceAccount"},
		"no policy":                                         {Policy{}, "team", reader, "", ""},
		"the flag, where it is admitted":                    {policy, "team", "", " --impersonate-service-account=" + deployer, ""},
		"the flag, with an account that is not allowed":     {policy, "team", deployer, " --impersonate-service-account=" + reader, "spec.command"},
		"the flag, with such an one among those on the way": {policy, "team", "", " --impersonate-service-account=" + reader + "," + deployer, "spec.command"},
	} {
		t.Run(name, func(t *testing.T) {
			r := admitted()
			r.Namespace, r.Impersonate = c.namespace, c.account
			r.Command += c.flags
			_, v := c.policy.Check(r)
			got := ""
			for _, e := range v.Errors {
				got += e.Field
				if e.Rule != ImpersonationPolicy || !strings.Contains(e.Message, "may not impersonate") || e.Fix == "Use one of: ." {
					t.Errorf("got %s: %s", e.Rule, e)
				}
			}
			if got != c.want {
				t.Errorf("refused at %q, want %q", got, c.want)
			}
		})
	}
}
