// SPDX-License-Identifier: Apache-2.0

package command

import (
	"strings"
	"testing"

	"github.com/gcloud-operator/gcloud-operator/internal/command/tree"
)

func TestASecretInTheStatusIsWarnedOf(t *testing.T) {
	for _, c := range []struct {
		line, fix string
		toSecret  bool
		warned    bool
	}{
		{"gcloud secrets versions access latest --secret=s" + p, "--out-file=FILE", false, true},
		{"gcloud beta secrets versions access latest --secret=s" + p, "spec.output.secretName", false, true},
		{"gcloud secrets versions access latest --secret=s --out-file=f" + p, "goes to a Secret alone.", false, true},
		{"gcloud storage sign-url gs://b/o" + p, "spec.output.secretName", false, true},
		{"gcloud secrets versions access latest --secret=s" + p, "", true, false},
		{"gcloud secrets versions list s" + p, "", false, false},
	} {
		r := admitted()
		r.Command, r.OutputSecret = c.line, c.toSecret
		_, v := Policy{}.Check(r)
		warned := len(v.Warnings) == 1 && v.Warnings[0].Rule == SecretOutput
		if !v.OK() || warned != c.warned {
			t.Errorf("%s (to a Secret: %v): errors %v, warnings %v", c.line, c.toSecret, v.Errors, v.Warnings)
		}
		if warned && !strings.Contains(v.Warnings[0].Fix, c.fix) {
			t.Errorf("%s: the fix is %q, want %q in it", c.line, v.Warnings[0].Fix, c.fix)
		}
	}
}

func TestTheCommandsThatPrintSecretsExist(t *testing.T) {
	for _, entry := range secretCommands {
		for command := range strings.SplitSeq(entry.commands, ", ") {
			n := tree.Load().Root
			for _, word := range strings.Fields(command) {
				if n = n.Child(word); n == nil {
					t.Errorf("there is no gcloud %s", command)
					break
				}
			}
		}
	}
}
