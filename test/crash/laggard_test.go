// SPDX-License-Identifier: Apache-2.0

package crash

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/controllers/gcloudrun"
)

// The kinds that a controller has in its cache. Each has a stream of events of its own, and so lags on
// its own.
const (
	resources = iota
	jobs
	pods
	kinds
)

// history is all that there ever was of the cached kinds in one namespace.
type history struct {
	t         *testing.T
	namespace string
	versions  [kinds][][]client.Object // the oldest first; objects in the order in which they appeared
	seen      map[types.UID]int        // the order
}

func newHistory(t *testing.T, namespace string) *history {
	h := &history{t: t, namespace: namespace, seen: map[types.UID]int{}}
	for kind := range h.versions {
		h.versions[kind] = [][]client.Object{nil}
		h.look(kind)
	}
	return h
}

// look remembers what the API server has of the kind, if it has changed.
func (h *history) look(kind int) {
	h.t.Helper()
	list := []client.ObjectList{&v1alpha1.GcloudRunList{}, &batchv1.JobList{}, &corev1.PodList{}}[kind]
	if err := api.List(h.t.Context(), list, client.InNamespace(h.namespace)); err != nil {
		h.t.Fatal(err)
	}
	var objects []client.Object
	_ = meta.EachListItem(list, func(o runtime.Object) error {
		objects = append(objects, o.(client.Object))
		return nil
	})
	h.remember(kind, objects)
}

func (h *history) remember(kind int, objects []client.Object) {
	slices.SortFunc(objects, func(a, b client.Object) int { return cmp.Compare(version(a), version(b)) })
	for _, o := range objects {
		if _, ok := h.seen[o.GetUID()]; !ok {
			h.seen[o.GetUID()] = len(h.seen)
		}
		if g, ok := o.(*v1alpha1.GcloudRun); ok {
			gcloudrun.Kind{}.Forget(g)
		}
	}
	slices.SortFunc(objects, func(a, b client.Object) int { return cmp.Compare(h.seen[a.GetUID()], h.seen[b.GetUID()]) })
	same := func(a, b client.Object) bool {
		return a.GetUID() == b.GetUID() && a.GetResourceVersion() == b.GetResourceVersion()
	}
	if all := h.versions[kind]; !slices.EqualFunc(all[len(all)-1], objects, same) {
		h.versions[kind] = append(all, objects)
	}
}

func version(o client.Object) int {
	v, _ := strconv.Atoi(o.GetResourceVersion())
	return v
}

// laggard is a cache that is behind by any number of versions, of each kind another. It never goes
// back.
type laggard struct {
	history *history
	rand    *rand.Rand
	at      [kinds]int
	idle    [kinds]float64 // the odds that a look finds nothing new
}

// newLaggard returns the cache of a process that has just been started: it may have been filled by an
// API server that lags itself.
func newLaggard(h *history, random *rand.Rand) *laggard {
	c := &laggard{history: h, rand: random}
	for kind, versions := range h.versions {
		c.at[kind] = random.IntN(len(versions))
		c.idle[kind] = []float64{0, 0.5, 0.9, 0.98}[random.IntN(4)]
	}
	return c
}

// look returns the objects of the kind that the cache has by now.
func (c *laggard) look(kind int) []client.Object {
	versions := c.history.versions[kind]
	if c.rand.Float64() >= c.idle[kind] {
		c.at[kind] += c.rand.IntN(len(versions) - c.at[kind])
	}
	return versions[c.at[kind]]
}

func (c *laggard) catchUp() {
	for kind, versions := range c.history.versions {
		c.at[kind] = len(versions) - 1
	}
}

func (c *laggard) get(kind int, key client.ObjectKey, into client.Object) error {
	for _, o := range c.look(kind) {
		if o.GetName() == key.Name {
			copyInto(o, into)
			return nil
		}
	}
	return apierrors.NewNotFound(schema.GroupResource{Resource: fmt.Sprintf("%T", into)}, key.Name)
}

func (c *laggard) listPods(into *corev1.PodList) {
	for _, o := range c.look(pods) {
		into.Items = append(into.Items, *o.(*corev1.Pod).DeepCopy())
	}
}

// kindOf returns the object's kind, if it is one that is cached.
func kindOf(o client.Object) (kind int, ok bool) {
	switch o.(type) {
	case *v1alpha1.GcloudRun:
		return resources, true
	case *batchv1.Job:
		return jobs, true
	case *corev1.Pod:
		return pods, true
	}
	return 0, false
}

func copyInto(o, into client.Object) {
	switch into := into.(type) {
	case *v1alpha1.GcloudRun:
		o.(*v1alpha1.GcloudRun).DeepCopyInto(into)
	case *batchv1.Job:
		o.(*batchv1.Job).DeepCopyInto(into)
	}
}
