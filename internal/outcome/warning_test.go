// SPDX-License-Identifier: Apache-2.0

package outcome

import "testing"

// The texts are what gcloud 528 prints when an API answers for a part of what was asked.
func TestSuccessSaysWhenItIsPartial(t *testing.T) {
	for name, c := range map[string]struct{ stderr, want string }{
		"nothing was printed":          {"", ""},
		"all went well":                {"Listed 0 items.\n", ""},
		"a warning of something else":  {"WARNING: Your active project does not match the quota project.\nListed 0 items.\n", ""},
		"the words are no warning's":   {"The following zones did not respond to your survey.\n", ""},
		"compute was asked too often":  {"WARNING: Some requests did not succeed.\n - Quota exceeded for quota metric 'Read requests'\n\nListed 0 items.\n", "Some requests did not succeed. - Quota exceeded for quota metric 'Read requests'"},
		"a zone of compute's is down":  {"WARNING: Some requests did not succeed.\n - The resource 'projects/p/zones/us-east1-b' is not accessible right now.\n\nListed 0 items.\n", "Some requests did not succeed. - The resource 'projects/p/zones/us-east1-b' is not accessible right now."},
		"zones of GKE's are down":      {"WARNING: The following zones did not respond: us-east1-b, us-east1-c. List results may be incomplete.\n", "The following zones did not respond: us-east1-b, us-east1-c. List results may be incomplete."},
		"instances of Spanner's are":   {"WARNING: The following instances were unreachable: us-east1.\nListed 0 items.\n", "The following instances were unreachable: us-east1."},
		"a location of Filestore's is": {"WARNING: Location us-east1 may be unreachable.\nListed 0 items.\n", "Location us-east1 may be unreachable."},
		"it comes after another":       {"WARNING: Python 3.9 is old.\nWARNING: Location us-east1 may be unreachable.\n", "Location us-east1 may be unreachable."},
		"fleet may not look":           {"WARNING: You do not have permission to check project IAM role bindings. This results in incomplete role binding details in the list of app operators.\n", "You do not have permission to check project IAM role bindings. This results in incomplete role binding details in the list of app operators."},
	} {
		o := OfPod(podWith(command(ended(0, "Completed", message(t, stderr(c.stderr))))), thisRun, nil, afterwards)
		want := "The command ended with exit code 0"
		if c.want != "" {
			want += ", with a warning: " + c.want
		}
		if o.Reason != "Succeeded" || o.Message != want {
			t.Errorf("%s: got %s: %q, want %q", name, o.Reason, o.Message, want)
		}
	}
}
