// SPDX-License-Identifier: Apache-2.0

package outcome

import (
	"testing"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

func TestAFetchSaysItselfWhatItCameTo(t *testing.T) {
	for reported, want := range map[result.Reason]string{
		result.Fetched:          v1alpha1.ReasonSucceeded + ": m",
		result.NotFound:         v1alpha1.ReasonNotFound + ": m",
		result.PermissionDenied: v1alpha1.ReasonPermissionDenied + ": m",
		result.APIDisabled:      v1alpha1.ReasonAPIDisabled + ": m",
		result.Unauthenticated:  v1alpha1.ReasonUnauthenticated + ": m",
		result.IdentityNotReady: v1alpha1.ReasonIdentityNotReady + ": m",
		result.RateLimited:      v1alpha1.ReasonRateLimited + ": m",
		result.Unavailable:      v1alpha1.ReasonUnavailable + ": m",
		result.InvalidArgument:  v1alpha1.ReasonInvalidArgument + ": m",
		result.FetchTimedOut:    v1alpha1.ReasonTimedOut + ": spec.timeout had passed: m",
		result.FetchStopped:     v1alpha1.ReasonTerminated + ": The pod was asked to end: m",
	} {
		r, message := reason(result.Report{Reason: reported, Message: "m", ExitCode: result.NoExitCode})
		if got := r + ": " + message; got != want {
			t.Errorf("%s: got %q, want %q", reported, got, want)
		}
		if !reported.OfFetch() || reported.NeverRan() {
			t.Errorf("%s counts as something else", reported)
		}
	}
}
