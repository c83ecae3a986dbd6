// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gcloud-operator/gcloud-operator/controllers/run/decide"
)

// rejectedError says that the cluster refuses for good what a run needs: a quota or a policy does.
type rejectedError struct{ cause error }

func (e rejectedError) Error() string { return e.cause.Error() }

// rejected marks an error that is the cluster's refusal, and not one that passes by itself.
func rejected(err error) error {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return err
	}
	switch status.Status().Code {
	case http.StatusBadRequest, http.StatusForbidden, http.StatusUnprocessableEntity:
		return rejectedError{err}
	}
	return err
}

// keepPatience is how long after a command's end what it brought is offered to the cluster again that
// refuses to keep it.
const keepPatience = 2 * time.Minute

// givenUp says whether there is no use in offering the cluster again what a run brought: the name is
// another's, or it was refused for long enough.
func (r *Reconciler[T]) givenUp(d *decide.Decision, err error) bool {
	var taken takenError
	var rejection rejectedError
	return errors.As(err, &taken) || errors.As(err, &rejection) && r.Clock.Since(d.Outcome.Finished) >= keepPatience
}

// gatherRejection looks why no pod is made for the Job: only its events say so.
func (r *Reconciler[T]) gatherRejection(ctx context.Context, o *decide.Observation) error {
	if !o.Podless() {
		return nil
	}
	var events corev1.EventList
	ofJob := client.MatchingFields{"involvedObject.uid": string(o.Job.UID), "reason": "FailedCreate"}
	if err := r.Live.List(ctx, &events, client.InNamespace(o.Owner.Namespace), ofJob); err != nil {
		return fmt.Errorf("listing the events of Job %s: %w", o.Job.Name, err)
	}
	var newest *corev1.Event
	for i := range events.Items {
		if newest == nil || newest.LastTimestamp.Before(&events.Items[i].LastTimestamp) {
			newest = &events.Items[i]
		}
	}
	if newest != nil {
		o.Rejection = newest.Message
	}
	return nil
}
