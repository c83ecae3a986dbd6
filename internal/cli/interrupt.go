// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"os"
	"sync/atomic"
)

// errInterrupted is why the context ends that interrupts make.
var errInterrupted = errors.New("interrupted")

// interrupts are Ctrl-C and SIGTERM. While a run is under way, the first one asks for it to be cancelled; every other
// ends what the plugin does.
type interrupts struct {
	underWay atomic.Bool
	cancel   chan struct{} // has one element when the run is to be cancelled
}

// watchInterrupts returns a context that ends when the plugin is to leave.
func watchInterrupts(ctx context.Context, signals <-chan os.Signal) (context.Context, *interrupts) {
	ctx, leave := context.WithCancelCause(ctx)
	i := &interrupts{cancel: make(chan struct{}, 1)}
	go func() {
		for range signals {
			if i.underWay.Swap(false) {
				i.cancel <- struct{}{}
				continue
			}
			leave(errInterrupted)
		}
	}()
	return ctx, i
}
