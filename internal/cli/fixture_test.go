// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"context"
	"os"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

var noon = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

// builder makes GcloudRuns as a cluster has them.
type builder struct{ *v1alpha1.GcloudRun }

// made is a resource that nobody has looked at yet.
func made(name string) builder {
	return builder{&v1alpha1.GcloudRun{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name, Generation: 1, CreationTimestamp: metav1.NewTime(noon)},
		Spec:       v1alpha1.GcloudRunSpec{Project: "projects/my-project", Command: "gcloud projects list --project=my-project"},
		Status:     v1alpha1.GcloudRunStatus{RunStatus: v1alpha1.RunStatus{ObservedGeneration: -1}},
	}}
}

// run gives it a run of that number.
func (b builder) run(number int64, podName string) builder {
	b.Status.Run = &v1alpha1.Run{Number: number, Attempt: 1, PodName: podName}
	return b
}

// says sets the conditions for a state of the reason.
func (b builder) says(reason, message string, finished bool) builder {
	b.Status.ObservedGeneration = b.Generation
	value := map[bool]metav1.ConditionStatus{true: metav1.ConditionTrue, false: metav1.ConditionFalse}
	for kind, is := range map[string]bool{
		v1alpha1.ConditionReady: finished && reason == v1alpha1.ReasonSucceeded, v1alpha1.ConditionFinished: finished,
		v1alpha1.ConditionReconciling: !finished,
	} {
		meta.SetStatusCondition(&b.Status.Conditions, metav1.Condition{Type: kind, Status: value[is], Reason: reason, Message: message, ObservedGeneration: b.Generation})
	}
	return b
}

func (b builder) pending() builder { return b.says(v1alpha1.ReasonPending, "The pod was made", false) }
func (b builder) running() builder { return b.says(v1alpha1.ReasonRunning, "It runs", false) }

// ended says that its run ended for the reason, with the exit code.
func (b builder) ended(reason string, code int64) builder {
	b.Status.Run.Reason, b.Status.Run.Message = reason, "the message"
	b.Status.Response = &v1alpha1.Response{Run: b.Status.Run.Number, ExitCode: &code}
	return b.says(reason, "the message", true)
}

// printed says what its run has printed.
func (b builder) printed(stdout, stderr string) builder {
	r := b.Status.Response
	r.Stdout, r.StdoutInfo = stdout, stored(stdout)
	r.Stderr, r.StderrInfo = stderr, stored(stderr)
	return b
}

func stored(text string) v1alpha1.Stored {
	return v1alpha1.Stored{Bytes: int64(len(text)), SHA256: sha256Of([]byte(text))}
}

// world is a session with a cluster that a test plays.
type world struct {
	*session
	out, err bytes.Buffer
	events   *watch.FakeWatcher
	signals  chan os.Signal
	ctx      context.Context
	getFails error
	patches  func() // called before a patch
}

func newWorld(t *testing.T, objects ...client.Object) *world {
	t.Helper()
	w := &world{events: watch.NewFake(), signals: make(chan os.Signal)}
	ctx, interrupt := watchInterrupts(t.Context(), w.signals)
	streams := Streams{Out: &w.out, Err: &w.err}
	w.ctx = ctx
	w.session = &session{
		Streams: streams, namespace: "team", now: func() time.Time { return noon }, interrupt: interrupt, screen: newScreen(streams),
		client: fake.NewClientBuilder().WithScheme(scheme()).WithObjects(objects...).WithInterceptorFuncs(interceptor.Funcs{
			Watch: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) (watch.Interface, error) {
				return w.events, nil
			},
			Patch: func(ctx context.Context, c client.WithWatch, o client.Object, patch client.Patch, opts ...client.PatchOption) error {
				if w.patches != nil {
					w.patches()
				}
				if ctx.Err() != nil {
					return ctx.Err()
				}
				return c.Patch(ctx, o, patch, opts...)
			},
			Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
				if w.getFails != nil {
					return w.getFails
				}
				return c.Get(ctx, key, o, opts...)
			},
		}).Build(),
	}
	t.Cleanup(func() { close(w.signals) })
	return w
}

// there returns the resource as the cluster has it, or nil.
func (w *world) there(t *testing.T, name string) *v1alpha1.GcloudRun {
	t.Helper()
	g := &v1alpha1.GcloudRun{}
	err := w.client.Get(t.Context(), client.ObjectKey{Namespace: w.namespace, Name: name}, g)
	if client.IgnoreNotFound(err) != nil {
		t.Fatal(err)
	}
	if err != nil {
		return nil
	}
	return g
}
