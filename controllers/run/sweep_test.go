// SPDX-License-Identifier: Apache-2.0

package run

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/jobspec"
)

func TestWhatTheResourceOrItsPodRefersToStays(t *testing.T) {
	meta := metav1.ObjectMeta{Namespace: "ns", Name: "resource", UID: "u"}
	stored := v1alpha1.Stored{ConfigMaps: []v1alpha1.StoredPart{{Name: "one", Key: "k"}, {Name: "two", Key: "k"}}}
	mounting := &corev1.PodSpec{Volumes: []corev1.Volume{{Name: "work"}, {Name: "inputs", VolumeSource: corev1.VolumeSource{
		Projected: &corev1.ProjectedVolumeSource{Sources: []corev1.VolumeProjection{
			{Secret: &corev1.SecretProjection{}},
			{ConfigMap: &corev1.ConfigMapProjection{LocalObjectReference: corev1.LocalObjectReference{Name: "one"}}},
		}},
	}}}}
	for name, c := range map[string]struct {
		resource client.Object
		pod      *corev1.PodSpec
		owner    types.UID
		want     []string
	}{
		"nothing is referred to": {resource: &v1alpha1.GcloudRun{ObjectMeta: meta}, want: []string{"one", "three", "two"}},
		"the response is in two": {
			resource: &v1alpha1.GcloudRun{ObjectMeta: meta, Status: v1alpha1.GcloudRunStatus{Response: &v1alpha1.Response{StdoutInfo: stored}}},
			want:     []string{"three"},
		},
		"a file is in two": {
			resource: &v1alpha1.GcloudRun{ObjectMeta: meta, Status: v1alpha1.GcloudRunStatus{OutputFiles: []v1alpha1.OutputFile{{Path: "f", Stored: stored}}}},
			want:     []string{"three"},
		},
		"a document that hasn't changed is in two": {
			resource: &v1alpha1.DocumentFetch{ObjectMeta: meta, Status: v1alpha1.DocumentFetchStatus{Documents: []v1alpha1.FetchedDocument{{Name: "d", Stored: stored}}}},
			want:     []string{"three"},
		},
		"a Dataform file is in two, and a copy in the third": {
			resource: &v1alpha1.DataformFileRead{
				ObjectMeta: meta,
				Spec:       v1alpha1.DataformFileReadSpec{Output: &v1alpha1.FileOutput{ConfigMapName: "three"}},
				Status:     v1alpha1.DataformFileReadStatus{FileInfo: &v1alpha1.FileInfo{ConfigMaps: stored.ConfigMaps}},
			},
		},
		"the pod mounts one": {resource: &v1alpha1.GcloudRun{ObjectMeta: meta}, pod: mounting, want: []string{"three", "two"}},
		"they are another's": {resource: &v1alpha1.GcloudRun{ObjectMeta: meta}, owner: "another"},
	} {
		t.Run(name, func(t *testing.T) {
			owner := jobspec.Owner{Namespace: "ns", Name: "resource", UID: "u"}
			if c.owner != "" {
				owner.UID = c.owner
			}
			var made []metav1.PartialObjectMetadata
			for _, m := range []string{"one", "three", "two"} {
				made = append(made, metav1.PartialObjectMetadata{ObjectMeta: jobspec.Attempt{Owner: owner, Number: 1, Attempt: 1}.Meta(m)})
			}
			useless, err := unused(made, c.resource, c.pod)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, m := range useless {
				got = append(got, m.Name)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("unused are %v, want %v", got, c.want)
			}
		})
	}
}
