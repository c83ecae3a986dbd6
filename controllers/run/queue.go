// SPDX-License-Identifier: Apache-2.0

package run

import (
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// newQueue makes a controller's queue, in which namespaces take turns: whoever changes ten thousand
// resources waits for them himself, and others don't.
func newQueue(name string, limiter workqueue.TypedRateLimiter[reconcile.Request]) workqueue.TypedRateLimitingInterface[reconcile.Request] {
	return workqueue.NewTypedRateLimitingQueueWithConfig(limiter, workqueue.TypedRateLimitingQueueConfig[reconcile.Request]{
		Name: name,
		DelayingQueue: workqueue.NewTypedDelayingQueueWithConfig(workqueue.TypedDelayingQueueConfig[reconcile.Request]{
			Name: name,
			Queue: workqueue.NewTypedWithConfig(workqueue.TypedQueueConfig[reconcile.Request]{
				Name: name, Queue: &fair{waiting: map[string][]reconcile.Request{}},
			}),
		}),
	})
}

// fair is the order of a queue: each namespace that has something in it has one of its turn, the oldest.
// The queue around it locks, and lets nothing in twice.
type fair struct {
	waiting map[string][]reconcile.Request // by namespace, never empty
	turns   []string                       // the namespaces that have something, the next one first
	n       int
}

// Touch is called for what is in the queue already: it stays where it is.
func (*fair) Touch(reconcile.Request) {}

// Len is how many there are.
func (f *fair) Len() int { return f.n }

// Push adds one, as the last of its namespace.
func (f *fair) Push(r reconcile.Request) {
	if len(f.waiting[r.Namespace]) == 0 {
		f.turns = append(f.turns, r.Namespace)
	}
	f.waiting[r.Namespace] = append(f.waiting[r.Namespace], r)
	f.n++
}

// Pop takes the oldest of the namespace whose turn it is. It is called only where there is one.
func (f *fair) Pop() reconcile.Request {
	namespace := f.turns[0]
	f.turns = f.turns[1:]
	next, others := f.waiting[namespace][0], f.waiting[namespace][1:]
	if len(others) == 0 {
		delete(f.waiting, namespace)
	} else {
		f.waiting[namespace] = others
		f.turns = append(f.turns, namespace)
	}
	f.n--
	return next
}
