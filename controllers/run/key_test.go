// SPDX-License-Identifier: Apache-2.0

package run

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

// keyCases are what kinds, annotations and specs come to. Add to them; never change one.
var keyCases = []struct {
	name                       string
	kind, request, reconcileAt string
	fields                     map[string]string
}{
	{"a command", "GcloudRun", "", "", map[string]string{"project": "projects/my-project", "command": "gcloud projects list"}},
	{"another project", "GcloudRun", "", "", map[string]string{"project": "projects/other", "command": "gcloud projects list"}},
	{"another command", "GcloudRun", "", "", map[string]string{"project": "projects/my-project", "command": "gcloud projects list "}},
	{"marks and letters of all kinds", "GcloudRun", "", "", map[string]string{"project": "projects/my-project", "command": "gcloud logging read 'a<b && c>\"d\"' --format='value(é)' \\\n\t\u2028"}},
	{"another kind", "DocumentFetch", "", "", map[string]string{"project": "projects/my-project", "command": "gcloud projects list"}},
	{"a request", "GcloudRun", "2026-07-01", "", map[string]string{"project": "projects/my-project", "command": "gcloud projects list"}},
	{"the same, from Flux", "GcloudRun", "", "2026-07-01", map[string]string{"project": "projects/my-project", "command": "gcloud projects list"}},
	{"a request of either", "GcloudRun", "2026-07-01", "2026-07-01", map[string]string{"project": "projects/my-project", "command": "gcloud projects list"}},
	{"an identity", "GcloudRun", "", "", map[string]string{"project": "projects/my-project", "command": "gcloud projects list", "identity/serviceAccountName": "deployer"}},
	{"an input file", "GcloudRun", "", "", map[string]string{"project": "projects/my-project", "command": "gcloud projects list", "inputFiles/a.txt": "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"}},
	{"the same file elsewhere", "GcloudRun", "", "", map[string]string{"project": "projects/my-project", "command": "gcloud projects list", "inputFiles/b.txt": "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"}},
	{"no fields", "GcloudRun", "", "", map[string]string{}},
	{"a key in a Secret", "GcloudRun", "", "", map[string]string{"project": "projects/my-project", "command": "gcloud projects list", "identity/secretRef": "credentials/key.json"}},
	{"a federated identity", "GcloudRun", "", "", map[string]string{"project": "projects/my-project", "command": "gcloud projects list", "identity/workloadIdentityFederation/provider": "projects/1/locations/global/workloadIdentityPools/clusters/providers/prod-eu"}},
	{"an impersonation", "GcloudRun", "", "", map[string]string{"project": "projects/my-project", "command": "gcloud projects list", "identity/impersonateServiceAccount": "deployer@my-project.iam.gserviceaccount.com"}},
	{"a field of no text", "GcloudRun", "", "", map[string]string{"project": ""}},
}

// A release that changes a key runs every resource of every cluster again at its upgrade.
func TestNoReleaseChangesAKey(t *testing.T) {
	const path = "testdata/keys.txt"
	var now strings.Builder
	for _, c := range keyCases {
		fmt.Fprintf(&now, "%s  %s\n", key(c.kind, c.request, c.reconcileAt, c.fields), c.name)
	}
	if *update {
		if err := os.WriteFile(path, []byte(now.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	golden, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if now.String() != string(golden) {
		t.Errorf("the keys are not those of %s. An upgrade would run everything again: take the change of the canonical form back. "+
			"Only for a case that is new, write the file with -update. Now they are\n%s", path, now.String())
	}
}

func TestDifferentRunsHaveDifferentKeys(t *testing.T) {
	seen := map[string]string{}
	for _, c := range keyCases {
		k := key(c.kind, c.request, c.reconcileAt, c.fields)
		if other, taken := seen[k]; taken {
			t.Errorf("%q and %q have the key %s", c.name, other, k)
		}
		seen[k] = c.name
	}
}

func TestOrderOfTheFieldsIsOfNoMatter(t *testing.T) {
	want := ""
	for turn := range 100 {
		fields := map[string]string{}
		for i := range 20 {
			n := (i + turn) % 20
			fields[fmt.Sprintf("inputFiles/%02d", n)] = fmt.Sprint(n)
		}
		got := key("GcloudRun", "", "", fields)
		if want != "" && got != want {
			t.Fatalf("got %s after %s", got, want)
		}
		want = got
	}
}
