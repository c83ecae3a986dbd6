// SPDX-License-Identifier: Apache-2.0

package run

import (
	"errors"
	"fmt"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/controllers/run/decide"
	"github.com/gcloud-operator/gcloud-operator/internal/outcome"
)

func TestOutputIsOfferedForTwoMinutesToAClusterThatRefusesIt(t *testing.T) {
	now := time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)
	maps := schema.GroupResource{Resource: "configmaps"}
	quota := rejected(fmt.Errorf("making ConfigMap x: %w", apierrors.NewForbidden(maps, "x", errors.New("exceeded quota"))))
	for name, c := range map[string]struct {
		err      error
		finished time.Time
		want     bool
	}{
		"nothing is wrong":                                {nil, now.Add(-time.Hour), false},
		"refused a minute after the end":                  {quota, now.Add(-time.Minute), false},
		"refused two minutes after the end":               {quota, now.Add(-2 * time.Minute), true},
		"refused, and nobody knows when the end was":      {quota, time.Time{}, true},
		"the name is another's":                           {takenError{"Secret x"}, now, true},
		"the API server has trouble":                      {rejected(apierrors.NewInternalError(errors.New("etcd"))), now.Add(-time.Hour), false},
		"the API server can't be reached":                 {rejected(errors.New("connection refused")), now.Add(-time.Hour), false},
		"the status was written by another in between":    {rejected(apierrors.NewConflict(maps, "x", errors.New("newer"))), now.Add(-time.Hour), false},
		"a Secret that was made immutable is not patched": {rejected(apierrors.NewInvalid(schema.GroupKind{Kind: "Secret"}, "x", nil)), now.Add(-time.Hour), true},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Reconciler[*v1alpha1.GcloudRun]{Clock: clocktesting.NewFakePassiveClock(now)}
			d := &decide.Decision{Outcome: &outcome.Outcome{Finished: c.finished}}
			if got := r.givenUp(d, c.err); got != c.want {
				t.Errorf("given up: %t, want %t", got, c.want)
			}
		})
	}
}
