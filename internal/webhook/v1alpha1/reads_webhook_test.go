// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

const goodDocument, badDocument = "documents/docs.cloud.google.com/storage/docs", "https://docs.cloud.google.com/storage/docs"

func documents(name string) *v1alpha1.DocumentFetch {
	return &v1alpha1.DocumentFetch{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "docs"},
		Spec:       v1alpha1.DocumentFetchSpec{Names: []string{name}},
	}
}

func file(path string) *v1alpha1.DataformFileRead {
	return &v1alpha1.DataformFileRead{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "orders"},
		Spec: v1alpha1.DataformFileReadSpec{
			Workspace: "projects/my-project/locations/europe-west1/repositories/r/workspaces/w",
			Path:      path,
		},
	}
}

func TestWhichDocumentFetchesAreAdmitted(t *testing.T) {
	checkAdmission(t, DocumentFetchValidator{}.validator(), documents(goodDocument), documents(badDocument))
}

func TestWhichDataformFileReadsAreAdmitted(t *testing.T) {
	checkAdmission(t, DataformFileReadValidator{}.validator(), file("definitions/orders.sqlx"), file("../orders.sqlx"))
}

// checkAdmission asks for a resource that breaks no rule, and for one that breaks one.
func checkAdmission[T client.Object](t *testing.T, v validator[T], good, bad T) {
	t.Helper()
	leaving := bad.DeepCopyObject().(T)
	leaving.SetDeletionTimestamp(new(metav1.NewTime(time.Unix(0, 0))))
	for name, c := range map[string]struct {
		ask     func() ([]string, error)
		refused bool
	}{
		"a new one that breaks no rule":                     {func() ([]string, error) { return v.ValidateCreate(t.Context(), good) }, false},
		"a new one that breaks a rule":                      {func() ([]string, error) { return v.ValidateCreate(t.Context(), bad) }, true},
		"an edit that breaks a rule":                        {func() ([]string, error) { return v.ValidateUpdate(t.Context(), good, bad) }, true},
		"an edit that mends it":                             {func() ([]string, error) { return v.ValidateUpdate(t.Context(), bad, good) }, false},
		"an edit of one on its way out, whatever its rules": {func() ([]string, error) { return v.ValidateUpdate(t.Context(), bad, leaving) }, false},
		"a deletion, whatever its rules":                    {func() ([]string, error) { return v.ValidateDelete(t.Context(), bad) }, false},
	} {
		warnings, err := c.ask()
		if apierrors.IsInvalid(err) != c.refused || (err != nil) != c.refused || len(warnings) != 0 {
			t.Errorf("%s: got %v, warnings %q", name, err, warnings)
		}
	}
}

func TestRefusalOfAReadNamesTheResourceAndTheFix(t *testing.T) {
	_, ofDocuments := DocumentFetchValidator{}.validator().ValidateCreate(t.Context(), documents(badDocument))
	_, ofFile := DataformFileReadValidator{}.validator().ValidateCreate(t.Context(), file("/orders.sqlx"))
	for want, err := range map[string]error{
		`DocumentFetch.gcloud-operator.dev "docs" is invalid: spec.names[0]: Invalid value: "https://docs.cloud.google.com/storage/docs": must be documents/ and the document's URI without https://: write documents/docs.cloud.google.com/storage/docs`: ofDocuments,
		`DataformFileRead.gcloud-operator.dev "orders" is invalid: spec.path: Invalid value: "/orders.sqlx": must not begin with /: leave it out`:                                                                                                         ofFile,
	} {
		if err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
