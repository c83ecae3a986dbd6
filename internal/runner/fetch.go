// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"fmt"
)

// fetch does a task that reads from an API. Nothing is executed, so there is
// nothing to stop in steps or to clean up after.
func (r *run) fetch() {
	ctx, cancel := r.stops.context(0)
	defer cancel()
	if r.task.Timeout > 0 {
		ctx, cancel = context.WithTimeout(ctx, r.task.Timeout)
		defer cancel()
	}
	got := r.Fetch(ctx, *r.task.Fetch, r.passThrough())
	r.report.Reason, r.report.FinishedAt = got.Reason, r.Now()
	r.report.Stdout, r.report.Files = got.Stdout, got.Files
	r.redactFetched()
	r.note("%s", got.Message)
	fmt.Fprintf(r.passThrough(), "gcloud-operator: %s: %s\n", r.report.Reason, r.report.Message)
	r.report = r.report.Limit(r.task.CaptureBytes)
}
