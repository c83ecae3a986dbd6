// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/gcloud-operator/gcloud-operator/internal/command/tree"
)

// What the plugin takes for itself, gcloud must not have: it couldn't be run any more.
func TestNoCommandOfGcloudsHasTheNameOfAVerb(t *testing.T) {
	words := []string{lintWord, completionWord, completeWord}
	for _, v := range verbs() {
		words = append(words, v.name)
	}
	for _, word := range words {
		if tree.Load().Root.Child(word) != nil {
			t.Errorf("there is a gcloud %s", word)
		}
	}
}

func TestCompletions(t *testing.T) {
	runs := func(o options) []string {
		if o.cluster.Context.Namespace == "team" {
			return []string{"a-run", "another", "b-run"}
		}
		return []string{"elsewhere"}
	}
	for line, c := range map[string]struct {
		want      []string
		directive int
	}{
		"ru":                                    {[]string{"runs", "run"}, noFileNames},
		"compu":                                 {[]string{"compute"}, noFileNames},
		"--det":                                 {[]string{"--detach"}, noFileNames},
		"--out":                                 {[]string{"--output-dir="}, noSpace | noFileNames},
		"--input-file=":                         {nil, fileNames},
		"-n ":                                   {nil, fileNames},
		"compute instances li":                  {[]string{"list"}, noFileNames},
		"--namespace=x compute instances li":    {[]string{"list"}, noFileNames},
		"compute instances list --proj":         {[]string{"--project="}, noSpace | noFileNames},
		"compute instances list --uri":          {[]string{"--uri"}, noFileNames},
		"compute --project=p instances li":      {[]string{"list"}, noFileNames},
		"beta compute instances create --maint": {[]string{"--maintenance-policy="}, noSpace | noFileNames},
		"compute instances create x ":           {nil, fileNames},
		"compute instances create --deletion":   {[]string{"--deletion-protection"}, noFileNames},
		"compute instances create --zone=":      {nil, fileNames},
		"projects list --credential":            {nil, noFileNames}, // hidden
		"-- --quie":                             {[]string{"--quiet"}, noFileNames},
		"result a":                              {nil, noFileNames},
		"-n team result a":                      {[]string{"a-run", "another"}, noFileNames},
		"result -n team b":                      {[]string{"b-run"}, noFileNames},
		"result a-run ":                         {nil, noFileNames},
		"result --out":                          {[]string{"--output-dir="}, noSpace | noFileNames},
		"runs ":                                 {nil, noFileNames},
		"lint ma":                               {nil, fileNames},
		"compute networks create --bgp-routing-mode=g": {[]string{"global"}, noFileNames},
	} {
		t.Run(line, func(t *testing.T) {
			got, directive := completions(strings.Split(line, " "), runs)
			if !slices.Equal(got, c.want) || directive != c.directive {
				t.Errorf("they are %q, %d, want %q, %d", got, directive, c.want, c.directive)
			}
		})
	}
}

func TestKubectlIsToldAsCobraTellsIt(t *testing.T) {
	code, stdout, stderr := run(completeWord, "compute", "instances", "lis")
	if code != 0 || stdout != "list\n:4\n" || stderr != "" {
		t.Errorf("it ends with %d, prints %q, and says %q", code, stdout, stderr)
	}
	if _, script, _ := run(completionWord); !strings.HasPrefix(script, "#!/bin/sh\n") || !strings.Contains(script, `exec kubectl-gcloud __complete "$@"`) {
		t.Errorf("the script is %s", script)
	}
}
