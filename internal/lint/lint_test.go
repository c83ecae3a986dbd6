// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

// run calls the linter, and returns exit code, output and errors.
func run(t *testing.T, stdin string, args ...string) (int, string, string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := Run(args, strings.NewReader(stdin), &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

func TestManifests(t *testing.T) {
	const badText = `testdata/bad.yaml:16: error: team/list-instances spec.command: the value of --limit is a word of its own. Write --limit=5. (FlagEquals)`
	for name, c := range map[string]struct {
		args []string
		code int
		want []string // each is a whole line, in any order
	}{
		"a file, with the lines of what is wrong": {
			args: []string{"testdata/bad.yaml"}, code: 1,
			want: []string{
				`testdata/bad.yaml:15: error: team/list-instances spec.project: "my-project" is not of the form projects/PROJECT_ID. Write projects/my-project. (ProjectFormat)`,
				badText,
				`testdata/bad.yaml:16: error: team/list-instances spec.command: the command says no project, and none is pre-configured. Add --project=PROJECT_ID. (ProjectRequired)`,
				`testdata/bad.yaml:23: error: team/list-instances spec.inputFiles[1].path: "../bad.txt" climbs out of a folder with ... Write a path without .. (InputPath)`,
			},
		},
		"a folder, with a list and a warning": {
			args: []string{"testdata/folder"}, code: 1,
			want: []string{
				`testdata/folder/list.json:11: error: in-a-list spec.command: gcloud projects has no command "lst". Write gcloud projects list. (UnknownCommand)`,
				`testdata/folder/placeholder.yml:7: warning: example- spec.command: --project=PROJECT_ID is a placeholder, which gcloud refuses when it runs. Write the id of a project. (Placeholder)`,
			},
		},
		"only a warning": {
			args: []string{"testdata/folder/placeholder.yml"}, code: 0,
			want: []string{`testdata/folder/placeholder.yml:7: warning: example- spec.command: --project=PROJECT_ID is a placeholder, which gcloud refuses when it runs. Write the id of a project. (Placeholder)`},
		},
		"parsing only, which knows no warnings": {
			args: []string{"--parse-only", "testdata/folder/placeholder.yml", "testdata/bad.yaml"}, code: 1,
			want: []string{`testdata/folder/placeholder.yml:7: error: example- spec.command: --project=PROJECT_ID is a placeholder, which gcloud refuses when it runs. Write the id of a project. (Placeholder)`},
		},
		"resources that read, with the lines of what is wrong": {
			args: []string{"testdata/reads.yaml"}, code: 1,
			want: []string{
				`testdata/reads.yaml:9: error: team/docs spec.names[1]: must be documents/ and the document's URI without https://: write documents/docs.cloud.google.com/run/docs (FieldValueInvalid)`,
				`testdata/reads.yaml:10: error: team/docs spec.names[2]: is the same as spec.names[0]: name each document once (FieldValueInvalid)`,
				`testdata/reads.yaml:16: error: none spec.names: name from 1 to 20 documents, such as documents/docs.cloud.google.com/storage/docs/creating-buckets (FieldValueRequired)`,
				`testdata/reads.yaml:25: error: team/orders spec.workspace: must have the form projects/PROJECT/locations/LOCATION/repositories/REPOSITORY/workspaces/WORKSPACE (FieldValueInvalid)`,
				`testdata/reads.yaml:24: error: team/orders spec.path: must not have elements "." or "..": write the path without them (FieldValueInvalid)`,
				`testdata/reads.yaml:26: error: team/orders spec.revision: must not have ..: write one revision, not a range (FieldValueInvalid)`,
			},
		},
		"fields that there are none of, beside a rule, and annotations that ask for nothing": {
			args: []string{"testdata/unknown.yaml"}, code: 1,
			want: []string{
				`testdata/unknown.yaml:12: error: team/misspelt spec.retry.on: there is no such field. See which there are: kubectl explain gcloudrun.spec.retry (UnknownField)`,
				`testdata/unknown.yaml:15: error: team/misspelt spec.inputFiles[0].content: there is no such field. Write contents. See which there are: kubectl explain gcloudrun.spec.inputFiles (UnknownField)`,
				`testdata/unknown.yaml:9: error: team/misspelt spec.command: the value of --limit is a word of its own. Write --limit=5. (FlagEquals)`,
				`testdata/unknown.yaml:6: error: team/misspelt metadata.annotations[gcloud-operator.dev/cancel-run]: is not the number of a run: write that of the run to cancel, as status.run.number has it (FieldValueInvalid)`,
				`testdata/unknown.yaml:20: error: docs names: there is no such field. See which there are: kubectl explain documentfetch (UnknownField)`,
				`testdata/unknown.yaml:21: error: docs spec.names: name from 1 to 20 documents, such as documents/docs.cloud.google.com/storage/docs/creating-buckets (FieldValueRequired)`,
			},
		},
		"values of another type": {
			args: []string{"testdata/types.yaml"}, code: 1,
			want: []string{
				`testdata/types.yaml:6: error: number spec.project: is a number. Write a string. (FieldType)`,
				`testdata/types.yaml:16: error: units spec.timeout: "300" is no duration. Write hours, minutes or seconds, such as 24h, 10m or 90s. (FieldType)`,
				`testdata/types.yaml:24: error: docs spec.names: is a string. Write a list. (FieldType)`,
				`testdata/types.yaml:31: error: words spec.command: is a list. Write a string. (FieldType)`,
				`testdata/types.yaml:39: error: days spec.interval: "1d" is no duration. Write hours, minutes or seconds, such as 24h, 10m or 90s. (FieldType)`,
				`testdata/types.yaml:40: error: days spec.timeout: "10" is no duration. Write hours, minutes or seconds, such as 24h, 10m or 90s. (FieldType)`,
			},
		},
		"kinds and versions that there are none of, which the API server doesn't take": {
			args: []string{"testdata/kinds.yaml"}, code: 1,
			want: []string{
				`testdata/kinds.yaml:2: error: letters kind: there is no kind "GCloudRun". Write one of DataformFileRead, DocumentFetch, GcloudRun. (UnknownKind)`,
				`testdata/kinds.yaml:9: error: version apiVersion: there is no GcloudRun in "gcloud-operator.dev/v1". Write gcloud-operator.dev/v1alpha1. (UnknownKind)`,
				`testdata/kinds.yaml:19: error: group apiVersion: there is no DocumentFetch in "gcloud-operator.io/v1alpha1". Write gcloud-operator.dev/v1alpha1. (UnknownKind)`,
			},
		},
		"an identity, under a configuration": {
			args: []string{"--config=testdata/impersonations.yaml", "testdata/identity.yaml"}, code: 1,
			want: []string{
				`testdata/identity.yaml:11: error: team/deploy spec.identity.secretRef: says by itself as whom the command acts: write either secretRef alone, or serviceAccountName and workloadIdentityFederation without it (FieldValueInvalid)`,
				`testdata/identity.yaml:15: error: team/deploy spec.identity.workloadIdentityFederation.provider: must be the full name of a provider, with the project's number: write projects/NUMBER/locations/global/workloadIdentityPools/POOL/providers/PROVIDER (FieldValueInvalid)`,
				`testdata/identity.yaml:16: error: team/deploy spec.identity.impersonateServiceAccount: namespace "team" may not impersonate "admin@my-project.iam.gserviceaccount.com". Use one of: reader@my-project.iam.gserviceaccount.com. (ImpersonationPolicy)`,
			},
		},
		"settings of pods, under a configuration": {
			args: []string{"--config=testdata/pods.yaml", "testdata/pod.yaml"}, code: 1,
			want: []string{
				`testdata/pod.yaml:14: error: team/export spec.pod.resources.limits[memory]: the operator's configuration lets a run ask for 4Gi at most: write that, or ask who runs the operator (FieldValueInvalid)`,
				`testdata/pod.yaml:15: error: team/export spec.pod.priorityClassName: supported values: "batch" (FieldValueNotSupported)`,
				`testdata/pod.yaml:24: error: docs spec.pod.labels[app.kubernetes.io/managed-by]: it is set by the operator or by the Job controller: leave it out (FieldValueForbidden)`,
				`testdata/pod.yaml:36: error: orders spec.pod.tolerations[0].operator: must be Exists where there is no key: name a key, or write Exists (FieldValueInvalid)`,
			},
		},
		"annotations": {
			args: []string{"--output=github", "testdata/folder/list.json"}, code: 1,
			want: []string{`::error file=testdata/folder/list.json,line=11,title=UnknownCommand::in-a-list spec.command: gcloud projects has no command "lst". Write gcloud projects list.`},
		},
		"a configuration": {
			args: []string{"--config=testdata/config.yaml", "--output=text", "testdata/bad.yaml"}, code: 1,
			want: []string{
				`testdata/bad.yaml:15: error: team/list-instances spec.project: "my-project" is not of the form projects/PROJECT_ID. Write projects/my-project. (ProjectFormat)`,
				strings.Replace(badText, "error", "warning", 1),
				`testdata/bad.yaml:16: error: team/list-instances spec.command: gcloud compute is forbidden by the operator's configuration. Use another command, or ask who runs the operator. (ForbiddenCommand)`,
				`testdata/bad.yaml:16: error: team/list-instances spec.command: the command says no project, and none is pre-configured. Add --project=PROJECT_ID. (ProjectRequired)`,
				`testdata/bad.yaml:23: error: team/list-instances spec.inputFiles[1].path: "../bad.txt" climbs out of a folder with ... Write a path without .. (InputPath)`,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := run(t, "", c.args...)
			if code != c.code || stderr != "" {
				t.Errorf("exit code %d, want %d; stderr %q", code, c.code, stderr)
			}
			got := strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
			for _, want := range c.want {
				if !strings.Contains(stdout, want+"\n") {
					t.Errorf("missing: %s", want)
				}
			}
			if len(got) != len(c.want) {
				t.Errorf("%d lines, want %d:\n%s", len(got), len(c.want), stdout)
			}
		})
	}
}

func TestSamplesBreakNoRuleAndHaveNoUnknownFields(t *testing.T) {
	if code, stdout, stderr := run(t, "", "../../config/samples"); code != 0 || stdout != "" || stderr != "" {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	for name, into := range map[string]any{
		"quickstart.yaml":       &v1alpha1.GcloudRun{},
		"documentfetch.yaml":    &v1alpha1.DocumentFetch{},
		"dataformfileread.yaml": &v1alpha1.DataformFileRead{},
	} {
		data, err := os.ReadFile(filepath.Join("../../config/samples", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := yaml.UnmarshalStrict(data, into); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWhereThereIsNothingToCheckItSaysSo(t *testing.T) {
	const other = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
	want := "lint: nothing was checked: there is no GcloudRun, DocumentFetch or DataformFileRead in -\n"
	for _, form := range []string{"text", "json", "github"} {
		for name, input := range map[string]string{"nothing": "", "another kind": other} {
			if code, stdout, stderr := run(t, input, "--output="+form, "-"); code != 0 || stdout != "" || stderr != want {
				t.Errorf("%s as %s: exit code %d, stdout %q, stderr %q", name, form, code, stdout, stderr)
			}
		}
	}
}

func TestTheParserOfGcloudRefusesNoRead(t *testing.T) {
	if code, stdout, stderr := run(t, "", "--parse-only", "testdata/reads.yaml"); code != 0 || stdout != "" || stderr != "" {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}

func TestManifestsAsJSON(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "folder", "list.json"))
	if err != nil {
		t.Fatal(err)
	}
	code, stdout, _ := run(t, string(data), "--output=json", "-")
	var got map[string]any
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatalf("%v: %s", err, stdout)
	}
	for key, want := range map[string]any{"file": "<stdin>", "line": 11.0, "resource": "in-a-list", "severity": "error", "rule": "UnknownCommand", "field": "spec.command", "value": "lst", "message": `gcloud projects has no command "lst"`, "fix": "Write gcloud projects list."} {
		if got[key] != want {
			t.Errorf("%s is %v, want %v", key, got[key], want)
		}
	}
	if code != 1 {
		t.Errorf("exit code %d", code)
	}
}

func TestCommandLines(t *testing.T) {
	input := "gcloud -q ml-engine models list --project=my-project\ngcloud alpha projects list --limit 5\ngcloud projects list | jq\n\n"
	for name, c := range map[string]struct {
		args []string
		want []string
	}{
		"with all rules that look at a command": {[]string{"--command-lines"}, []string{
			`{"command":"gcloud -q ml-engine models list --project=my-project","ok":true,"path":"ai-platform models list","argv":["gcloud","-q","ml-engine","models","list","--project=my-project"],"violations":[]}`,
			`{"command":"gcloud alpha projects list --limit 5","ok":false,"path":"alpha projects list","argv":["gcloud","alpha","projects","list","--limit","5"],"violations":[{"rule":"FlagEquals","message":"the value of --limit is a word of its own","fix":"Write --limit=5."},{"rule":"ProjectRequired","message":"the command says no project, and none is pre-configured","fix":"Add --project=PROJECT_ID."}]}`,
		}},
		"with the parser alone": {[]string{"--command-lines", "--parse-only", "-"}, []string{
			`{"command":"gcloud alpha projects list --limit 5","ok":true,"path":"alpha projects list","argv":["gcloud","alpha","projects","list","--limit","5"],"violations":[]}`,
			`"violations":[{"rule":"Syntax","message":"| is an operator of the shell, and no shell runs the command (at character 22)"`,
			`{"command":"","ok":false,"path":"","argv":[],"violations":[{"rule":"Syntax","message":"the command is empty"`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := run(t, input, c.args...)
			for _, want := range c.want {
				if !strings.Contains(stdout, want) {
					t.Errorf("missing: %s\nin\n%s", want, stdout)
				}
			}
			if n := strings.Count(stdout, "\n"); n != 4 || code != 1 || stderr != "" {
				t.Errorf("%d verdicts, exit code %d, stderr %q", n, code, stderr)
			}
		})
	}
}

func TestUsageErrors(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"nothing to check":                  {nil, "name files or folders"},
		"an unknown flag":                   {[]string{"--bogus"}, "not defined: -bogus"},
		"an unknown form":                   {[]string{"--output=xml", "x"}, "write text, json or github"},
		"a file that isn't":                 {[]string{"testdata/nothing.yaml"}, "no such file"},
		"a file that isn't YAML":            {[]string{"testdata/folder/.hidden/broken.yaml"}, "is no YAML"},
		"a configuration that is not there": {[]string{"--config=testdata/nothing", "x"}, "no such file"},
		"another manifest as configuration": {[]string{"--config=testdata/bad.yaml", "x"}, "reading the configuration"},
		"lines that aren't":                 {[]string{"--command-lines", "testdata/nothing"}, "no such file"},
	} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := run(t, "", c.args...)
			if code != 2 || stdout != "" || !strings.Contains(stderr, c.want) {
				t.Errorf("exit code %d, stdout %q, stderr %q; want 2 and %q", code, stdout, stderr, c.want)
			}
		})
	}
	if code, _, stderr := run(t, "", "--help"); code != 0 || !strings.Contains(stderr, "Usage:") {
		t.Errorf("--help: exit code %d, stderr %q", code, stderr)
	}
}
