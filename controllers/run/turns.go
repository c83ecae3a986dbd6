// SPDX-License-Identifier: Apache-2.0

package run

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gcloud-operator/gcloud-operator/controllers/run/decide"
)

// Turns lets only so many runs of a namespace go on at a time, of all kinds together. It counts what the
// cache has, and what this process has just made; another process of the operator may make one more.
type Turns struct {
	// Client reads from the cache.
	Client client.Reader
	Clock  clock.PassiveClock
	// Limit is how many; 0 for as many as there are.
	Limit int

	// lines find the runs of each kind that wait in a namespace.
	lines []func(ctx context.Context, namespace string) ([]waiter, error)

	mutex sync.Mutex
	// made are Jobs that the cache may not have yet, and when they were made.
	made map[types.NamespacedName]time.Time
}

// waiter is a run that waits for its turn, or is about to.
type waiter struct {
	kind   string
	name   types.NamespacedName
	uid    types.UID
	queued time.Time
}

// older is the order in which runs have their turns.
func older(a, b waiter) int {
	return cmp.Or(a.queued.Compare(b.queued), cmp.Compare(a.uid, b.uid))
}

// fullError says that it is not a run's turn after all.
type fullError struct{ running int }

func (e fullError) Error() string { return fmt.Sprintf("%d runs are under way", e.running) }

// of says what a run has to wait for.
func (t *Turns) of(ctx context.Context, w waiter) (decide.Turn, error) {
	if t.Limit == 0 {
		return decide.Turn{}, nil
	}
	running, err := t.running(ctx, w.name.Namespace)
	if err != nil || running >= t.Limit {
		return decide.Turn{Limit: t.Limit, Running: running}, err
	}
	waiters, err := t.waiting(ctx, w.name.Namespace)
	ahead := slices.IndexFunc(waiters, func(other waiter) bool { return older(w, other) <= 0 })
	if ahead < 0 {
		ahead = len(waiters)
	}
	return decide.Turn{Limit: t.Limit, Running: running, Behind: running+ahead >= t.Limit}, err
}

// next are the runs of a namespace whose turn it is.
func (t *Turns) next(ctx context.Context, namespace string) ([]waiter, error) {
	waiters, err := t.waiting(ctx, namespace)
	if err != nil || len(waiters) == 0 {
		return nil, err
	}
	running, err := t.running(ctx, namespace)
	return waiters[:min(len(waiters), max(t.Limit-running, 0))], err
}

// waiting are the runs of a namespace that wait, the oldest first.
func (t *Turns) waiting(ctx context.Context, namespace string) ([]waiter, error) {
	var all []waiter
	for _, line := range t.lines {
		waiters, err := line(ctx, namespace)
		if err != nil {
			return nil, err
		}
		all = append(all, waiters...)
	}
	slices.SortFunc(all, older)
	return all, nil
}

// take makes room for a Job that is about to be made, or says that there is none.
func (t *Turns) take(ctx context.Context, job *batchv1.Job) error {
	if t.Limit == 0 {
		return nil
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	name := client.ObjectKeyFromObject(job)
	delete(t.made, name)
	running, err := t.count(ctx, job.Namespace)
	if err != nil {
		return err
	}
	if running >= t.Limit {
		return fullError{running}
	}
	if t.made == nil {
		t.made = map[types.NamespacedName]time.Time{}
	}
	t.made[name] = t.Clock.Now()
	return nil
}

// giveBack is for a Job that was not made, or is over.
func (t *Turns) giveBack(job client.Object) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	delete(t.made, client.ObjectKeyFromObject(job))
}

func (t *Turns) running(ctx context.Context, namespace string) (int, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.count(ctx, namespace)
}

// cacheLag is how long after a Job was made the cache can be without it.
const cacheLag = 10 * time.Second

// count counts the Jobs that have not ended. Those that were just made are looked for first: one that
// the cache gets meanwhile counts twice, not never.
func (t *Turns) count(ctx context.Context, namespace string) (int, error) {
	n, err := t.uncached(ctx, namespace)
	if err != nil {
		return 0, err
	}
	var jobs batchv1.JobList
	unfinished := client.MatchingFields{stageIndex: unfinishedJob}
	if err := t.Client.List(ctx, &jobs, client.InNamespace(namespace), unfinished, client.UnsafeDisableDeepCopy); err != nil {
		return 0, fmt.Errorf("counting the Jobs of namespace %s: %w", namespace, err)
	}
	return n + len(jobs.Items), nil
}

// uncached counts the Jobs that were made and that the cache doesn't have yet, and forgets the others.
func (t *Turns) uncached(ctx context.Context, namespace string) (int, error) {
	n := 0
	for name, at := range t.made {
		if name.Namespace != namespace {
			continue
		}
		found, err := find(ctx, t.Client, name, &batchv1.Job{})
		switch {
		case err != nil:
			return 0, err
		case found || t.Clock.Since(at) > cacheLag:
			delete(t.made, name)
		default:
			n++
		}
	}
	return n, nil
}
