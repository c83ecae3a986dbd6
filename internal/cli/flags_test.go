// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestThePluginsFlagsComeBeforeGcloudsWords(t *testing.T) {
	for name, c := range map[string]struct {
		args  []string
		words []string
		check func(options) bool
	}{
		"no flags of the plugin": {[]string{"projects", "list", "--limit=5"}, []string{"projects", "list", "--limit=5"}, nil},
		"flags before": {[]string{"-n", "team", "--detach", "--timeout=5m", "projects", "list"}, []string{"projects", "list"}, func(o options) bool {
			return o.cluster.Context.Namespace == "team" && o.detach && o.timeout == 5*time.Minute
		}},
		"the same flag behind is gcloud's": {[]string{"--keep", "run", "deploy", "s", "--namespace=x", "--keep", "-h"}, []string{"run", "deploy", "s", "--namespace=x", "--keep", "-h"}, func(o options) bool { return o.keep && o.cluster.Context.Namespace == "" }},
		"as somebody else, as kubectl does it": {[]string{"--as=ann", "--as-group=team", "projects", "list"}, []string{"projects", "list"}, func(o options) bool {
			return o.cluster.AuthInfo.Impersonate == "ann" && slices.Equal(o.cluster.AuthInfo.ImpersonateGroups, []string{"team"})
		}},
		"two files":                             {[]string{"--input-file=a", "--input-file=b=c", "projects", "list"}, []string{"projects", "list"}, func(o options) bool { return slices.Equal(o.inputFiles, []string{"a", "b=c"}) }},
		"everything behind -- is gcloud's":      {[]string{"--dry-run", "--", "--version"}, []string{"--version"}, func(o options) bool { return o.dryRun && o.dashed }},
		"a -- behind the words is gcloud's too": {[]string{"logging", "write", "log", "--", "-x"}, []string{"logging", "write", "log", "--", "-x"}, func(o options) bool { return !o.dashed }},
	} {
		t.Run(name, func(t *testing.T) {
			o, words, err := parseRun(c.args)
			if err != nil || !slices.Equal(words, c.words) || c.check != nil && !c.check(o) {
				t.Errorf("%q is %+v, %q, %v", c.args, o, words, err)
			}
		})
	}
}

// run calls the plugin as a program.
func run(args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = Run(args, Streams{In: strings.NewReader(""), Out: &out, Err: &err}, nil)
	return code, out.String(), err.String()
}

func TestCommandLinesThatAreWrong(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"nothing":                       {nil, "the words of the gcloud command are missing"},
		"a flag of gcloud's before":     {[]string{"--project=p", "projects", "list"}, "--project is a flag of gcloud's: write it after the words of the command"},
		"a flag of nobody's":            {[]string{"--projct=p", "projects", "list"}, "unknown flag: --projct; flags of gcloud's stand after"},
		"a contradiction":               {[]string{"--detach", "--output-dir=.", "projects", "list"}, "--detach doesn't wait"},
		"a verb without its run":        {[]string{"result"}, "result takes the name of one run"},
		"a verb with more than it can":  {[]string{"runs", "a"}, "runs takes no argument"},
		"a flag that the verb lacks":    {[]string{"--keep", "runs"}, "unknown flag: --keep"},
		"a project that isn't there":    {[]string{"projects", "list"}, "the command says no project, and none is pre-configured. Add --project=PROJECT_ID. (ProjectRequired)"},
		"a project without a name":      {[]string{"projects", "list", "--project="}, "the command names no project"},
		"a misspelt command as well":    {[]string{"projcts", "list"}, "gcloud has no command \"projcts\". Write gcloud projects. (UnknownCommand)"},
		"an input file that isn't":      {[]string{"--input-file=nowhere", "projects", "list", "--project=my-project"}, "--input-file=nowhere: open nowhere"},
		"an input file outside":         {[]string{"--input-file=/etc/hostname", "projects", "list", "--project=my-project"}, "--input-file=NAME=/etc/hostname"},
		"a file that is no text":        {[]string{"--input-file=x=../command/tree/tree.bin.gz", "projects", "list", "--project=my-project"}, "is no text in UTF-8"},
		"a file for lint that isn't":    {[]string{"lint", "nowhere.yaml"}, "lint: "},
		"a time to wait that is no one": {[]string{"--timeout=-1s", "projects", "list"}, "--timeout=-1s is no time to wait"},
	} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := run(c.args...)
			if code != exitUsage || stdout != "" || !strings.Contains(stderr, c.says) {
				t.Errorf("it ends with %d, prints %q, and says %q", code, stdout, stderr)
			}
		})
	}
}

func TestHelp(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"-h"}, {"result", "-h"}, {"-n", "team", "runs", "--help"}} {
		code, stdout, stderr := run(args...)
		if code != 0 || !strings.Contains(stdout, "kubectl gcloud") || !strings.Contains(stdout, "--namespace") || stderr != "" {
			t.Errorf("%q ends with %d, prints %q, and says %q", args, code, stdout, stderr)
		}
	}
}
