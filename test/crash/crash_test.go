// SPDX-License-Identifier: Apache-2.0

package crash

import (
	"fmt"
	"maps"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

const (
	first  = "--project=first-project"
	second = "--project=second-project"
)

// path is a way through the life of a run: how commands end, and what people do meanwhile.
type path struct {
	name     string
	exitCode int
	stdout   int
	change   func(*v1alpha1.GcloudRun)
	// meanwhile is done once, when the resource's newest run has got that far.
	when      func(*v1alpha1.GcloudRun) bool
	meanwhile func(*testing.T, *v1alpha1.GcloudRun)
	// executed is how often each command may be executed at most, and exactly where it must be.
	executed map[string]int
	// unknown says that a command may be executed or not: somebody has interfered.
	unknown bool
	reasons []string // the last run's
	deleted bool
}

var paths = []path{
	{name: "a command succeeds", executed: map[string]int{first: 1}, reasons: []string{v1alpha1.ReasonSucceeded}},
	{name: "a command fails", exitCode: 1, executed: map[string]int{first: 1}, reasons: []string{v1alpha1.ReasonCommandFailed}},
	{name: "a command has input files", executed: map[string]int{first: 1}, reasons: []string{v1alpha1.ReasonSucceeded},
		change: func(g *v1alpha1.GcloudRun) {
			g.Spec.InputFiles = []v1alpha1.InputFile{{Path: "a/b", Contents: "c"}}
		}},
	{name: "a command prints more than the status holds", stdout: 2000, executed: map[string]int{first: 1}, reasons: []string{v1alpha1.ReasonSucceeded}},
	{name: "the output goes to a Secret", executed: map[string]int{first: 1}, reasons: []string{v1alpha1.ReasonSucceeded},
		change: func(g *v1alpha1.GcloudRun) { g.Spec.Output.SecretName = "output" }},
	{name: "the command is edited when it has ended", executed: map[string]int{first: 1, second: 1}, reasons: []string{v1alpha1.ReasonSucceeded},
		when: ended, meanwhile: edit},
	{name: "the command is edited while it runs", executed: map[string]int{first: 1, second: 1}, reasons: []string{v1alpha1.ReasonSucceeded},
		when: chosen, meanwhile: edit},
	{name: "the same is asked for again", executed: map[string]int{first: 2}, reasons: []string{v1alpha1.ReasonSucceeded},
		when: ended, meanwhile: func(t *testing.T, g *v1alpha1.GcloudRun) {
			patch(t, g, func() { metav1.SetMetaDataAnnotation(&g.ObjectMeta, v1alpha1.RequestedAtAnnotation, "now") })
		}},
	{name: "the Job is deleted before its pod is let go", executed: map[string]int{first: 1}, unknown: true,
		reasons: []string{v1alpha1.ReasonSucceeded, v1alpha1.ReasonNeverStarted, v1alpha1.ReasonResultLost, v1alpha1.ReasonUnschedulable},
		when:    queued, meanwhile: func(t *testing.T, g *v1alpha1.GcloudRun) { deleteAll(t, g, &batchv1.Job{}) }},
	{name: "the pod is deleted when it was chosen", executed: map[string]int{first: 1}, unknown: true,
		reasons: []string{v1alpha1.ReasonSucceeded, v1alpha1.ReasonNeverStarted, v1alpha1.ReasonResultLost, v1alpha1.ReasonUnschedulable},
		when:    chosen, meanwhile: func(t *testing.T, g *v1alpha1.GcloudRun) { deleteAll(t, g, &corev1.Pod{}) }},
	{name: "the resource is deleted while it runs", executed: map[string]int{first: 1}, unknown: true, deleted: true,
		when: chosen, meanwhile: func(t *testing.T, g *v1alpha1.GcloudRun) {
			if err := api.Delete(t.Context(), g); err != nil {
				t.Fatal(err)
			}
			deleteAll(t, g, &batchv1.Job{}) // as the garbage collector does
		}},
}

func queued(g *v1alpha1.GcloudRun) bool { return g.Status.Run != nil }
func chosen(g *v1alpha1.GcloudRun) bool { return g.Status.Run != nil && g.Status.Run.PodUID != "" }
func ended(g *v1alpha1.GcloudRun) bool  { return g.Status.Run.Ended() }

func edit(t *testing.T, g *v1alpha1.GcloudRun) {
	patch(t, g, func() { g.Spec.Command = "gcloud version " + second })
}

func patch(t *testing.T, g *v1alpha1.GcloudRun, change func()) {
	t.Helper()
	before := g.DeepCopy()
	change()
	if err := api.Patch(t.Context(), g, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
}

func deleteAll(t *testing.T, g *v1alpha1.GcloudRun, kind client.Object) {
	t.Helper()
	err := api.DeleteAllOf(t.Context(), kind, client.InNamespace(g.Namespace), client.PropagationPolicy(metav1.DeletePropagationBackground), client.GracePeriodSeconds(0))
	if err != nil {
		t.Fatal(err)
	}
}

// The cases are made by the writes themselves: a path is walked once to count them, then once for each
// write with a kill before it, and once with a kill after it. A new write is covered without an edit.
func TestTheControllerIsKilledAtEveryWriteOnEveryPath(t *testing.T) {
	cases := 0
	for _, p := range paths {
		whole := &killer{}
		t.Run(p.name, func(t *testing.T) { walk(t, p, whole) })
		for at := 1; at <= whole.writes; at++ {
			for _, after := range []bool{false, true} {
				cases++
				moment := map[bool]string{false: "before", true: "after"}[after]
				t.Run(fmt.Sprintf("%s, killed %s write %d (%s)", p.name, moment, at, whole.what[at-1]), func(t *testing.T) {
					walk(t, p, &killer{at: at, after: after})
				})
			}
		}
	}
	t.Logf("%d cases on %d paths", cases, len(paths))
}

// walk goes a path to its end with a controller that is killed, and started again.
func walk(t *testing.T, p path, k *killer) {
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "crash-"}}
	if err := api.Create(t.Context(), ns); err != nil {
		t.Fatal(err)
	}
	g := &v1alpha1.GcloudRun{ObjectMeta: metav1.ObjectMeta{Namespace: ns.Name, Name: "run"},
		Spec: v1alpha1.GcloudRunSpec{Project: "projects/my-project", Command: "gcloud version " + first}}
	if p.change != nil {
		p.change(g)
	}
	if err := api.Create(t.Context(), g); err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, namespace: ns.Name, exitCode: p.exitCode, stdout: p.stdout, executed: map[string]int{}}
	killed, acted, quiet := false, p.meanwhile == nil, 0
	for step := 0; quiet < 3; step++ {
		if step > 60 {
			t.Fatalf("it does not converge: %+v", g.Status.Run)
		}
		before := k.writes
		killed = reconcile(t, k, g) || killed
		there := read(t, g)
		if !acted && there && p.when(g) {
			p.meanwhile(t, g)
			acted = true
		}
		w.turn()
		quiet++
		if k.writes != before || !acted || there && !g.Status.Run.Ended() {
			quiet = 0
		}
	}
	if k.at > 0 && !killed && !p.unknown {
		t.Fatalf("there was no write %d to be killed at", k.at)
	}
	p.expect(t, g, w)
}

func read(t *testing.T, g *v1alpha1.GcloudRun) bool {
	t.Helper()
	err := api.Get(t.Context(), client.ObjectKeyFromObject(g), g)
	if err != nil && !apierrors.IsNotFound(err) {
		t.Fatal(err)
	}
	return err == nil
}

func (p path) expect(t *testing.T, g *v1alpha1.GcloudRun, w *world) {
	t.Helper()
	for command, n := range w.executed {
		if n > p.executed[command] {
			t.Errorf("%s was executed %d times, of %d", command, n, p.executed[command])
		}
	}
	if !p.unknown && !maps.Equal(w.executed, p.executed) {
		t.Errorf("executed were %v, want %v", w.executed, p.executed)
	}
	expectFree(t, g)
	if p.deleted {
		return
	}
	run := g.Status.Run
	known := false
	for _, reason := range p.reasons {
		known = known || run.Reason == reason
	}
	if !known {
		t.Errorf("the run ended with %s (%s), want one of %v", run.Reason, run.Message, p.reasons)
	}
	if run.Reason == v1alpha1.ReasonSucceeded && (g.Status.Response.Run != run.Number || g.Status.Response.StdoutInfo.Bytes != int64(w.stdout)) {
		t.Errorf("run %d has the response %+v", run.Number, g.Status.Response)
	}
	if run.Reason == v1alpha1.ReasonNeverStarted && w.executed[first] > 0 {
		t.Error("it is said never to have started, and was executed")
	}
}

// expectFree checks that no pod is held any more.
func expectFree(t *testing.T, g *v1alpha1.GcloudRun) {
	t.Helper()
	var pods corev1.PodList
	if err := api.List(t.Context(), &pods, client.InNamespace(g.Namespace)); err != nil {
		t.Fatal(err)
	}
	for _, pod := range pods.Items {
		if len(pod.Finalizers) > 0 {
			t.Errorf("pod %s is still held", pod.Name)
		}
	}
}
