// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/command"
)

func TestADryRunPrintsTheManifest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "schema.ddl")
	if err := os.WriteFile(path, []byte("CREATE TABLE T"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := run("-n", "team", "--dry-run", "--service-account=deployer", "--timeout=30m", "--input-file=a/schema.ddl="+path,
		"spanner", "databases", "execute-sql", "db", "--sql=SELECT 'it''s'", "--project=my-project")
	if code != 0 || stderr != "" {
		t.Fatalf("it ended with %d, and said %s", code, stderr)
	}
	want := `apiVersion: gcloud-operator.dev/v1alpha1
kind: GcloudRun
metadata:
  labels:
    app.kubernetes.io/managed-by: kubectl-gcloud
  name: spanner-databases-execute-sql-XXXXX
  namespace: team
spec:
  command: gcloud spanner databases execute-sql db --sql='SELECT '\''it'\'''\''s'\'''
    --project=my-project
  identity:
    serviceAccountName: deployer
  inputFiles:
  - contents: CREATE TABLE T
    path: a/schema.ddl
  project: projects/my-project
  timeout: 30m0s
`
	if got := regexp.MustCompile(`-[a-z0-9]{5}\n`).ReplaceAllString(stdout, "-XXXXX\n"); got != want {
		t.Errorf("it prints\n%s\nwant\n%s", got, want)
	}
	var g v1alpha1.GcloudRun
	if err := yaml.UnmarshalStrict([]byte(stdout), &g); err != nil {
		t.Error(err)
	}
}

func TestADryRunSaysWhatTheRulesFind(t *testing.T) {
	for name, c := range map[string]struct {
		words []string
		code  int
		want  string
	}{
		"nothing": {[]string{"projects", "list", "--project=my-project"}, 0, ""},
		"what would be refused": {[]string{"projects", "lst", "--project=my-project"}, exitUsage,
			`<stdin>:8: error: projects-lst-XXXXX spec.command: gcloud projects has no command "lst". Write gcloud projects list. (UnknownCommand)`},
		"what would be warned of": {[]string{"secrets", "versions", "access", "1", "--secret=s", "--project=my-project"}, 0, "(SecretOutput)"},
	} {
		code, stdout, stderr := run(append([]string{"--dry-run"}, c.words...)...)
		said := regexp.MustCompile(`-[a-z0-9]{5} `).ReplaceAllString(stderr, "-XXXXX ")
		if code != c.code || !strings.Contains(said, c.want) || c.want == "" && said != "" || !strings.Contains(stdout, "kind: GcloudRun\n") {
			t.Errorf("%s: it ended with %d, and said %q; want %d and %q", name, code, said, c.code, c.want)
		}
	}
}

func TestWordsComeToGcloudAsTheyWereWritten(t *testing.T) {
	for _, words := range [][]string{
		{"projects", "list", "--filter=name:a b", "--project=my-project"},
		{"projects", "list", "--format=value(name)", `it's "quoted" $HOME \ * ~`, "", "--project=my-project"},
		{"logging", "write", "log", "two\nlines", "--project=my-project", "--", "--x"},
	} {
		g, err := manifest(options{}, words)
		if err != nil {
			t.Fatal(err)
		}
		if cmd, _ := command.Parse(g.Spec.Command); !slices.Equal(cmd.Argv, append([]string{"gcloud"}, words...)) {
			t.Errorf("%q became %q", words, cmd.Argv)
		}
	}
}

func TestWhoPaysAndHowARunIsNamed(t *testing.T) {
	for line, want := range map[string]struct{ project, name string }{
		"projects list --project=my-project":                               {"projects/my-project", "projects-list-"},
		"projects list --project my-project":                               {"projects/my-project", "projects-list-"},
		"organizations list --billing-project=payer":                       {"projects/payer", "organizations-list-"},
		"projects list --project=my-project --billing-project=12345":       {"projects/12345", "projects-list-"},
		"beta ml-engine models list --project=my-project":                  {"projects/my-project", "beta-ai-platform-models-list-"},
		"--project=my-project":                                             {"projects/my-project", "gcloud-"},
		"Übung macht den_Meister --project=my-project":                     {"projects/my-project", "bung-"},
		"network-connectivity regional-endpoints describe --project=a-bcd": {"projects/a-bcd", "network-connectivity-regional-endpoints-"},
	} {
		g, err := manifest(options{}, strings.Split(line, " "))
		if err != nil {
			t.Fatal(err)
		}
		if g.Spec.Project != want.project || !strings.HasPrefix(g.Name, want.name) || len(g.Name) != len(want.name)+5 {
			t.Errorf("%s: %s pays, and it is named %s", line, g.Spec.Project, g.Name)
		}
	}
}
