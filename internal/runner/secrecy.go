// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"fmt"
	"io"

	"github.com/gcloud-operator/gcloud-operator/internal/redact"
	"github.com/gcloud-operator/gcloud-operator/internal/result"
	"github.com/gcloud-operator/gcloud-operator/internal/seal"
)

// sealer returns what encrypts the report; nil for a report in clear.
func sealer(task result.Task) (result.Sealer, error) {
	if task.SealTo == "" {
		return nil, nil
	}
	seal, err := seal.For(task.SealTo)
	if err != nil {
		return nil, fmt.Errorf("sealTo: %w", err)
	}
	return seal, nil
}

// redacts: a sealed report is for a Secret, which is the place for secrets.
func (r *run) redacts() bool { return r.seal == nil && !r.task.KeepSecrets }

// passThrough is where what the command prints is shown while it runs.
func (r *run) passThrough() io.Writer {
	if r.seal != nil {
		return io.Discard
	}
	return r.live
}

const sealedNotice = "gcloud-operator: the output of this command is sealed for the operator, and not shown here\n"

// redactFetched does for a fetch what is done for a command while it runs.
func (r *run) redactFetched() {
	if !r.redacts() {
		return
	}
	for i, f := range r.report.Files {
		text, n := redact.Bytes(f.Data)
		if n > 0 {
			r.report.Files[i].Stream = result.Whole(text)
			r.report.Redacted += n
		}
	}
}
