// SPDX-License-Identifier: Apache-2.0

package rights

import (
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
)

// may asks the API server what the operator may do; no namespace stands for all of them.
func (o *operator) may(t *testing.T, group, verb, resource, namespace, name string) bool {
	t.Helper()
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{Group: group, Verb: verb, Resource: resource, Namespace: namespace, Name: name},
	}}
	must(t, o.api.Create(t.Context(), review))
	return review.Status.Allowed
}
