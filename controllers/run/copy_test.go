// SPDX-License-Identifier: Apache-2.0

package run

import (
	"errors"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
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
			file := &v1alpha1.DataformFileRead{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "file"}}
			builder := fake.NewClientBuilder().WithScheme(kindsScheme(t)).WithObjects(file)
			if c.present != nil {
				builder = builder.WithObjects(c.present)
			}
			cluster := builder.Build()
			r := &Reconciler[*v1alpha1.DataformFileRead]{Client: cluster, Live: cluster, Kind: files{}}
			if err := cluster.Get(t.Context(), client.ObjectKeyFromObject(file), file); err != nil {
				t.Fatal(err)
			}
			err := r.keepCopy(t.Context(), file, o, copyOf(o.Owner, "new"))
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

// A leader that was away while another brought a newer run to its end has an old copy, and keeps it.
func TestACopyOfANewerRunIsNotReplacedByAnOlderOne(t *testing.T) {
	o := &decide.Observation{Owner: jobspec.Owner{Kind: "DataformFileRead", Namespace: "ns", Name: "file", UID: "u"}}
	copyOf := func(contents string) *corev1.ConfigMap {
		return &corev1.ConfigMap{ObjectMeta: jobspec.Attempt{Owner: o.Owner, Number: 1, Attempt: 1}.Meta("copy"), BinaryData: map[string][]byte{"contents": []byte(contents)}}
	}
	file := &v1alpha1.DataformFileRead{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "file"}}
	cluster := fake.NewClientBuilder().WithScheme(kindsScheme(t)).WithObjects(file, copyOf("newer")).Build()
	file.ResourceVersion = "1" // that of before the newer run
	r := &Reconciler[*v1alpha1.DataformFileRead]{Client: cluster, Live: cluster, Kind: files{}}
	if err := r.keepCopy(t.Context(), file, o, copyOf("older")); !apierrors.IsConflict(err) {
		t.Errorf("got %v, want a conflict", err)
	}
	var got corev1.ConfigMap
	if err := cluster.Get(t.Context(), client.ObjectKey{Namespace: "ns", Name: "copy"}, &got); err != nil || string(got.BinaryData["contents"]) != "newer" {
		t.Errorf("there is %q, %v", got.BinaryData["contents"], err)
	}
}

// Whoever may make ConfigMaps can be quicker with a name, or put another in the place of one.
func TestAConfigMapIsTakenForOnesOwnOnlyWhereItIsTheSame(t *testing.T) {
	made := func(changes ...func(*corev1.ConfigMap)) *corev1.ConfigMap {
		meta := jobspec.Attempt{Owner: jobspec.Owner{Kind: "GcloudRun", Namespace: "ns", Name: "run", UID: "u"}, Number: 1, Attempt: 1}.Meta("in")
		m := &corev1.ConfigMap{ObjectMeta: meta, Immutable: new(true), BinaryData: map[string][]byte{"file-000": []byte("a")}}
		for _, change := range changes {
			change(m)
		}
		return m
	}
	for name, c := range map[string]struct {
		present *corev1.ConfigMap
		taken   bool
	}{
		"none is there":                        {nil, false},
		"it was made by an attempt before":     {made(), false},
		"it has other contents":                {made(func(m *corev1.ConfigMap) { m.BinaryData["file-000"] = []byte("b") }), true},
		"it has more contents":                 {made(func(m *corev1.ConfigMap) { m.Data = map[string]string{"file-001": "b"} }), true},
		"it is another's":                      {made(func(m *corev1.ConfigMap) { m.OwnerReferences[0].UID = "another" }), true},
		"it is nobody's":                       {made(func(m *corev1.ConfigMap) { m.OwnerReferences = nil }), true},
		"it can still get another's contents":  {made(func(m *corev1.ConfigMap) { m.Immutable = nil }), true},
		"it says that it can still be changed": {made(func(m *corev1.ConfigMap) { m.Immutable = new(false) }), true},
		"its owner only uses it":               {made(func(m *corev1.ConfigMap) { m.OwnerReferences[0].Controller = new(false) }), true},
	} {
		t.Run(name, func(t *testing.T) {
			builder := fake.NewClientBuilder().WithScheme(kindsScheme(t))
			if c.present != nil {
				builder = builder.WithObjects(c.present)
			}
			cluster := builder.Build()
			r := &Reconciler[*v1alpha1.DataformFileRead]{Client: cluster, Live: cluster}
			err := r.makeConfigMaps(t.Context(), []*corev1.ConfigMap{made()})
			if taken := (takenError{}); errors.As(err, &taken) != c.taken || err != nil && !c.taken {
				t.Errorf("got %v", err)
			}
		})
	}
}

// files is as much of a kind as names and makes its resources.
type files struct {
	Kind[*v1alpha1.DataformFileRead]
}

func (files) Name() string                    { return "DataformFileRead" }
func (files) New() *v1alpha1.DataformFileRead { return &v1alpha1.DataformFileRead{} }
func (files) NewList() client.ObjectList      { return &v1alpha1.DataformFileReadList{} }

func kindsScheme(t *testing.T) *runtime.Scheme {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, batchv1.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	return scheme
}
