// SPDX-License-Identifier: Apache-2.0

package judges

import (
	"testing"
	"time"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

func TestRunningAgainInArgoCDAsksForARun(t *testing.T) {
	judges, err := Load("../../config")
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"GcloudRun", "DocumentFetch", "DataformFileRead"} {
		for name, changes := range map[string][]change{
			"one without annotations": nil,
			"one that was asked for":  {asked, annotated("team", "platform")},
		} {
			object := resource(t, kind, changes)
			got, err := judges.Act(object, "rerun")
			if err != nil {
				t.Fatalf("%s: %s: %v", kind, name, err)
			}
			if _, err := time.Parse(time.RFC3339, got[v1alpha1.RequestedAtAnnotation]); err != nil {
				t.Errorf("%s: %s: %v", kind, name, err)
			}
			delete(got, v1alpha1.RequestedAtAnnotation)
			if want := object.GetAnnotations()["team"]; got["team"] != want || len(got) > 1 {
				t.Errorf("%s: %s: it has lost or got others: %v", kind, name, got)
			}
		}
		if _, err := judges.Act(resource(t, kind, nil), "delete"); err == nil {
			t.Errorf("%s: an action that nobody wrote is done", kind)
		}
	}
}
