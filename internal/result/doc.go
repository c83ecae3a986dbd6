// SPDX-License-Identifier: Apache-2.0

// Package result is the wire format between the runner, inside a run's pod,
// and the controller: the task that goes in, and the report that comes out by
// way of the container's termination message and the end of its log.
//
// The package is pure: it reads no clock, no randomness and no files.
// Everything that it decodes may have been forged or damaged, so decoding
// verifies lengths and hashes and never allocates more than its limits say.
package result
