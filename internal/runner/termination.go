// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"fmt"
	"os"
	"time"

	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

const (
	// messageCheck is how often the size of the termination message is looked at.
	messageCheck = time.Second
	// maxMessageFile is more than any message has.
	maxMessageFile = 64 << 10
)

// writeMessage replaces the termination message; the command may have written there.
func writeMessage(path string, message []byte) error {
	if err := os.WriteFile(path, message, 0o644); err != nil {
		return fmt.Errorf("writing the termination message: %w", err)
	}
	return nil
}

// writeInterim writes what is there until the report is: without it a run that is killed would count
// as one that never ran.
func (r *run) writeInterim() error {
	return writeMessage(r.Paths.TerminationLog, result.Started(r.task.Run, r.report.ArgvSHA256, r.report.StartedAt))
}

// keepMessageShort takes back what the command has written to the message, if that is large: the
// kubelet doesn't count this file among what a pod stores, so a command could fill the node's disk.
func (r *run) keepMessageShort() {
	info, err := os.Stat(r.Paths.TerminationLog)
	if err == nil && info.Size() > maxMessageFile {
		_ = r.writeInterim() // the report replaces it in any case
	}
}
