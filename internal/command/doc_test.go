// SPDX-License-Identifier: Apache-2.0

package command

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/rules.md anew")

const rulesDoc = "../../docs/rules.md"

// docs/rules.md is made of the rules' own texts and messages: go test ./internal/command -run Doc -update
func TestDocIsInStepWithTheRules(t *testing.T) {
	want := rulesMarkdown()
	if *update {
		if err := os.WriteFile(rulesDoc, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(rulesDoc)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/rules.md is out of step; run: go test ./internal/command -run Doc -update")
	}
}

func rulesMarkdown() string {
	var b strings.Builder
	b.WriteString(`# Rules

A GcloudRun is checked when it is created or changed, and once more before its Job is made. All violations are reported at
once, each with what was found, why it is refused, and what to write instead. ` + "`gcloud-operator lint`" + ` says the same without a
cluster.

The operator's configuration sets the mode of each rule: ` + "`Enforce`" + ` refuses, ` + "`Warn`" + ` admits and shows a warning, ` + "`Off`" + ` says
nothing. Rules that are marked as fixed are always enforced.

This page is made from the rules' own texts and messages.

| rule | default | asks for |
|---|---|---|
`)
	for _, r := range Rules() {
		mode := string(r.Default)
		if r.Fixed {
			mode += ", fixed"
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", r.ID, mode, strings.ReplaceAll(r.Text, "|", `\|`))
	}
	b.WriteString("\n## What they say\n")
	for _, r := range Rules() {
		if examples := ruleCases[r.ID].refuses; len(examples) > 0 {
			fmt.Fprintf(&b, "\n### %s\n\n", r.ID)
			for _, line := range examples[:min(2, len(examples))] {
				writeExample(&b, r.ID, line)
			}
		}
	}
	b.WriteString("\n## Forbidden commands\n\nIn every release track, with all that is below them. `forbidden` in the configuration adds to the list.\n\n| command | why |\n|---|---|\n")
	for _, f := range forbidden {
		fmt.Fprintf(&b, "| `gcloud %s` | %s |\n", f.command, f.reason)
	}
	b.WriteString("\n## Commands that can't work in a run\n\nThe rule Interactive refuses them.\n\n| commands | why |\n|---|---|\n")
	for _, entry := range interactiveCommands {
		fmt.Fprintf(&b, "| `%s` | %s |\n", strings.ReplaceAll(entry.commands, ", ", "`, `"), entry.reason)
	}
	return b.String()
}

func writeExample(b *strings.Builder, rule Rule, line string) {
	r := admitted()
	r.Command = line
	_, v := Policy{}.Check(r)
	for _, e := range v.Errors {
		if e.Rule == rule {
			fmt.Fprintf(b, "```\n%s\n```\n\n> %s\n\n", line, e)
			return
		}
	}
}
