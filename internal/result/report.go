// SPDX-License-Identifier: Apache-2.0

package result

import "time"

// NoExitCode is the ExitCode of a report whose command has none.
const NoExitCode = -1

// Report is all that the runner says of a run. Times are UTC, to the millisecond.
type Report struct {
	// Run is that of the Task: a report of another run is none of this one's.
	Run    string
	Reason Reason
	// Message is one or two sentences for the user; empty where Reason and
	// ExitCode say it all.
	Message string
	// ExitCode is the command's own, 128+n where signal n ended it, and
	// NoExitCode where there was no command.
	ExitCode int
	// ArgvSHA256 is HashArgv of what was executed, as hex.
	ArgvSHA256 string
	// StartedAt is zero where nothing was started.
	StartedAt, FinishedAt time.Time
	Stdout, Stderr        Stream
	// Files are sorted by path.
	Files []File
	// LeftOut are files that would have been collected and were not; and globs
	// that matched nothing.
	LeftOut []LeftOut
	// Redacted is how many tokens and private keys were replaced in streams and
	// files. Bytes and SHA256 of a Stream are of what was kept, after that.
	Redacted int64
}

// Stream is what a command wrote, to a stream or into a file: all of it, or
// its head and its tail.
type Stream struct {
	// Bytes and SHA256 (hex) are of the whole, however much of it is in Data.
	Bytes  int64
	SHA256 string
	// Data is the whole, or the head followed by the tail.
	Data []byte
	// Head is the length of the head in Data; len(Data) where nothing is missing.
	Head int
}

// Truncated reports whether bytes are missing between head and tail.
func (s Stream) Truncated() bool { return s.Bytes > int64(len(s.Data)) }

// HeadTail returns both parts; the tail is empty where nothing is missing.
func (s Stream) HeadTail() (head, tail []byte) { return s.Data[:s.Head], s.Data[s.Head:] }

// File is a collected output file.
type File struct {
	// Path is slash-separated and relative to the working directory.
	Path       string
	Executable bool
	Stream
}

// LeftOut is a file (or a glob) of which nothing was collected.
type LeftOut struct {
	// Path may be a quoted Go string where the name is not UTF-8 or YAML can't hold it, and is empty
	// in the last entry where there were more than the report lists.
	Path  string
	Bytes int64
	// Why is a short text for the user.
	Why string
}

// ProcessExitCode is the exit code of the runner's own process: 0 for a command
// that exited 0 and a fetch that brought everything, and 1 for everything else.
func (r Report) ProcessExitCode() int {
	if r.Reason == Exited && r.ExitCode == 0 || r.Reason == Fetched {
		return 0
	}
	return 1
}

// Believed reports whether the report is of this run and was written by the
// runner as its last act. A command can write the termination message too while
// it runs, and then have the container killed for its memory before the runner
// overwrites it. But then the container's exit code is 137: neither 0 nor 1. The
// report of an interim message is never believed.
func (r Report) Believed(run string, containerExitCode int32) bool {
	return r.Run == run && r.Reason != "" && int(containerExitCode) == r.ProcessExitCode()
}
