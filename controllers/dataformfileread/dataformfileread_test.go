// SPDX-License-Identifier: Apache-2.0

package dataformfileread

import (
	"bytes"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	configv1alpha1 "github.com/gcloud-operator/gcloud-operator/api/config/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/controllers/run"
	"github.com/gcloud-operator/gcloud-operator/internal/jobspec"
	"github.com/gcloud-operator/gcloud-operator/internal/outcome"
	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

const workspace = "projects/my-project/locations/europe-west1/repositories/r/workspaces/w"

var (
	kind = Kind{Config: configv1alpha1.OperatorConfiguration{
		Reads:            configv1alpha1.Reads{Image: "operator"},
		TTLAfterFinished: &metav1.Duration{Duration: time.Hour},
	}}
	first  = time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)
	second = first.Add(time.Hour)
)

func readOf(path string) *v1alpha1.DataformFileRead {
	return &v1alpha1.DataformFileRead{
		ObjectMeta: metav1.ObjectMeta{Name: "file", Namespace: "ns", UID: "u"},
		Spec:       v1alpha1.DataformFileReadSpec{Workspace: workspace, Path: path},
	}
}

func record(d *v1alpha1.DataformFileRead, at time.Time, contents []byte) run.Kept {
	report := result.Report{Reason: result.Fetched}
	report.PackFile(contents)
	attempt := jobspec.Attempt{Owner: jobspec.Owner{Kind: "DataformFileRead", Name: d.Name, Namespace: d.Namespace, UID: d.UID}, Number: 1, Attempt: 1}
	return kind.Record(d, attempt, outcome.Outcome{Report: &report, Finished: at}, run.Room{Inline: 1000})
}

func TestThePlanNamesTheFile(t *testing.T) {
	d := readOf("über uns/a b.sqlx")
	d.Spec.Revision = "main"
	d.Spec.Timeout = &metav1.Duration{Duration: time.Second}
	intent := kind.Intent(d, nil)
	want := result.FetchFile{Workspace: workspace, Path: "über uns/a b.sqlx", Revision: "main"}
	if intent.Refusal != nil || *intent.Plan.Fetch.File != want || intent.Plan.Fetch.Credentials != (result.FetchCredentials{}) || intent.Plan.Timeout != time.Second {
		t.Errorf("got %+v", intent)
	}
	if f := intent.Fields; len(f) != 3 || f["revision"] != "main" || f["path"] != d.Spec.Path || f["workspace"] != workspace {
		t.Errorf("the fields are %v", f)
	}
}

func TestABadSpecIsRefused(t *testing.T) {
	intent := kind.Intent(readOf("../a"), nil)
	if intent.Refusal == nil || !strings.Contains(intent.Refusal.Message, "spec.path") {
		t.Errorf("got %+v", intent.Refusal)
	}
}

func TestFilesStandInTheStatus(t *testing.T) {
	for name, c := range map[string]struct {
		contents []byte
		text     bool
		maps     int
	}{
		"text":            {[]byte("select 1 -- é\n"), true, 0},
		"bytes":           {[]byte{0, 0xff, '\n'}, false, 0},
		"nothing":         {nil, true, 0},
		"as much as fits": {bytes.Repeat([]byte("a"), 750), true, 0},
		"more than fits":  {bytes.Repeat([]byte("a"), 751), true, 1},
		"3 MB":            {bytes.Repeat([]byte("0123456789\n"), 3<<20/11), true, 3},
	} {
		t.Run(name, func(t *testing.T) {
			d := readOf("a")
			kept := record(d, first, c.contents)
			got := d.Status.FileContents
			for _, part := range d.Status.FileInfo.ConfigMaps {
				for _, m := range kept.ConfigMaps {
					if m.Name == part.Name {
						got = append(got, m.BinaryData[part.Key]...)
					}
				}
			}
			info := d.Status.FileInfo
			if !bytes.Equal(got, c.contents) || info.Bytes != int64(len(c.contents)) || len(info.SHA256) != 64 || info.Text != c.text || len(kept.ConfigMaps) != c.maps {
				t.Errorf("got %d bytes in %d ConfigMaps: %+v", len(got), len(kept.ConfigMaps), info)
			}
		})
	}
}

func TestTheHashIsThatOfTheContents(t *testing.T) {
	d := readOf("a")
	one, same := record(d, first, []byte("a")), record(d, second, []byte("a"))
	kind.Forget(d)
	other := record(d, second, []byte("b"))
	if one.ResultHash == "" || one.ResultHash != same.ResultHash || one.ResultHash == other.ResultHash || string(d.Status.FileContents) != "b" {
		t.Errorf("got %q, then %q, then %q of another content", one.ResultHash, same.ResultHash, other.ResultHash)
	}
}
