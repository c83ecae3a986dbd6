// SPDX-License-Identifier: Apache-2.0

#include "textflag.h"

// A signal handler that does nothing; the system calls it without a Go stack.
TEXT ·returnAtOnce(SB), NOSPLIT|NOFRAME, $0-0
	RET

DATA ·returnAtOnceAddr(SB)/8, $·returnAtOnce(SB)
GLOBL ·returnAtOnceAddr(SB), RODATA, $8
