// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"net"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/test/fakes"
)

const documentsPort = "9040"

// serveDocuments serves the Developer Knowledge API, of which Google has no emulator, with so many
// documents of that size.
func serveDocuments(t *testing.T, count, size int) (api *fakes.Documents, names []string) {
	t.Helper()
	api = fakes.NewDocuments()
	for i := range count {
		name := fmt.Sprintf("documents/cloud.example.com/page-%02d", i)
		content := strings.Repeat(fmt.Sprintf("%02d ünïcode\n", i), size/13+1)
		api.Put(fakes.Document{Name: name, URI: "https://cloud.example.com", Title: fmt.Sprintf("Page %d", i), Content: content, UpdateTime: "2026-01-01T00:00:00Z"})
		names = append(names, name)
	}
	_, stop, err := fakes.Serve(net.JoinHostPort(nodeAddress, documentsPort), api)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	return api, names
}

func documentFetch(name string, names []string) *v1alpha1.DocumentFetch {
	return &v1alpha1.DocumentFetch{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec:       v1alpha1.DocumentFetchSpec{Names: names},
	}
}

// runResource makes a resource of any kind and waits for its run's end.
func runResource(t *testing.T, obj interface {
	client.Object
	RunStatus() *v1alpha1.RunStatus
}) {
	t.Helper()
	runResourceAs(t, cluster, obj)
}

// runResourceAs does so as a user who isn't the cluster's administrator.
func runResourceAs(t *testing.T, user client.Client, obj interface {
	client.Object
	RunStatus() *v1alpha1.RunStatus
}) {
	t.Helper()
	if err := user.Create(t.Context(), obj); err != nil {
		t.Fatalf("%s was refused: %v", obj.GetName(), err)
	}
	awaitRun(t, obj, 1)
}

// awaitRun waits until that run has ended.
func awaitRun(t *testing.T, obj interface {
	client.Object
	RunStatus() *v1alpha1.RunStatus
}, number int64) {
	t.Helper()
	eventually(t, "the run ends", func() bool {
		if err := cluster.Get(t.Context(), client.ObjectKeyFromObject(obj), obj); err != nil {
			t.Fatal(err)
		}
		s := obj.RunStatus()
		return meta.IsStatusConditionTrue(s.Conditions, v1alpha1.ConditionFinished) && s.Run != nil && s.Run.Number == number
	})
}

// again asks for the same once more.
func again(t *testing.T, d *v1alpha1.DocumentFetch, number int64) {
	t.Helper()
	before, _ := d.DeepCopyObject().(*v1alpha1.DocumentFetch)
	metav1.SetMetaDataAnnotation(&d.ObjectMeta, v1alpha1.RequestedAtAnnotation, fmt.Sprint(number))
	if err := cluster.Patch(t.Context(), d, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
	awaitRun(t, d, number)
}

func expectRun(t *testing.T, s *v1alpha1.RunStatus, reason string) {
	t.Helper()
	if s.Run.Reason != reason {
		t.Fatalf("the run ended with %s, want %s: %s", s.Run.Reason, reason, s.Run.Message)
	}
}

func TestTwentyLargeDocumentsComeInTheirOrder(t *testing.T) {
	api, names := serveDocuments(t, 20, 200<<10)
	for name, batch := range map[string]fakes.Batch{"as-asked": fakes.BatchFails, "reversed": fakes.BatchReverses} {
		api.SetBatch(batch)
		d := documentFetch("twenty-"+name, names)
		runResource(t, d)
		expectRun(t, d.RunStatus(), v1alpha1.ReasonSucceeded)
		for i, document := range d.Status.Documents {
			content := whole(t, document.Content, document.Stored)
			if document.Name != names[i] || !strings.HasPrefix(string(content), fmt.Sprintf("%02d ünïcode", i)) || len(content) < 200<<10 {
				t.Errorf("%s: document %d is %s with %d bytes", name, i, document.Name, len(content))
			}
		}
	}
}

func TestAMissingDocumentHasItsOwnErrorAndTheOthersArrive(t *testing.T) {
	_, names := serveDocuments(t, 19, 100)
	d := documentFetch("one-missing", append(names, "documents/cloud.example.com/gone"))
	runResource(t, d)

	expectRun(t, d.RunStatus(), "NotFound")
	if d.Status.Fetched != "19/20" || d.Status.Documents[19].Error == nil || d.Status.Documents[18].Content == "" {
		t.Errorf("%s were fetched, and the last is %+v", d.Status.Fetched, d.Status.Documents[19])
	}
	expectContains(t, "the message", d.Status.Run.Message, "19 of 20")
}

func TestErrorsOfTheAPIHaveTheirReasons(t *testing.T) {
	api, names := serveDocuments(t, 1, 100)
	api.Set(fakes.Behaviour{DisabledIn: "123456"})
	disabled := documentFetch("disabled", names)
	runResource(t, disabled)
	expectRun(t, disabled.RunStatus(), "ApiDisabled")
	expectContains(t, "the message", disabled.Status.Run.Message, "123456", "developerknowledge.googleapis.com")

	api.Set(fakes.Behaviour{Next: []fakes.Error{{Code: 429, Status: "RESOURCE_EXHAUSTED", Message: "slowly", RetryAfter: "1"}}})
	limited := documentFetch("limited", names)
	runResource(t, limited)
	expectRun(t, limited.RunStatus(), v1alpha1.ReasonSucceeded)
}

func TestAWrongAPIKeyAppearsNowhere(t *testing.T) {
	api, names := serveDocuments(t, 1, 100)
	api.Set(fakes.Behaviour{Key: "the-right-one"})
	key := "AIza" + credential("a wrong API key")
	d := documentFetch("wrong-key", names)
	d.Spec.Identity.APIKeySecretRef = &v1alpha1.KeyRef{Name: makeSecret(t, "api-key", map[string]string{"key": key}), Key: "key"}
	runResource(t, d)

	if d.Status.Run.Reason == v1alpha1.ReasonSucceeded {
		t.Error("a wrong key was taken")
	}
	if sent := api.Requests(); len(sent) == 0 || sent[0].Header.Get("X-Goog-Api-Key") != key {
		t.Errorf("the key was not sent as a header: %+v", sent)
	}
	everything := kubectl(t, "get", "documentfetch,job,pod,configmap,event", "-o", "yaml") + kubectl(t, "logs", d.Status.Run.PodName)
	if strings.Contains(everything, key) {
		t.Error("the key stands somewhere")
	}
}

func TestARefreshDownloadsOnlyWhatHasChanged(t *testing.T) {
	api, names := serveDocuments(t, 3, 100)
	d := documentFetch("refreshed", names)
	runResource(t, d)
	changed := d.Status.Documents[1].LastChangedTime

	api.Forget()
	again(t, d, 2)
	if n := contentRequests(api); n != 0 {
		t.Errorf("%d requests for contents, although nothing has changed", n)
	}
	api.Put(fakes.Document{Name: names[1], Content: "another", UpdateTime: "2026-02-02T00:00:00Z"})
	api.Forget()
	again(t, d, 3)
	if d.Status.Documents[1].Content != "another" || d.Status.Documents[1].LastChangedTime.Equal(changed) || d.Status.Documents[0].Content == "" {
		t.Errorf("the documents are %+v", d.Status.Documents)
	}
	if n := contentRequests(api); n != 1 {
		t.Errorf("%d requests for contents, want one", n)
	}
}

// contentRequests counts the requests that ask for more than the basic view.
func contentRequests(api *fakes.Documents) int {
	n := 0
	for _, r := range api.Requests() {
		if !strings.Contains(r.RawQuery, "DOCUMENT_VIEW_BASIC") {
			n++
		}
	}
	return n
}
