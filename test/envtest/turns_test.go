// SPDX-License-Identifier: Apache-2.0

package envtest

import (
	"fmt"
	"slices"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

func readyReason(g *v1alpha1.GcloudRun) string {
	if c := meta.FindStatusCondition(g.Status.Conditions, v1alpha1.ConditionReady); c != nil {
		return c.Reason
	}
	return ""
}

// crowd makes that many resources at once in one namespace, in which nothing ends yet, and waits until each
// has its turn or waits for it.
func crowd(t *testing.T, n int) []*v1alpha1.GcloudRun {
	t.Helper()
	first := gcloudRun(t)
	played.Hold(first.Namespace, true)
	t.Cleanup(func() { played.Hold(first.Namespace, false) })
	var all []*v1alpha1.GcloudRun
	for i := range n {
		g := first.DeepCopy()
		g.Name = fmt.Sprintf("run-%02d", i)
		all = append(all, apply(t, g))
	}
	eventually(t, "all but those that may go on are queued", func() bool {
		return len(queuedOf(t, all)) == n-runsAtATime
	})
	return all
}

// queuedOf are those that wait for their turn.
func queuedOf(t *testing.T, all []*v1alpha1.GcloudRun) []*v1alpha1.GcloudRun {
	t.Helper()
	var queued []*v1alpha1.GcloudRun
	for _, g := range all {
		if read(t, g); readyReason(g) == v1alpha1.ReasonQueued {
			queued = append(queued, g)
		}
	}
	return queued
}

func jobsIn(t *testing.T, namespace string) []batchv1.Job {
	t.Helper()
	var jobs batchv1.JobList
	if err := cluster.List(t.Context(), &jobs, client.InNamespace(namespace)); err != nil {
		t.Fatal(err)
	}
	return jobs.Items
}

func TestNoMoreRunsOfANamespaceGoOnThanMayAndTheOthersFollow(t *testing.T) {
	all := crowd(t, 10)
	namespace := all[0].Namespace
	if n := len(jobsIn(t, namespace)); n != runsAtATime {
		t.Errorf("%d Jobs were made, of which there may be %d", n, runsAtATime)
	}
	if !meta.IsStatusConditionTrue(queuedOf(t, all)[0].Status.Conditions, v1alpha1.ConditionReconciling) {
		t.Errorf("who waits is %s, want Reconciling", jsonText(queuedOf(t, all)[0].Status.Conditions))
	}

	settled(t, apply(t, gcloudRun(t)), 1) // in another namespace

	played.Hold(namespace, false)
	for _, g := range all {
		finished(t, g, 1)
		expectRan(t, g, map[string]int{"1/1": 1})
	}
	expectNeverMoreThan(t, runsAtATime, jobsIn(t, namespace))
}

// expectNeverMoreThan checks by the times of the Jobs, which are whole seconds, that no more went on at once.
func expectNeverMoreThan(t *testing.T, limit int, jobs []batchv1.Job) {
	t.Helper()
	for _, at := range jobs {
		n := 0
		for _, other := range jobs {
			end := other.Status.CompletionTime
			if !other.CreationTimestamp.After(at.CreationTimestamp.Time) && (end == nil || end.After(at.CreationTimestamp.Time)) {
				n++
			}
		}
		if n > limit {
			t.Errorf("%d Jobs went on when %s was made", n, at.Name)
		}
	}
}

func TestWhoWaitsForATurnCanBeSuspendedAndLetsOthersGoFirst(t *testing.T) {
	all := crowd(t, runsAtATime+2)
	queued := queuedOf(t, all)
	slices.SortFunc(queued, func(a, b *v1alpha1.GcloudRun) int {
		return a.Status.Run.QueuedTime.Compare(b.Status.Run.QueuedTime.Time)
	})
	suspended, other := queued[0], queued[1]
	edit(t, suspended, func() { suspended.Spec.Suspend = true })
	eventually(t, "the condition says so", func() bool {
		read(t, suspended)
		return readyReason(suspended) == v1alpha1.ReasonSuspended
	})

	played.Hold(other.Namespace, false)
	finished(t, other, 1)
	expectRan(t, suspended, map[string]int{})
	edit(t, suspended, func() { suspended.Spec.Suspend = false })
	finished(t, suspended, 1)
	expectRan(t, suspended, map[string]int{"1/1": 1})
}

func TestWhenAJobIsDeletedAnotherHasItsTurn(t *testing.T) {
	all := crowd(t, runsAtATime+1)
	waits := queuedOf(t, all)[0]
	gone := jobsIn(t, waits.Namespace)[0]
	if err := cluster.Delete(t.Context(), &gone, client.PropagationPolicy(metav1.DeletePropagationBackground)); err != nil {
		t.Fatal(err)
	}
	eventually(t, "its Job is made", func() bool {
		return slices.ContainsFunc(jobsIn(t, waits.Namespace), func(j batchv1.Job) bool { return j.Name == jobName(waits) })
	})
}
