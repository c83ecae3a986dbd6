// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// unnotified are the signals that package signal accepts and leaves as they
// are: the Go runtime keeps them for C libraries, of which a runner has none.
var unnotified = []uintptr{32, 34}

// returnAtOnceAddr is the address of a handler that does nothing.
var returnAtOnceAddr uintptr

// action is the system's struct sigaction on the 64-bit platforms.
type action struct{ handler, flags, restorer, mask uintptr }

// catchUnnotified gives the signals a handler that package signal can't give.
// The system drops a signal that PID 1 has none for, but not while the main
// thread blocks it, as it does in every handler: then it depends on the kernel
// whether another thread is taken to be killed by it, and the runner with it.
// Ignoring them would do as well, but the command would inherit that.
func catchUnnotified() {
	const caught = 35 // has the Go runtime's flags, stack and way to return
	var a action
	if !sigaction(caught, nil, &a) {
		return
	}
	a.handler = returnAtOnceAddr
	for _, n := range unnotified {
		sigaction(n, &a, nil)
	}
}

func sigaction(n uintptr, set, old *action) bool {
	_, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, n, uintptr(unsafe.Pointer(set)), uintptr(unsafe.Pointer(old)), unsafe.Sizeof(action{}.mask), 0, 0)
	return errno == 0
}
