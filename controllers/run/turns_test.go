// SPDX-License-Identifier: Apache-2.0

package run

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/controllers/run/decide"
)

var noon = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

// turnsWith are turns of two at a time, where the cache has these objects.
func turnsWith(t *testing.T, cached ...client.Object) *Turns {
	t.Helper()
	c := fake.NewClientBuilder().WithScheme(kindsScheme(t)).WithObjects(cached...).
		WithIndex(&batchv1.Job{}, stageIndex, stageOfJob).
		WithIndex(&v1alpha1.DataformFileRead{}, stageIndex, stageOf[*v1alpha1.DataformFileRead]).Build()
	r := &Reconciler[*v1alpha1.DataformFileRead]{Client: c, Kind: files{}}
	turns := &Turns{Client: c, Clock: clocktesting.NewFakePassiveClock(noon), Limit: 2}
	turns.lines = append(turns.lines, r.line)
	return turns
}

func job(name string) *batchv1.Job {
	return &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name}}
}

func endedJob(name string) *batchv1.Job {
	j := job(name)
	j.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobFailed, Status: corev1.ConditionTrue}}
	return j
}

// inLine is a resource whose run was queued so many minutes past noon, and waits for its turn.
func inLine(name string, minutes int) *v1alpha1.DataformFileRead {
	return &v1alpha1.DataformFileRead{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name, UID: types.UID(name)},
		Status: v1alpha1.DataformFileReadStatus{RunStatus: v1alpha1.RunStatus{
			Run:        &v1alpha1.Run{Number: 1, QueuedTime: metav1.NewTime(noon.Add(time.Duration(minutes) * time.Minute))},
			Conditions: []metav1.Condition{{Type: v1alpha1.ConditionReady, Status: metav1.ConditionUnknown, Reason: v1alpha1.ReasonQueued}},
		}},
	}
}

func elsewhere[T client.Object](o T) T {
	o.SetNamespace("other")
	return o
}

func TestAsManyRunsAsMayBeGoOnAndTheOldestFirst(t *testing.T) {
	held := inLine("held", 1)
	held.Status.Conditions[0].Reason = v1alpha1.ReasonSuspended
	for name, c := range map[string]struct {
		cached []client.Object
		want   decide.Turn
	}{
		"nothing goes on":                             {nil, decide.Turn{Limit: 2}},
		"there is room for one more":                  {[]client.Object{job("a")}, decide.Turn{Limit: 2, Running: 1}},
		"as many as may be go on":                     {[]client.Object{job("a"), job("b")}, decide.Turn{Limit: 2, Running: 2}},
		"one of them has ended":                       {[]client.Object{job("a"), endedJob("b")}, decide.Turn{Limit: 2, Running: 1}},
		"one of them is another namespace's":          {[]client.Object{job("a"), elsewhere(job("b"))}, decide.Turn{Limit: 2, Running: 1}},
		"an older one waits for the same room":        {[]client.Object{job("a"), inLine("old", 1)}, decide.Turn{Limit: 2, Running: 1, Behind: true}},
		"there is room for the older one, too":        {[]client.Object{inLine("old", 1)}, decide.Turn{Limit: 2}},
		"a younger one waits":                         {[]client.Object{job("a"), inLine("young", 9)}, decide.Turn{Limit: 2, Running: 1}},
		"one of the same age comes first by its UID":  {[]client.Object{job("a"), inLine("aaa", 5)}, decide.Turn{Limit: 2, Running: 1, Behind: true}},
		"it waits itself":                             {[]client.Object{job("a"), inLine("me", 5)}, decide.Turn{Limit: 2, Running: 1}},
		"the older one is suspended":                  {[]client.Object{job("a"), held}, decide.Turn{Limit: 2, Running: 1}},
		"the older one waits in another namespace":    {[]client.Object{job("a"), elsewhere(inLine("old", 1))}, decide.Turn{Limit: 2, Running: 1}},
		"the older one is on its way out of the line": {[]client.Object{job("a"), leaving(inLine("old", 1))}, decide.Turn{Limit: 2, Running: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			me := waiter{name: types.NamespacedName{Namespace: "team", Name: "me"}, uid: "me", queued: noon.Add(5 * time.Minute)}
			got, err := turnsWith(t, c.cached...).of(t.Context(), me)
			if err != nil || got != c.want {
				t.Errorf("got %+v, %v, want %+v", got, err, c.want)
			}
		})
	}
}

func leaving(d *v1alpha1.DataformFileRead) *v1alpha1.DataformFileRead {
	d.DeletionTimestamp, d.Finalizers = new(metav1.NewTime(noon)), []string{"example.com/slow"}
	return d
}

func TestTheOldestAreNextWhenThereIsRoom(t *testing.T) {
	line := []client.Object{inLine("third", 3), inLine("first", 1), inLine("second", 2)}
	for running, want := range [][]string{{"first", "second"}, {"first"}, nil, nil} {
		cached := slices.Clone(line)
		for i := range running {
			cached = append(cached, job(fmt.Sprint("job-", i)))
		}
		next, err := turnsWith(t, cached...).next(t.Context(), "team")
		var got []string
		for _, w := range next {
			got = append(got, w.name.Name)
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("with %d under way, got %v, %v, want %v", running, got, err, want)
		}
	}
}

// The cache lags behind what was just made, and reconciles go on beside each other.
func TestATurnIsTakenOnceAlthoughTheCacheLags(t *testing.T) {
	turns := turnsWith(t)
	at := turns.Clock.(*clocktesting.FakePassiveClock)
	take := func(name string, want bool) {
		t.Helper()
		err := turns.take(t.Context(), job(name))
		if full := (fullError{2}); (err == nil) != want || err != nil && !errors.Is(err, full) {
			t.Errorf("%s: got %v, want a turn: %t", name, err, want)
		}
	}
	take("a", true)
	take("b", true)
	take("c", false)
	take("b", true) // the same again, because nobody knows whether it was made
	turns.giveBack(job("a"))
	take("c", true)
	take("d", false)

	if err := turns.Client.(client.Client).Create(t.Context(), endedJob("c")); err != nil {
		t.Fatal(err)
	}
	take("d", true) // the cache has seen that c has come and ended
	take("e", false)
	at.SetTime(noon.Add(cacheLag + time.Second))
	take("e", true) // what the cache has never seen has come and gone
}

func TestAJobThatIsGoneAtOnceMakesRoomAtOnce(t *testing.T) {
	turns := turnsWith(t, inLine("first", 1))
	for _, name := range []string{"a", "b"} {
		if err := turns.take(t.Context(), job(name)); err != nil {
			t.Fatal(err)
		}
	}
	r := &Reconciler[*v1alpha1.DataformFileRead]{Kind: files{}, Turns: turns}
	got := r.requestsOfTurns(t.Context(), job("a")) // which the cache doesn't have any more
	if len(got) != 1 || got[0].Name != "first" {
		t.Errorf("got %v, want first", got)
	}
}

func TestWithoutALimitNobodyIsCounted(t *testing.T) {
	turns := &Turns{}
	turn, err := turns.of(t.Context(), waiter{})
	if err != nil || turn != (decide.Turn{}) {
		t.Errorf("got %+v, %v", turn, err)
	}
	if err := turns.take(t.Context(), job("a")); err != nil {
		t.Error(err)
	}
}
