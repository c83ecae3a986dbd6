// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"
)

const (
	maxAttempts = 5
	// firstWait doubles with each attempt, up to maxWait.
	firstWait = time.Second
	maxWait   = 16 * time.Second
	// maxAskedWait is the longest wait that a server is granted. The quotas are
	// per minute.
	maxAskedWait = 90 * time.Second
)

// try calls until it goes well, fails for good, or has failed too often. A
// request that was given up leaves one attempt for each of those after it.
func (s *session) try(ctx context.Context, call func() error) error {
	for attempt := 1; ; attempt++ {
		err := call()
		f, ok := errors.AsType[*failure](err)
		if !ok || !f.again || ctx.Err() != nil {
			return err
		}
		if attempt >= s.attempts {
			s.attempts = 1
			return fmt.Errorf("%w (tried %s)", err, times(attempt))
		}
		wait, err := s.wait(ctx, f, attempt)
		if err != nil {
			s.attempts = 1
			return err
		}
		fmt.Fprintf(s.Log, "gcloud-operator: %s; trying again in %s\n", shorten(s.hide(f.Error()), maxMessage), wait.Round(time.Millisecond))
		if err := s.Clock.Sleep(ctx, wait); err != nil {
			return fmt.Errorf("%w, while it waited to try again: %w", err, f)
		}
	}
}

// wait returns how long to wait after an attempt that failed, or the failure
// where that would be longer than makes sense.
func (s *session) wait(ctx context.Context, f *failure, attempt int) (time.Duration, error) {
	wait := min(firstWait<<(attempt-1), maxWait)
	wait -= time.Duration(s.Jitter() * float64(wait) / 2)
	if f.after > 0 {
		// A little more, so that those who wait for the same don't come at once.
		wait = f.after + time.Duration(s.Jitter()*float64(firstWait))
	}
	if f.after > maxAskedWait {
		return 0, fmt.Errorf("%w; the server asks to wait %s", f, f.after)
	}
	if end, ok := ctx.Deadline(); ok && s.Clock.Now().Add(wait).After(end) {
		return 0, fmt.Errorf("%w (tried %s); the timeout is over before the next attempt", f, times(attempt))
	}
	return wait, nil
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return strconv.Itoa(n) + " times"
}

type wallClock struct{}

func (wallClock) Now() time.Time { return time.Now() }

func (wallClock) Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

func jitter() float64 { return rand.Float64() }
