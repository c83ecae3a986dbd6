// SPDX-License-Identifier: Apache-2.0

package crash

import (
	"context"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	configv1alpha1 "github.com/gcloud-operator/gcloud-operator/api/config/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/controllers/gcloudrun"
	"github.com/gcloud-operator/gcloud-operator/controllers/run"
)

// crash is what a killed controller panics with: nothing of it goes on.
type crash struct{}

// killer counts a controller's writes, and kills it at one of them.
type killer struct {
	at     int  // the write to be killed at, from 1; 0 for none
	after  bool // kill when the API server has taken the write, so that its answer is lost
	writes int
	what   []string
}

// write lets a write through, or kills.
func (k *killer) write(what string, do func() error) error {
	k.writes++
	k.what = append(k.what, what)
	if k.writes == k.at && !k.after {
		panic(crash{})
	}
	err := do()
	if k.writes == k.at {
		panic(crash{})
	}
	return err
}

// client is the API server as a controller sees it whose writes the killer counts. It finds pods by
// their owner, as the cache's index does.
func (k *killer) client() client.Client {
	return interceptor.NewClient(api, interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			return k.write("create", func() error { return c.Create(ctx, o, opts...) })
		},
		Delete: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.DeleteOption) error {
			return k.write("delete", func() error { return c.Delete(ctx, o, opts...) })
		},
		Patch: func(ctx context.Context, c client.WithWatch, o client.Object, p client.Patch, opts ...client.PatchOption) error {
			return k.write("patch", func() error { return c.Patch(ctx, o, p, opts...) })
		},
		SubResourcePatch: func(ctx context.Context, c client.Client, sub string, o client.Object, p client.Patch, opts ...client.SubResourcePatchOption) error {
			return k.write("patch "+sub, func() error { return c.SubResource(sub).Patch(ctx, o, p, opts...) })
		},
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			pods, ok := list.(*corev1.PodList)
			if !ok {
				return c.List(ctx, list, opts...)
			}
			return listPods(ctx, c, pods, opts)
		},
	})
}

func listPods(ctx context.Context, c client.Client, pods *corev1.PodList, opts []client.ListOption) error {
	var o client.ListOptions
	o.ApplyOptions(opts)
	if err := c.List(ctx, pods, client.InNamespace(o.Namespace)); err != nil {
		return err
	}
	want, _ := o.FieldSelector.RequiresExactMatch("owner")
	pods.Items = slices.DeleteFunc(pods.Items, func(p corev1.Pod) bool { return p.Annotations[v1alpha1.OwnerAnnotation] != want })
	return nil
}

// reconcile makes one call of a controller that has just been started, and says whether it was killed.
func reconcile(t *testing.T, k *killer, g *v1alpha1.GcloudRun) (killed bool) {
	t.Helper()
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(crash); !ok {
				panic(r)
			}
			killed = true
		}
	}()
	c := k.client()
	controller := &run.Reconciler[*v1alpha1.GcloudRun]{
		Client: c, Live: c, Clock: clock.RealClock{}, Recorder: events.NewFakeRecorder(100),
		Kind: gcloudrun.Kind{Config: configv1alpha1.OperatorConfiguration{
			Gcloud: configv1alpha1.Gcloud{Image: "gcloud"}, TTLAfterFinished: &metav1.Duration{Duration: time.Hour},
		}},
		InlineBytes: 1000,
	}
	// An error is tried again, as the manager would.
	_, _ = controller.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(g)})
	return false
}
