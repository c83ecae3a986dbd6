// SPDX-License-Identifier: Apache-2.0

package crash

import (
	"context"
	"slices"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
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
	"github.com/gcloud-operator/gcloud-operator/controllers/run/decide"
)

// crash is what a killed controller panics with: nothing of it goes on.
type crash struct{}

// killer counts a controller's writes, and kills it at one of them.
type killer struct {
	at     int  // the write to be killed at, from 1; 0 for none
	after  bool // kill when the API server has taken the write, so that its answer is lost
	writes int
	what   []string
	wrote  func() // looks at what a write has led to
}

// write lets a write through, or kills.
func (k *killer) write(what string, _ client.Object, do func() error) error {
	k.writes++
	k.what = append(k.what, what)
	if k.writes == k.at && !k.after {
		panic(crash{})
	}
	err := do()
	k.wrote()
	if k.writes == k.at {
		panic(crash{})
	}
	return err
}

// process is a controller's process.
type process struct {
	// write makes a write, or kills the process at it.
	write func(what string, o client.Object, do func() error) error
	// cache is what the process reads from; nil for the API server.
	cache *laggard
	// call comes before everything that the process reads or writes.
	call       func()
	newObjects configv1alpha1.NewObjects // of its configuration
	limit      int                       // how many runs may be under way
	crowded    func() bool               // whether one of another resource is
}

// client is the API server as the process sees it, or its cache of that.
func (p *process) client(cache *laggard) client.Client {
	write := func(what string, o client.Object, do func() error) error {
		p.call()
		return p.write(what, o, do)
	}
	return interceptor.NewClient(api, interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			return write("create", o, func() error { return c.Create(ctx, o, opts...) })
		},
		Delete: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.DeleteOption) error {
			return write("delete", o, func() error { return c.Delete(ctx, o, opts...) })
		},
		Patch: func(ctx context.Context, c client.WithWatch, o client.Object, p client.Patch, opts ...client.PatchOption) error {
			return write("patch", o, func() error { return c.Patch(ctx, o, p, opts...) })
		},
		SubResourcePatch: func(ctx context.Context, c client.Client, sub string, o client.Object, p client.Patch, opts ...client.SubResourcePatchOption) error {
			return write("patch "+sub, o, func() error { return c.SubResource(sub).Patch(ctx, o, p, opts...) })
		},
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
			p.call()
			if kind, ok := kindOf(o); ok && cache != nil {
				return cache.get(kind, key, o)
			}
			return c.Get(ctx, key, o, opts...)
		},
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			p.call()
			if jobs, ok := list.(*batchv1.JobList); ok {
				return p.listUnfinished(ctx, c, jobs, opts)
			}
			pods, ok := list.(*corev1.PodList)
			switch {
			case !ok:
				return c.List(ctx, list, opts...)
			case cache != nil:
				cache.listPods(pods)
			default:
				if err := c.List(ctx, pods, inNamespace(opts)); err != nil {
					return err
				}
			}
			keepPodsOf(pods, opts)
			return nil
		},
	})
}

func inNamespace(opts []client.ListOption) client.InNamespace {
	var o client.ListOptions
	o.ApplyOptions(opts)
	return client.InNamespace(o.Namespace)
}

// listUnfinished finds the Jobs that have not ended, as the cache's index does.
func (p *process) listUnfinished(ctx context.Context, c client.Client, jobs *batchv1.JobList, opts []client.ListOption) error {
	err := c.List(ctx, jobs, inNamespace(opts))
	jobs.Items = slices.DeleteFunc(jobs.Items, func(j batchv1.Job) bool { return decide.FinishedJob(&j) != nil })
	if p.crowded() {
		jobs.Items = append(jobs.Items, batchv1.Job{})
	}
	return err
}

// keepPodsOf finds pods by their owner, as the cache's index does.
func keepPodsOf(pods *corev1.PodList, opts []client.ListOption) {
	var o client.ListOptions
	o.ApplyOptions(opts)
	want, _ := o.FieldSelector.RequiresExactMatch("owner")
	pods.Items = slices.DeleteFunc(pods.Items, func(p corev1.Pod) bool {
		return p.Annotations[v1alpha1.OwnerAnnotation] != want || p.Labels[v1alpha1.ManagedByLabel] != v1alpha1.ManagedByValue
	})
}

// reconcile makes one call of a controller that has just been started, and says whether it was killed.
func reconcile(t *testing.T, p *process, at clock.PassiveClock, name client.ObjectKey) (killed bool) {
	t.Helper()
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(crash); !ok {
				panic(r)
			}
			killed = true
		}
	}()
	controller := &run.Reconciler[*v1alpha1.GcloudRun]{
		Client: p.client(p.cache), Live: p.client(nil), Logs: logs, Clock: at, Recorder: events.NewFakeRecorder(100),
		Kind: gcloudrun.Kind{Config: configv1alpha1.OperatorConfiguration{
			Gcloud: configv1alpha1.Gcloud{Image: "gcloud"}, NewObjects: p.newObjects, TTLAfterFinished: &metav1.Duration{Duration: time.Hour},
		}},
		Turns:       &run.Turns{Client: p.client(p.cache), Clock: at, Limit: p.limit},
		InlineBytes: 1000,
	}
	// An error is tried again, as the manager would.
	_, _ = controller.Reconcile(t.Context(), ctrl.Request{NamespacedName: name})
	return false
}
