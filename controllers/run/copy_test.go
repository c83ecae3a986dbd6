// SPDX-License-Identifier: Apache-2.0

package run

import (
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/controllers/run/decide"
	"github.com/gcloud-operator/gcloud-operator/internal/jobspec"
)

func TestCopiesAreReplacedWhereTheyAreTheResourcesOwn(t *testing.T) {
	o := &decide.Observation{Owner: jobspec.Owner{Kind: "DataformFileRead", Namespace: "ns", Name: "file", UID: "u"}}
	other := o.Owner
	other.UID = "another"
	copyOf := func(owner jobspec.Owner, contents string) *corev1.ConfigMap {
		meta := jobspec.Attempt{Owner: owner, Number: 1, Attempt: 1}.Meta("copy")
		return &corev1.ConfigMap{ObjectMeta: meta, BinaryData: map[string][]byte{"contents": []byte(contents)}}
	}
	for name, c := range map[string]struct {
		present *corev1.ConfigMap
		taken   bool
		want    string
	}{
		"none is there":                 {nil, false, "new"},
		"that of an earlier run is":     {copyOf(o.Owner, "old"), false, "new"},
		"another resource's is":         {copyOf(other, "theirs"), true, "theirs"},
		"one that somebody has made is": {&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "copy"}, BinaryData: map[string][]byte{"contents": []byte("mine")}}, true, "mine"},
	} {
		t.Run(name, func(t *testing.T) {
			builder := fake.NewClientBuilder()
			if c.present != nil {
				builder = builder.WithObjects(c.present)
			}
			cluster := builder.Build()
			r := &Reconciler[*v1alpha1.DataformFileRead]{Client: cluster, Live: cluster}
			err := r.keepCopy(t.Context(), o, copyOf(o.Owner, "new"))
			if taken := (takenError{}); errors.As(err, &taken) != c.taken || err != nil && !c.taken {
				t.Errorf("got %v", err)
			}
			var got corev1.ConfigMap
			if err := cluster.Get(t.Context(), client.ObjectKey{Namespace: "ns", Name: "copy"}, &got); err != nil || string(got.BinaryData["contents"]) != c.want {
				t.Errorf("there is %q, %v", got.BinaryData["contents"], err)
			}
		})
	}
}
