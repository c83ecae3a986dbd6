// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

// refresh is how often the line with the progress changes.
const refresh = 250 * time.Millisecond

// watching is a run that is being waited for, and what a person sees of it.
type watching struct {
	*session
	wanted
	latest *v1alpha1.GcloudRun // nil until it was seen first
	number int64               // of the run, once it has begun
	phase  string
	since  time.Time // when the phase was seen first
	live   *live
	asked  bool // for a run that is held
}

// await shows the run until it is over, and returns what was seen of it.
func (s *session) await(ctx context.Context, w wanted) (*watching, error) {
	s.interrupt.underWay.Store(w.ours)
	defer s.interrupt.underWay.Store(false)
	defer s.screen.clear()
	v := &watching{session: s, wanted: w, since: s.now()}
	following, stop := context.WithCancel(ctx)
	defer stop()
	states, end := v.states(following)
	tick := time.NewTicker(refresh)
	defer tick.Stop()
	for {
		select {
		case g := <-states:
			if err := v.see(ctx, g); err != nil {
				return v, err
			}
			if v.over(g) {
				return v, nil
			}
		case err := <-end:
			return v, v.left(err)
		case <-s.interrupt.cancel:
			v.cancel(ctx)
		case <-tick.C:
			s.screen.show(progress(w.name, v.phase, s.now().Sub(v.since), s.Width))
		}
	}
}

// states follows the resource beside the loop.
func (v *watching) states(ctx context.Context) (<-chan *v1alpha1.GcloudRun, <-chan error) {
	states, end := make(chan *v1alpha1.GcloudRun), make(chan error, 1)
	go func() {
		end <- v.follow(ctx, v.name, func(g *v1alpha1.GcloudRun) bool {
			select {
			case states <- g:
				return v.over(g)
			case <-ctx.Done():
				return false
			}
		})
	}()
	return states, end
}

// see takes note of a state of the resource.
func (v *watching) see(ctx context.Context, g *v1alpha1.GcloudRun) error {
	v.latest = g
	if now := phase(g); now != v.phase {
		v.phase, v.since = now, v.now()
	}
	if v.begun(g) {
		if v.number == 0 {
			v.number = g.Status.Run.Number
		}
		if g.Status.Run.Number != v.number {
			return fmt.Errorf("%s is at run %d by now: somebody has changed it, or asked for another run; what run %d came to stands in status.history", v.name, g.Status.Run.Number, v.number)
		}
	}
	if readiness(g).Reason == v1alpha1.ReasonHeld && v.made && !v.asked {
		v.asked = true // the operator runs nothing that is new to it, until it is asked
		if err := v.annotate(ctx, v.name, v1alpha1.RequestedAtAnnotation, v.now().UTC().Format(time.RFC3339Nano)); err != nil {
			return fmt.Errorf("asking for the run, which is held: %w", err)
		}
	}
	// On one terminal the two streams come together anyway, and only there.
	if running(g) && v.begun(g) && v.OutTerminal && v.ErrTerminal {
		v.showLive(ctx, g.Status.Run.PodName)
	}
	return nil
}

// showLive shows the log of the pod, of which there is another when the run is tried again.
func (v *watching) showLive(ctx context.Context, pod string) {
	switch {
	case v.live != nil && v.live.pod == pod:
		return
	case v.live != nil:
		v.live.stop()
		<-v.live.done
	}
	v.live = v.startLive(ctx, pod)
}

// cancelPatience is how long the request to stop a run may take.
const cancelPatience = 5 * time.Second

// cancel asks for the run to be stopped. A second interrupt doesn't take that back.
func (v *watching) cancel(ctx context.Context) {
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), cancelPatience)
	defer done()
	number := int64(1)
	if v.latest != nil {
		number = v.wanted.number(v.latest)
	}
	if err := v.annotate(ctx, v.name, v1alpha1.CancelRunAnnotation, fmt.Sprint(number)); err != nil {
		v.screen.say("%s could not be cancelled: %v", v.name, err)
		return
	}
	v.screen.tell("cancelling %s; Ctrl-C leaves it", v.name)
}

// left says where a run is that was not waited for to its end.
func (v *watching) left(err error) error {
	switch {
	case errors.Is(err, errInterrupted):
		return exitError{fmt.Errorf("left %s, which may go on: kubectl gcloud result %s waits for its end, kubectl gcloud cancel %s stops it", v.name, v.name, v.name), exitInterrupted}
	case errors.Is(err, errLost):
		return fmt.Errorf("%w\n%s may go on, and is kept: kubectl gcloud result %s", err, v.name, v.name)
	}
	return err
}
