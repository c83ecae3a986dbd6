// SPDX-License-Identifier: Apache-2.0

package documentfetch

import (
	"slices"
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

var (
	kind = Kind{Config: configv1alpha1.OperatorConfiguration{
		Reads:            configv1alpha1.Reads{Image: "operator", DeveloperKnowledgeEndpoint: "http://fake/", Anonymous: true},
		TTLAfterFinished: &metav1.Duration{Duration: time.Hour},
	}}
	first  = time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)
	second = first.Add(time.Hour)
)

func fetchOf(names ...string) *v1alpha1.DocumentFetch {
	return &v1alpha1.DocumentFetch{
		ObjectMeta: metav1.ObjectMeta{Name: "docs", Namespace: "ns", UID: "u"},
		Spec:       v1alpha1.DocumentFetchSpec{Names: names},
	}
}

// record records documents as a run brings them.
func record(d *v1alpha1.DocumentFetch, number int64, at time.Time, inline int64, documents ...result.FetchedDocument) run.Kept {
	report := result.Report{Reason: result.Fetched}
	report.PackDocuments(documents)
	attempt := jobspec.Attempt{Owner: jobspec.Owner{Kind: "DocumentFetch", Name: d.Name, Namespace: d.Namespace, UID: d.UID}, Number: number, Attempt: 1}
	return kind.Record(d, attempt, outcome.Outcome{Report: &report, Finished: at}, run.Room{Inline: inline})
}

func fetched(name, content, updated string) result.FetchedDocument {
	c := result.Whole([]byte(content))
	return result.FetchedDocument{Name: name, URI: "https://" + name, Title: "t " + name, UpdateTime: updated, Content: &c}
}

func TestThePlanIsTheRunnersAlone(t *testing.T) {
	d := fetchOf("documents/a", "documents/b")
	intent := kind.Intent(d, nil)
	if intent.Refusal != nil || intent.Plan.Image != "operator" || len(intent.Plan.Argv) > 0 || intent.Plan.Timeout != 2*time.Minute || !intent.Plan.KeepSecrets {
		t.Errorf("got %+v", intent)
	}
	if f := intent.Plan.Fetch; f.Endpoint != "http://fake/" || !slices.Equal(f.Documents.Names, d.Spec.Names) || !f.Credentials.Anonymous || f.Documents.Known != nil {
		t.Errorf("got %+v", f)
	}
}

func TestKeysComeFromASecretThatOnlyThePodReads(t *testing.T) {
	ref := &v1alpha1.KeyRef{Name: "secret", Key: "key"}
	for name, c := range map[string]struct {
		identity    v1alpha1.DocumentIdentity
		credentials result.FetchCredentials
		field       string
	}{
		"an API key": {v1alpha1.DocumentIdentity{APIKeySecretRef: ref}, result.FetchCredentials{APIKeyFile: "/secret-inputs/credentials"}, "identity/apiKeySecretRef"},
		"a key file": {v1alpha1.DocumentIdentity{SecretRef: ref}, result.FetchCredentials{KeyFile: "/secret-inputs/credentials"}, "identity/secretRef"},
	} {
		t.Run(name, func(t *testing.T) {
			d := fetchOf("documents/a")
			d.Spec.Identity = c.identity
			intent := kind.Intent(d, nil)
			if intent.Plan.Fetch.Credentials != c.credentials || !slices.Equal(intent.Plan.SecretInputs, []jobspec.SecretInput{{Path: "credentials", Secret: "secret", Key: "key"}}) {
				t.Errorf("got %+v", intent.Plan)
			}
			if intent.Fields[c.field] != "secret/key" {
				t.Errorf("the fields are %v", intent.Fields)
			}
			if task := jobspec.Job(intent.Plan, jobspec.Attempt{Number: 1}).Spec.Template.Spec.Containers[0]; !strings.Contains(task.Env[0].Value, "secret-inputs") {
				t.Errorf("the task is %s", task.Env[0].Value)
			}
		})
	}
}

func TestOnlyWhatIsReadDecides(t *testing.T) {
	base := kind.Intent(fetchOf("documents/a", "documents/b"), nil).Fields
	same := fetchOf("documents/a", "documents/b")
	same.Spec.View, same.Spec.Identity.ServiceAccountName, same.Spec.Suspend = contentView, "default", true
	same.Spec.Timeout, same.Spec.Interval = &metav1.Duration{Duration: time.Second}, &metav1.Duration{Duration: time.Hour}
	same.Spec.Pod.NodeSelector = map[string]v1alpha1.LabelValue{"pool": "batch"}
	record(same, 1, first, 1000, fetched("documents/a", "x", "1"))
	other := fetchOf("documents/b", "documents/a")
	if f := kind.Intent(same, nil).Fields; len(f) != 1 || f["names"] != base["names"] {
		t.Errorf("got %v, want %v", f, base)
	}
	if f := kind.Intent(other, nil).Fields; f["names"] == base["names"] {
		t.Error("another order is the same")
	}
}

func TestABadSpecIsRefused(t *testing.T) {
	intent := kind.Intent(fetchOf("documents/../a", "documents/b/"), nil)
	if intent.Refusal == nil || intent.Refusal.Reason != v1alpha1.ReasonInvalidSpec ||
		!strings.Contains(intent.Refusal.Message, "spec.names[0]") || !strings.Contains(intent.Refusal.Message, "spec.names[1]") {
		t.Errorf("got %+v", intent.Refusal)
	}
}

func TestDocumentsStandInTheStatusInTheirOrder(t *testing.T) {
	d := fetchOf("documents/b", "documents/gone", "documents/a")
	kept := record(d, 1, first, 1000, fetched("documents/b", "B", "1"),
		result.FetchedDocument{Name: "documents/gone", Error: &result.FetchError{Reason: result.NotFound, Message: "no"}},
		fetched("documents/a", strings.Repeat("a", 2000), "1"))
	got := d.Status.Documents
	if len(got) != 3 || got[0].Content != "B" || got[0].Bytes != 1 || len(got[0].SHA256) != 64 || !got[0].LastChangedTime.Time.Equal(first) || d.Status.Fetched != "2/3" {
		t.Errorf("got %+v", d.Status)
	}
	if got[1].Error == nil || got[1].Error.Reason != "NotFound" || got[1].LastChangedTime != nil {
		t.Errorf("got %+v", got[1])
	}
	if got[2].Content != "" || len(got[2].ConfigMaps) != 1 || len(kept.ConfigMaps) != 1 ||
		string(kept.ConfigMaps[0].BinaryData[got[2].ConfigMaps[0].Key]) != strings.Repeat("a", 2000) || kept.ConfigMaps[0].Name != got[2].ConfigMaps[0].Name {
		t.Errorf("got %+v", got[2])
	}
}

func TestTwentyLargeDocumentsGoToConfigMaps(t *testing.T) {
	var documents []result.FetchedDocument
	for i := range 20 {
		documents = append(documents, fetched("documents/"+strings.Repeat("x", i+1), strings.Repeat("0123456789abcdef", 200<<6), "1"))
	}
	d := fetchOf()
	kept := record(d, 1, first, 64<<10, documents...)
	total := 0
	for _, m := range kept.ConfigMaps {
		size := 0
		for _, data := range m.BinaryData {
			size += len(data)
		}
		if size > 1<<20 {
			t.Errorf("%s holds %d bytes", m.Name, size)
		}
		total += size
	}
	if total != 20*200<<10 || len(kept.ConfigMaps) != 4 || d.Status.Documents[19].ConfigMaps == nil {
		t.Errorf("%d bytes in %d ConfigMaps", total, len(kept.ConfigMaps))
	}
}

func TestARefreshKeepsWhatHasNotChanged(t *testing.T) {
	d := fetchOf("documents/same", "documents/new", "documents/busy", "documents/gone")
	record(d, 1, first, 1000, fetched("documents/same", "same", "1"), fetched("documents/new", "old", "1"),
		fetched("documents/busy", "busy", "1"), fetched("documents/gone", "gone", "1"))

	cached := d.DeepCopy()
	kind.Forget(cached)
	asked := kind.Intent(cached, nil).Plan.Fetch.Documents.Known
	if len(asked) != 4 || asked[0] != (result.KnownDocument{Name: "documents/same", UpdateTime: "1", Bytes: 4, SHA256: d.Status.Documents[0].SHA256}) {
		t.Errorf("known are %+v", asked)
	}

	unchanged := result.FetchedDocument{Name: "documents/same", Title: "another", UpdateTime: "2", Unchanged: true}
	failed := func(name string, reason result.Reason) result.FetchedDocument {
		return result.FetchedDocument{Name: name, Error: &result.FetchError{Reason: reason, Message: "m"}}
	}
	record(d, 2, second, 1000, unchanged, fetched("documents/new", "new", "2"),
		failed("documents/busy", result.RateLimited), failed("documents/gone", result.NotFound))
	same, changed, busy, gone := d.Status.Documents[0], d.Status.Documents[1], d.Status.Documents[2], d.Status.Documents[3]
	if same.Content != "same" || same.Title != "another" || same.UpdateTime != "2" || !same.LastChangedTime.Time.Equal(first) {
		t.Errorf("got %+v", same)
	}
	if changed.Content != "new" || !changed.LastChangedTime.Time.Equal(second) {
		t.Errorf("got %+v", changed)
	}
	if busy.Content != "busy" || busy.Error == nil || busy.Error.Reason != "RateLimited" || !busy.LastChangedTime.Time.Equal(first) {
		t.Errorf("got %+v", busy)
	}
	if gone.Content != "" || gone.SHA256 != "" || gone.Error.Reason != "NotFound" {
		t.Errorf("got %+v", gone)
	}
}

func TestContentsThatStayTakeOfTheRoom(t *testing.T) {
	d := fetchOf("documents/a", "documents/b")
	record(d, 1, first, 1000, fetched("documents/a", strings.Repeat("a", 700), "1"), fetched("documents/b", "", "1"))
	record(d, 2, second, 1000, result.FetchedDocument{Name: "documents/a", Unchanged: true}, fetched("documents/b", strings.Repeat("b", 700), "2"))
	if a, b := d.Status.Documents[0], d.Status.Documents[1]; len(a.Content) != 700 || b.Content != "" || len(b.ConfigMaps) != 1 {
		t.Errorf("got %d and %d bytes inline", len(a.Content), len(b.Content))
	}
}

func TestWhatDoesNotComeThroughIsSaid(t *testing.T) {
	d := fetchOf("documents/a")
	record(d, 1, first, 1000, result.FetchedDocument{Name: "documents/a", UpdateTime: "1"})
	if got := d.Status.Documents[0]; got.Error == nil || got.Error.Reason != v1alpha1.ReasonResultLost {
		t.Errorf("got %+v", got)
	}
	d.Spec.View = basicView
	record(d, 2, second, 1000, result.FetchedDocument{Name: "documents/a", UpdateTime: "1"})
	if got := d.Status.Documents[0]; got.Error != nil || got.UpdateTime != "1" {
		t.Errorf("got %+v", got)
	}
}

func TestARunThatBringsNothingLeavesWhatThereIs(t *testing.T) {
	for name, o := range map[string]outcome.Outcome{
		"no report":              {},
		"a report of no fetch":   {Report: &result.Report{Reason: result.SetupFailed}},
		"a report without index": {Report: &result.Report{Reason: result.Unauthenticated}},
		"an index that was cut":  {Report: &result.Report{Reason: result.Fetched, Stdout: result.Stream{Bytes: 10, Data: []byte("[{"), Head: 2}}},
	} {
		t.Run(name, func(t *testing.T) {
			d := fetchOf("documents/a")
			record(d, 1, first, 1000, fetched("documents/a", "x", "1"))
			kind.Record(d, jobspec.Attempt{Number: 2}, o, run.Room{Inline: 1000})
			if len(d.Status.Documents) != 1 || d.Status.Documents[0].Content != "x" {
				t.Errorf("got %+v", d.Status)
			}
		})
	}
}
