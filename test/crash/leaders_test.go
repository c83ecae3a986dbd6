// SPDX-License-Identifier: Apache-2.0

package crash

import (
	"flag"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/jobspec"
)

var (
	seed  = flag.Uint64("seed", 1, "the first seed of the walks that are made at random")
	seeds = flag.Uint64("seeds", 3, "how many walks are made at random on each path")
)

func TestTheCacheLags(t *testing.T) { wander(t, 1) }

func TestTwoControllersBelieveThatTheyLead(t *testing.T) { wander(t, 2) }

// wander walks every path with that many controllers at once, whose caches lag, several times.
func wander(t *testing.T, leaders int) {
	var walks, kills atomic.Int64
	t.Cleanup(func() {
		t.Logf("%d walks on %d paths, with the seeds from %d to %d; controllers were killed %d times", walks.Load(), len(paths), *seed, *seed+*seeds-1, kills.Load())
	})
	for _, p := range paths {
		for n := *seed; n < *seed+*seeds; n++ {
			t.Run(fmt.Sprintf("%s, -seed=%d", p.name, n), func(t *testing.T) {
				t.Parallel()
				g, w := begin(t, p)
				w.rivals = leaders > 1
				r := newRamble(t, p, g, w, n)
				r.walk(leaders)
				p.expect(t, g, w)
				expectHonest(t, g, w)
				walks.Add(1)
				kills.Add(int64(r.kills))
			})
		}
	}
}

// ramble is a walk on which a random source says who goes on, a call at a time, how far which cache
// lags, and who is killed.
type ramble struct {
	*testing.T
	path    path
	g       *v1alpha1.GcloudRun
	world   *world
	history *history
	rand    *rand.Rand
	leaders []*leader
	on      int     // the leader that goes on
	steady  float64 // the odds that it is the same that goes on
	mortal  float64 // the odds that a controller is killed before a write, and after it
	acted   bool
	writes  int
	kills   int
}

// leader is a controller that goes on by one call at a time.
type leader struct {
	cache *laggard
	next  func() (done, ok bool) // done says that a reconcile has come to its end
}

func newRamble(t *testing.T, p path, g *v1alpha1.GcloudRun, w *world, seed uint64) *ramble {
	r := &ramble{
		T: t, path: p, g: g, world: w, history: newHistory(t, g.Namespace), rand: rand.New(rand.NewPCG(seed, uint64(slices.Index(names(), p.name)))),
		acted: p.meanwhile == nil,
	}
	r.steady = []float64{0.5, 0.9, 0.99}[r.rand.IntN(3)]
	r.mortal = []float64{0, 0, 0.05}[r.rand.IntN(3)]
	w.changed = r.history.look
	return r
}

// lead starts a controller. When it is killed, it is started anew.
func (r *ramble) lead() {
	l := &leader{}
	next, stop := iter.Pull(func(yield func(bool) bool) {
		stopped := false
		for !stopped {
			l.cache = newLaggard(r.history, r.rand)
			p := &process{write: r.write, cache: l.cache, newObjects: r.path.newObjects, limit: r.path.limit(), crowded: func() bool { return r.path.crowded && !r.acted }, call: func() {
				if stopped = !yield(false); stopped {
					panic(crash{})
				}
			}}
			for !stopped && !reconcile(r.T, p, r.world.clock, client.ObjectKeyFromObject(r.g)) {
				stopped = !yield(true)
			}
		}
	})
	r.Cleanup(stop)
	l.next = next
	r.leaders = append(r.leaders, l)
}

// write makes a write of a controller, or kills it before or after.
func (r *ramble) write(_ string, o client.Object, do func() error) error {
	r.writes++
	r.perhapsKill()
	err := do()
	if kind, ok := kindOf(o); ok {
		r.history.look(kind)
	}
	r.perhapsKill()
	return err
}

func (r *ramble) perhapsKill() {
	if r.rand.Float64() < r.mortal {
		r.kills++
		panic(crash{})
	}
}

// walk goes on at random until the run has ended, and a while longer, and then until nothing changes.
func (r *ramble) walk(leaders int) {
	for range leaders {
		r.lead()
	}
	for turn, longer := 0, 1+r.rand.IntN(15); turn < 100 && longer > 0; turn++ {
		for range r.rand.IntN(20) {
			if r.rand.Float64() >= r.steady {
				r.on = r.rand.IntN(leaders)
			}
			r.leaders[r.on].next()
		}
		if turn%12 == 11 { // patience has an end, and lag has one before
			r.catchUp()
		}
		if r.turn() {
			longer--
		}
	}
	r.mortal = 0
	for turn, quiet := 0, 0; quiet < 3; turn++ {
		if turn > 60 {
			r.Fatalf("it does not converge: %+v", r.g.Status.Run)
		}
		before := r.writes
		r.catchUp()
		r.finish()
		quiet++
		if !r.turn() || r.writes != before {
			quiet = 0
		}
	}
}

func (r *ramble) catchUp() {
	for _, l := range r.leaders {
		if l.cache != nil {
			l.cache.catchUp()
		}
	}
}

// finish lets the leaders come to the end of their reconciles.
func (r *ramble) finish() {
	for _, l := range r.leaders {
		for done := false; !done; {
			done, _ = l.next()
		}
	}
}

// turn lets the world go on, and says whether the path is at its end.
func (r *ramble) turn() (over bool) {
	there := read(r.T, r.g)
	if !r.acted && there && r.path.when(r.g) {
		r.path.meanwhile(r.T, r.g)
		r.acted = true
		for kind := range kinds {
			r.history.look(kind)
		}
	}
	r.world.turn()
	r.world.clock.SetTime(r.world.clock.Now().Add(2 * time.Second))
	return r.acted && (!there || settled(r.g))
}

// expectHonest checks that nothing was executed twice, and that of nothing that was executed is said
// that it wasn't.
func expectHonest(t *testing.T, g *v1alpha1.GcloudRun, w *world) {
	t.Helper()
	for attempt, n := range w.attempts {
		if n > 1 {
			t.Errorf("attempt %s was executed %d times", attempt, n)
		}
	}
	owner := jobspec.Owner{Kind: "GcloudRun", Namespace: g.Namespace, Name: g.Name, UID: g.UID}
	for _, past := range g.Status.History {
		attempt := jobspec.Attempt{Owner: owner, Number: past.Number, Attempt: past.Attempt}.Identity()
		if w.attempts[attempt] > 0 && !mayHaveRun[past.Reason] && past.StartTime == nil {
			t.Errorf("attempt %s was executed, and ended with %s", attempt, past.Reason)
		}
	}
}

// mayHaveRun are the ends that don't say that the command was never started, even where no start is told.
var mayHaveRun = map[string]bool{
	v1alpha1.ReasonSucceeded: true, v1alpha1.ReasonCommandFailed: true, v1alpha1.ReasonTimedOut: true, v1alpha1.ReasonTerminated: true,
	v1alpha1.ReasonCancelled: true, v1alpha1.ReasonResultLost: true,
}

func names() []string {
	var all []string
	for _, p := range paths {
		all = append(all, p.name)
	}
	return all
}
