// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// stops knows whether and when the runner was told to stop.
type stops struct {
	first chan struct{} // closed by the first signal to stop
	at    time.Time     // of it; valid once first is closed
}

// catchSignals catches every signal that can be caught. The system lets a
// process inside a container signal PID 1 as soon as that has a handler, and
// Go's own handlers end the process on most; one that only makes a report
// impossible must not.
func catchSignals() *stops {
	const lastSignal = 64
	received := make(chan os.Signal, lastSignal)
	for n := syscall.Signal(1); n <= lastSignal; n++ {
		switch n {
		case syscall.SIGURG: // the Go runtime sends it to itself all the time
		case syscall.SIGCHLD: // waiting for children needs no signal
		default:
			signal.Notify(received, n)
		}
	}
	catchUnnotified()
	s := &stops{first: make(chan struct{})}
	go s.watch(received)
	return s
}

func (s *stops) watch(received <-chan os.Signal) {
	for sig := range received {
		// SIGTERM is the kubelet's; an image's STOPSIGNAL may be one of the others.
		if sig != syscall.SIGTERM && sig != syscall.SIGINT && sig != syscall.SIGQUIT || s.requested() {
			continue
		}
		s.at = time.Now()
		close(s.first)
	}
}

func (s *stops) requested() bool {
	select {
	case <-s.first:
		return true
	default:
		return false
	}
}

// context returns one that ends so long after the first signal to stop.
func (s *stops) context(after time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		select {
		case <-ctx.Done():
		case <-s.first:
			time.AfterFunc(time.Until(s.at.Add(after)), cancel)
		}
	}()
	return ctx, cancel
}

// stopStep is a signal to the command, so long after it was decided to stop it.
type stopStep struct {
	after  time.Duration
	signal syscall.Signal
}

// stopSteps divides the grace period: SIGINT first, on which gcloud cancels what
// it has begun remotely, then SIGTERM, then SIGKILL; and reserved time is left.
func stopSteps(grace time.Duration) []stopStep {
	kill := grace - reserved(grace)
	return []stopStep{{0, syscall.SIGINT}, {kill * 2 / 3, syscall.SIGTERM}, {kill, syscall.SIGKILL}}
}

// reserved is the end of the grace period that is for the report, and for
// lingering until the controller has read it.
func reserved(grace time.Duration) time.Duration { return min(grace/3, 10*time.Second) }

// reportBy is when, after a signal to stop, no more files are collected.
func reportBy(grace time.Duration) time.Duration { return grace - reserved(grace)/2 }

// maxLinger is more than a controller takes to read a log that it waits for.
const maxLinger = 5 * time.Second

// lingerUntil leaves a little of the grace period: whoever is killed at its end
// has the wrong exit code, and is not believed.
func lingerUntil(stopped, now time.Time, grace time.Duration) time.Time {
	end := stopped.Add(grace - reserved(grace)/5)
	if latest := now.Add(maxLinger); latest.Before(end) {
		return latest
	}
	return end
}
