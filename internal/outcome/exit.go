// SPDX-License-Identifier: Apache-2.0

package outcome

import (
	"fmt"
	"slices"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

// ExitCode is that of a command that ended; nil where there is none, or nobody knows it.
func (o Outcome) ExitCode() *int64 {
	r := o.Report
	if r == nil || r.Reason.OfFetch() || !r.Reason.Ran() || r.ExitCode == result.NoExitCode {
		return nil
	}
	return new(int64(r.ExitCode))
}

// WithSuccess is the outcome when these exit codes are the ones that count as success; when there are
// none, 0 does. A command that didn't end by itself has no success.
func (o Outcome) WithSuccess(codes []int32) Outcome {
	code := o.ExitCode()
	byItself := o.Reason == v1alpha1.ReasonSucceeded || o.Reason == v1alpha1.ReasonCommandFailed
	if len(codes) == 0 || code == nil || !byItself {
		return o
	}
	success := slices.Contains(codes, int32(*code))
	switch {
	case success && o.Reason == v1alpha1.ReasonCommandFailed:
		o.Reason, o.Message = v1alpha1.ReasonSucceeded, fmt.Sprintf("The command ended with exit code %d, which spec.successExitCodes names", *code)
	case !success && o.Reason == v1alpha1.ReasonSucceeded:
		o.Reason, o.Message = v1alpha1.ReasonCommandFailed, fmt.Sprintf("The command ended with exit code %d, which spec.successExitCodes doesn't name", *code)
	}
	return o
}
