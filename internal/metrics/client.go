// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"context"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// CountWrites returns the client, whose writes count from now on: those that the operator makes.
func CountWrites(c client.Client) client.Client { return writes{c} }

type writes struct{ client.Client }

func (w writes) Create(ctx context.Context, o client.Object, opts ...client.CreateOption) error {
	return w.count(o, "", "create", w.Client.Create(ctx, o, opts...))
}

func (w writes) Delete(ctx context.Context, o client.Object, opts ...client.DeleteOption) error {
	return w.count(o, "", "delete", w.Client.Delete(ctx, o, opts...))
}

func (w writes) Patch(ctx context.Context, o client.Object, p client.Patch, opts ...client.PatchOption) error {
	return w.count(o, "", "patch", w.Client.Patch(ctx, o, p, opts...))
}

func (w writes) Status() client.SubResourceWriter {
	return statusWrites{w.Client.Status(), w}
}

type statusWrites struct {
	client.SubResourceWriter
	of writes
}

func (s statusWrites) Patch(ctx context.Context, o client.Object, p client.Patch, opts ...client.SubResourcePatchOption) error {
	return s.of.count(o, "/status", "patch", s.SubResourceWriter.Patch(ctx, o, p, opts...))
}

// count counts a write, and returns what became of it.
func (w writes) count(o client.Object, subresource, verb string, err error) error {
	object := "Unknown"
	if gvk, e := w.GroupVersionKindFor(o); e == nil {
		object = gvk.Kind
	}
	apiWrites.WithLabelValues(object+subresource, verb, resultOf(err)).Inc()
	return err
}

// resultOf is one of the reasons that the API server has.
func resultOf(err error) string {
	var status apierrors.APIStatus
	switch {
	case err == nil:
		return "OK"
	case errors.As(err, &status) && status.Status().Reason != "":
		return string(status.Status().Reason)
	}
	return "Error"
}
