// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"crypto/rand"
	"fmt"
	"time"

	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

const (
	// logTime is how long the log may take to accept what is written to it.
	logTime = 10 * time.Second
	// logMargin is for what a runtime itself may write into the log.
	logMargin = 4 << 10
	// exitReportLost is none that Report.Believed takes: what stands in the
	// termination message is then not the runner's.
	exitReportLost = 2
)

// deliver writes the trailer, then the termination message, and returns the exit
// code. The trailer's nonce is drawn only now, when no process is left that
// could have learned it.
func (r *run) deliver() int {
	limits := result.Limits{MessageBytes: r.task.MessageBytes, Seal: r.seal}
	rand.Read(limits.Nonce[:])
	if used, ok := r.live.close(logTime); ok {
		limits.LogBytes = r.task.LogBytes - used - logMargin
	}
	message, trailer, err := result.Encode(r.report, limits)
	if err == nil && trailer != nil && !r.writeLog(trailer) {
		limits.LogBytes, trailer = 0, nil
		message, _, err = result.Encode(r.report, limits)
	}
	if err == nil {
		err = writeMessage(r.Paths.TerminationLog, message)
	}
	if err != nil {
		fmt.Fprintf(r.Log, "gcloud-operator: the report is lost: %v\n", err)
		return exitReportLost
	}
	if trailer != nil && r.stops.requested() {
		// The log of a deleted pod is gone soon after its container's end.
		time.Sleep(time.Until(lingerUntil(r.stops.at, time.Now(), r.task.Grace)))
	}
	return r.report.ProcessExitCode()
}

// writeLog reports whether the log has taken it all in time.
func (r *run) writeLog(trailer []byte) bool {
	written := make(chan struct{})
	go func() {
		if _, err := r.Log.Write(trailer); err == nil {
			close(written)
		}
	}()
	return within(written, logTime)
}
