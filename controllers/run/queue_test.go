// SPDX-License-Identifier: Apache-2.0

package run

import (
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

func request(namespace, name string) reconcile.Request {
	return reconcile.Request{NamespacedName: types.NamespacedName{Namespace: namespace, Name: name}}
}

func TestNamespacesTakeTurnsAndTheOldestOfEachComesFirst(t *testing.T) {
	queue := newQueue("test", workqueue.DefaultTypedItemBasedRateLimiter[reconcile.Request]())
	defer queue.ShutDown()
	for _, r := range []reconcile.Request{
		request("flood", "1"), request("flood", "2"), request("flood", "3"), request("flood", "1"), request("quiet", "1"), request("other", "1"), request("quiet", "2"),
	} {
		queue.Add(r)
	}
	var got []string
	for queue.Len() > 0 {
		r, _ := queue.Get()
		got = append(got, r.String())
		queue.Done(r)
		if len(got) == 3 {
			queue.Add(request("late", "1"))
		}
	}
	want := []string{"flood/1", "quiet/1", "other/1", "flood/2", "quiet/2", "late/1", "flood/3"}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestWhatIsLookedAtMeanwhileComesAgain(t *testing.T) {
	queue := newQueue("test", workqueue.DefaultTypedItemBasedRateLimiter[reconcile.Request]())
	defer queue.ShutDown()
	queue.Add(request("team", "1"))
	r, _ := queue.Get()
	queue.Add(r)
	if queue.Len() != 0 {
		t.Error("it would be looked at twice at the same time")
	}
	queue.Done(r)
	if again, _ := queue.Get(); again != r {
		t.Errorf("got %v, want %v again", again, r)
	}
}
