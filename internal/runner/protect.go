// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// Protect makes the process not dumpable, first of all that it does: otherwise
// the command, which runs as the same user, could write the runner's memory,
// trace it, or write to its descriptors by way of /proc.
func Protect() error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("making the runner not dumpable: %w", err)
	}
	return nil
}
