// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

// errLost says that the API server did not answer for too long.
var errLost = errors.New("the connection to the cluster was lost")

// pause is how soon the API server is asked again that did not answer.
const pause = time.Second

// follow hands each state of the resource to see, until that says that it has seen enough. A connection that is lost
// is made again. Without the right to watch, it asks again and again.
func (s *session) follow(ctx context.Context, name string, see func(*v1alpha1.GcloudRun) bool) error {
	heard := s.now()
	for {
		g, err := s.get(ctx, name)
		switch {
		case err == nil:
			heard = s.now()
			if see(g) || s.watch(ctx, g, see) {
				return nil
			}
		case apierrors.IsNotFound(err):
			return fmt.Errorf("%s was deleted: its command is stopped, and what it printed is gone", name)
		case apierrors.IsForbidden(err):
			return err
		case s.now().Sub(heard) > s.patience:
			return fmt.Errorf("%w: %w", errLost, err)
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(pause):
		}
	}
}

// watch shows what becomes of g, until the connection ends or see has seen enough, which it then says.
func (s *session) watch(ctx context.Context, g *v1alpha1.GcloudRun, see func(*v1alpha1.GcloudRun) bool) bool {
	w, err := s.client.Watch(ctx, &v1alpha1.GcloudRunList{}, client.InNamespace(s.namespace), &client.ListOptions{
		FieldSelector: fields.OneTermEqualSelector("metadata.name", g.Name),
		Raw:           &metav1.ListOptions{ResourceVersion: g.ResourceVersion},
	})
	if err != nil {
		return false // follow asks again
	}
	defer w.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case event, open := <-w.ResultChan():
			next, ok := event.Object.(*v1alpha1.GcloudRun)
			if !open || !ok {
				return false
			}
			if see(next) {
				return true
			}
		}
	}
}
