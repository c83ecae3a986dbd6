// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

func TestARunFromTheBeginningToTheEnd(t *testing.T) {
	made := func() builder { return made("a") }
	succeeded := func() builder {
		return made().run(1, "pod").ended(v1alpha1.ReasonSucceeded, 0).printed("out\n", "err\n")
	}
	failed := func() builder {
		return made().run(1, "pod").ended(v1alpha1.ReasonCommandFailed, 2).printed("", "ERROR\n")
	}
	for name, c := range map[string]struct {
		o            options
		events       []builder
		code         int
		out, err     string
		fails        string // what the error says
		kept         bool
		annotated    string // an annotation that the resource then has
		annotateTo   string
		interruptAt  int // before which event
		interruptTwo bool
		edit         bool // before the last event
	}{
		"a success is printed, and deleted":       {events: []builder{made().run(1, "").pending(), made().run(1, "pod").running(), succeeded()}, out: "out\n", err: "err\n"},
		"a success is kept, if that is asked for": {o: options{keep: true}, events: []builder{succeeded()}, out: "out\n", err: "err\n", kept: true},
		"a failure is printed, and kept":          {events: []builder{failed()}, code: 2, err: "ERROR\n", kept: true},
		"what was stopped says so after its output": {
			events: []builder{made().run(1, "pod").ended(v1alpha1.ReasonTimedOut, 0).printed("half", "")},
			code:   124, out: "half", fails: "a ended with TimedOut: the message\nkept as a: kubectl gcloud result a", kept: true,
		},
		"what can't be run says why": {
			events: []builder{made().says(v1alpha1.ReasonInvalidSpec, "write gcloud", true)},
			code:   125, fails: "a ended with InvalidSpec: write gcloud", kept: true,
		},
		"what is held is asked for": {
			events: []builder{made().says(v1alpha1.ReasonHeld, "ask", false), failed()},
			code:   2, err: "ERROR\n", kept: true, annotated: v1alpha1.RequestedAtAnnotation, annotateTo: "2026-07-01T12:00:00Z",
		},
		"an interrupt cancels the run": {
			events:      []builder{made().run(1, "pod").running(), made().run(1, "pod").ended(v1alpha1.ReasonCancelled, 130).printed("half", "killed")},
			interruptAt: 1, code: 130, out: "half", err: "killed", fails: "a ended with Cancelled", kept: true, annotated: v1alpha1.CancelRunAnnotation, annotateTo: "1",
		},
		"an interrupt before it has begun does, too": {
			events:      []builder{made(), made().run(1, "").ended(v1alpha1.ReasonCancelled, 0)},
			interruptAt: 1, code: 130, fails: "a ended with Cancelled", kept: true, annotated: v1alpha1.CancelRunAnnotation, annotateTo: "1",
		},
		"a second one leaves it": {
			events:      []builder{made().run(1, "pod").running()},
			interruptAt: 1, interruptTwo: true, code: 130, fails: "left a, which may go on: kubectl gcloud result a", kept: true,
		},
		"a run that another has followed is not taken for it": {
			events: []builder{made().run(1, "pod").running(), made().run(2, "pod").running()},
			code:   125, fails: "a is at run 2 by now", kept: true,
		},
		"output that isn't whole is an error": {
			events: []builder{truncated(succeeded())}, code: 125, out: "out\n", err: "err\n",
			fails: "the stdout of a is not whole: it had 1000 bytes", kept: true,
		},
		"output that is damaged is not printed": {
			events: []builder{damaged(succeeded())}, code: 125, err: "err\n", fails: "the stdout of a can't be read", kept: true,
		},
		"what somebody else has changed is kept": {
			events: []builder{succeeded()}, edit: true, out: "out\n", err: "err\n", kept: true,
		},
		"files that nobody has fetched keep the run": {
			events: []builder{wrote(succeeded())}, out: "out\n", err: "err\n", kept: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			end := make(chan error, 1)
			var code int
			go func() {
				var err error
				code, err = w.runManifest(w.ctx, c.o, made().GcloudRun)
				end <- err
			}()
			for i, event := range c.events {
				if i > 0 && i == c.interruptAt {
					w.interruptOnce(t)
				}
				if c.edit {
					w.edit(t)
				}
				event.ResourceVersion = "1" // what the first one has
				w.events.Modify(event.GcloudRun)
			}
			if c.interruptTwo {
				w.interruptOnce(t)
				w.signals <- syscall.SIGINT
			}
			err := <-end
			if err != nil {
				code = report(&strings.Builder{}, err)
			}
			if code != c.code || w.out.String() != c.out || w.err.String() != c.err {
				t.Errorf("it ends with %d, and prints %q and %q", code, w.out.String(), w.err.String())
			}
			if (err == nil) != (c.fails == "") || err != nil && !strings.Contains(err.Error(), c.fails) {
				t.Errorf("it says %v, want %q", err, c.fails)
			}
			left := w.there(t, "a")
			if (left != nil) != c.kept {
				t.Fatalf("the run is there: %v", left != nil)
			}
			if c.annotated != "" && left.Annotations[c.annotated] != c.annotateTo {
				t.Errorf("its annotations are %v", left.Annotations)
			}
		})
	}
}

// interruptOnce interrupts, and waits until that was taken note of.
func (w *world) interruptOnce(t *testing.T) {
	t.Helper()
	w.signals <- syscall.SIGINT
	for range 1000 {
		if g := w.there(t, "a"); g != nil && g.Annotations[v1alpha1.CancelRunAnnotation] != "" {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatal("the run was not cancelled")
}

// edit changes the resource as somebody else does.
func (w *world) edit(t *testing.T) {
	t.Helper()
	for range 1000 {
		if w.there(t, "a") != nil {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if err := w.annotate(t.Context(), "a", "by", "somebody else"); err != nil {
		t.Fatal(err)
	}
}

func truncated(b builder) builder {
	b.Status.Response.StdoutInfo.Bytes, b.Status.Response.StdoutInfo.Truncated = 1000, true
	return b
}

func damaged(b builder) builder {
	b.Status.Response.Stdout = "out?"
	return b
}

func wrote(b builder) builder {
	b.Status.OutputFiles = []v1alpha1.OutputFile{{Path: "a/b", Contents: "text", Stored: stored("text")}}
	return b
}

func TestARunThatIsLeftAtOnceIsCancelledAllTheSame(t *testing.T) {
	running := made("a").run(1, "pod").running().GcloudRun
	w := newWorld(t, running.DeepCopy())
	w.patches = func() {
		w.signals <- syscall.SIGINT
		<-w.ctx.Done()
	}
	end := make(chan error, 1)
	go func() {
		_, err := w.await(w.ctx, wanted{name: "a", ours: true})
		end <- err
	}()
	w.events.Modify(running) // by now it is being waited for
	w.signals <- syscall.SIGINT
	if err := <-end; report(&strings.Builder{}, err) != exitInterrupted {
		t.Errorf("it ends with %v", err)
	}
	if got := w.there(t, "a").Annotations[v1alpha1.CancelRunAnnotation]; got != "1" {
		t.Errorf("it is asked to cancel %q", got)
	}
}

func TestAnAPIServerThatIsAwayForTooLong(t *testing.T) {
	w := newWorld(t)
	w.getFails = errors.New("connection refused")
	tick := noon
	w.now = func() time.Time { tick = tick.Add(lostPatience); return tick }
	_, err := w.await(w.ctx, wanted{name: "a"})
	if !errors.Is(err, errLost) || !strings.Contains(err.Error(), "a may go on, and is kept: kubectl gcloud result a") {
		t.Errorf("it says %v", err)
	}
}

func TestARunThatIsDeletedMeanwhile(t *testing.T) {
	w := newWorld(t)
	if _, err := w.await(w.ctx, wanted{name: "a"}); err == nil || !strings.Contains(err.Error(), "a was deleted") {
		t.Errorf("it says %v", err)
	}
}

func TestVerbs(t *testing.T) {
	ended := func() builder {
		return made("a").run(2, "pod").ended(v1alpha1.ReasonCommandFailed, 3).printed("out", "err")
	}
	suspended := ended().says(v1alpha1.ReasonSuspended, "it is", false)
	suspended.Spec.Suspend = true
	running := made("a").run(2, "pod").running()
	for name, c := range map[string]struct {
		verb     string
		b        builder
		code     int
		out, err string
		fails    string
	}{
		"the result of a run that has ended":     {"result", ended(), 3, "out", "err", ""},
		"the result of one that is suspended":    {"result", suspended, 3, "out", "err", ""},
		"the result of one that was never run":   {"result", made("a").says(v1alpha1.ReasonHeld, "ask", false), 125, "", "", "a ended with Held: ask"},
		"another run of what is suspended":       {"rerun", suspended, 125, "", "", "a is suspended, and runs nothing"},
		"cancelling what runs":                   {"cancel", running, 0, "run 2 of a is being cancelled\n", "", ""},
		"cancelling what has ended":              {"cancel", ended(), 125, "", "", "no run of a is under way"},
		"the log of what has no pod":             {"logs", made("a").run(1, "").pending(), 125, "", "", "a has no pod: queued"},
		"the log of what isn't there":            {"logs", made("b"), 125, "", "", `gcloudruns.gcloud-operator.dev "a" not found`},
		"the result of what isn't there, either": {"result", made("b"), 125, "", "", `gcloudruns.gcloud-operator.dev "a" not found`},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, c.b.DeepCopy())
			var v verb
			for _, v = range verbs() {
				if v.name == c.verb {
					break
				}
			}
			code, err := v.run(w.ctx, w.session, options{run: "a"})
			if err != nil {
				code = report(&strings.Builder{}, err)
			}
			if code != c.code || w.out.String() != c.out || w.err.String() != c.err {
				t.Errorf("it ends with %d, and prints %q and %q", code, w.out.String(), w.err.String())
			}
			if (err == nil) != (c.fails == "") || err != nil && !strings.Contains(err.Error(), c.fails) {
				t.Errorf("it says %v, want %q", err, c.fails)
			}
		})
	}
}
