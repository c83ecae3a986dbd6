// SPDX-License-Identifier: Apache-2.0

package release

import (
	"slices"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

// job returns a Job under way, changed.
func job(changes ...func(*batchv1.Job)) batchv1.Job {
	j := batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "job", UID: "job"}}
	for _, change := range changes {
		change(&j)
	}
	return j
}

func with(kind batchv1.JobConditionType, status corev1.ConditionStatus) func(*batchv1.Job) {
	return func(j *batchv1.Job) { j.Status.Conditions = []batchv1.JobCondition{{Type: kind, Status: status}} }
}

// podOf returns a pod of a Job, with annotations.
func podOf(owner types.UID, annotations map[string]string) metav1.PartialObjectMetadata {
	return metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Name: "pod", Annotations: annotations, OwnerReferences: []metav1.OwnerReference{{UID: owner, Controller: new(true)}},
	}}
}

func TestJobsAreDeletedWhosePodsNobodyWillLetGo(t *testing.T) {
	letGo := map[string]string{v1alpha1.StartBeforeAnnotation: "2026-09-01T12:00:00Z"}
	for name, c := range map[string]struct {
		job  batchv1.Job
		pods []metav1.PartialObjectMetadata
		want bool
	}{
		"it has no pod yet":                        {job: job(), want: true},
		"its pod is gated":                         {job: job(), pods: []metav1.PartialObjectMetadata{podOf("job", nil)}, want: true},
		"its pod was let go":                       {job: job(), pods: []metav1.PartialObjectMetadata{podOf("job", letGo)}},
		"one of two pods was let go":               {job: job(), pods: []metav1.PartialObjectMetadata{podOf("job", nil), podOf("job", letGo)}},
		"the pod that was let go is another Job's": {job: job(), pods: []metav1.PartialObjectMetadata{podOf("another", letGo)}, want: true},
		"it is complete, and its pod is gone":      {job: job(with(batchv1.JobComplete, corev1.ConditionTrue))},
		"it has failed, and its pod is gone":       {job: job(with(batchv1.JobFailed, corev1.ConditionTrue))},
		"it is about to fail":                      {job: job(with(batchv1.JobFailureTarget, corev1.ConditionTrue)), want: true},
		"it is being deleted already":              {job: job(func(j *batchv1.Job) { j.DeletionTimestamp = new(metav1.Now()) })},
	} {
		if got := barred([]batchv1.Job{c.job}, c.pods); (len(got) == 1) != c.want {
			t.Errorf("%s: deleted are %d, want %t", name, len(got), c.want)
		}
	}
}

func TestPodsAreFreedThatCarryTheFinalizer(t *testing.T) {
	var pods []metav1.PartialObjectMetadata
	for name, finalizers := range map[string][]string{
		"none": nil, "theirs": {"batch.kubernetes.io/job-tracking"},
		"ours": {v1alpha1.ReportFinalizer}, "both": {"batch.kubernetes.io/job-tracking", v1alpha1.ReportFinalizer},
	} {
		pods = append(pods, metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: name, Finalizers: finalizers}})
	}
	var got []string
	for _, pod := range held(pods) {
		got = append(got, pod.Name)
	}
	slices.Sort(got)
	if !slices.Equal(got, []string{"both", "ours"}) {
		t.Errorf("held are %v", got)
	}
}
