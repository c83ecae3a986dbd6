// SPDX-License-Identifier: Apache-2.0

package crash

import (
	"io"
	"strings"
	"sync"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/test/judges"
)

// judged counts the points at which a resource was judged, by what was true.
var judged tally

type tally struct {
	sync.Mutex
	counts map[judges.Verdict]int
}

func (t *tally) add(v judges.Verdict) {
	t.Lock()
	defer t.Unlock()
	if t.counts == nil {
		t.counts = map[judges.Verdict]int{}
	}
	t.counts[v]++
}

func (t *tally) count(v judges.Verdict) int {
	t.Lock()
	defer t.Unlock()
	return t.counts[v]
}

var load = sync.OnceValues(func() (*judges.Judges, error) { return judges.Load("../../config") })

// bench lets all judges judge a resource whenever it has changed, and compares with what is true.
type bench struct {
	t       *testing.T
	key     types.NamespacedName
	kubectl bool // ask the real kubectl too, which takes its time
	holds   bool // the operator holds what is new
	version string
}

func (b *bench) judge() {
	b.t.Helper()
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(v1alpha1.SchemeGroupVersion.WithKind("GcloudRun"))
	err := api.Get(b.t.Context(), b.key, object)
	if apierrors.IsNotFound(err) || err == nil && object.GetResourceVersion() == b.version {
		return
	}
	if err != nil {
		b.t.Fatal(err)
	}
	b.version = object.GetResourceVersion()
	var g v1alpha1.GcloudRun
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &g); err != nil {
		b.t.Fatal(err)
	}
	want := b.truth(&g)
	judged.add(want)
	all, err := load()
	if err != nil {
		b.t.Fatal(err)
	}
	got, err := all.Judge(object)
	if err != nil {
		b.t.Fatal(err)
	}
	if g.Status.ObservedGeneration == g.Generation && isAskedForAgain(&g) {
		// An annotation asks for another run, and the controller hasn't seen it: conditions tell of the
		// run before, and kstatus and kubectl read nothing else.
		want.Kstatus = got.Kstatus
	} else if b.kubectl {
		b.wait("Ready", want == judges.Succeeded)
		b.wait("Finished", want == judges.Succeeded || want == judges.Failed)
	}
	if got != want {
		b.t.Errorf("the judges say %+v, want %+v, of generation %d, annotations %v, status %+v", got, want, g.Generation, g.Annotations, g.Status.RunStatus)
	}
}

// truth is what the judges should say, by what the resource asks for and what was run.
func (b *bench) truth(g *v1alpha1.GcloudRun) judges.Verdict {
	run := g.Status.Run
	isNewest := run != nil && "gcloud version "+g.Status.Argv[len(g.Status.Argv)-1] == g.Spec.Command && !isAskedForAgain(g)
	ended := run.Ended() && run.RetryTime == nil
	switch {
	case g.Status.ObservedGeneration != g.Generation, run != nil && !run.Ended():
		return judges.UnderWay
	case isNewest && ended && run.Reason == v1alpha1.ReasonSucceeded:
		return judges.Succeeded
	case isNewest && ended, g.Spec.Command == refused:
		return judges.Failed
	case g.Spec.Suspend, b.holds && run == nil && !isAskedForAgain(g):
		return judges.Waits
	}
	return judges.UnderWay
}

func isAskedForAgain(g *v1alpha1.GcloudRun) bool {
	asked := g.Annotations[v1alpha1.RequestedAtAnnotation]
	return asked != "" && asked != g.Status.LastHandledRequest
}

// wait asks kubectl whether the condition is met now.
func (b *bench) wait(condition string, want bool) {
	b.t.Helper()
	_, stderr, err := kubectl("wait", "--for=condition="+condition, "--timeout=0", "-n", b.key.Namespace, "gcloudrun/"+b.key.Name)
	message, readErr := io.ReadAll(stderr)
	if readErr != nil || err != nil && !strings.Contains(string(message), "condition not met") {
		b.t.Fatalf("kubectl wait: %v, %s", err, message)
	}
	if met := err == nil; met != want {
		b.t.Errorf("kubectl wait --for=condition=%s: met is %t, want %t", condition, met, want)
	}
}
