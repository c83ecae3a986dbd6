// SPDX-License-Identifier: Apache-2.0

package crash

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"

	configv1alpha1 "github.com/gcloud-operator/gcloud-operator/api/config/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/result"
	"github.com/gcloud-operator/gcloud-operator/test/judges"
)

const (
	first  = "--project=first-project"
	second = "--project=second-project"
	// refused is a command that the rules refuse.
	refused = "gcloud nonsense"
)

// path is a way through the life of a run: how commands end, and what people do meanwhile.
type path struct {
	name     string
	exitCode int
	ends     result.Reason // how commands end that aren't stopped; Exited unless it is set
	endless  bool          // commands run until they are stopped
	tardy    bool          // the first pod is stopped before its command has started
	podless  bool          // no pod is made for any Job
	stdout   int
	// newObjects says how the operator is configured.
	newObjects configv1alpha1.NewObjects
	crowded    bool // another run is under way until meanwhile is done, and one at a time may be
	queue      bool // the first Job is suspended when it is made, until somebody resumes it
	change     func(*v1alpha1.GcloudRun)
	// meanwhile is done once, when the resource's newest run has got that far.
	when      func(*v1alpha1.GcloudRun) bool
	meanwhile func(*testing.T, *v1alpha1.GcloudRun)
	// executed is how often each command is executed, perhaps how often it may be, or not, because
	// somebody interferes.
	executed, perhaps map[string]int
	reasons           []string // the last run's
	deleted           bool
}

var paths = []path{
	{name: "a command succeeds", executed: map[string]int{first: 1}, reasons: []string{v1alpha1.ReasonSucceeded}},
	{name: "a command fails", exitCode: 1, executed: map[string]int{first: 1}, reasons: []string{v1alpha1.ReasonCommandFailed}},
	{name: "a command takes too long", ends: result.TimedOut, exitCode: 130, executed: map[string]int{first: 1}, reasons: []string{v1alpha1.ReasonTimedOut}},
	{name: "a command has input files", executed: map[string]int{first: 1}, reasons: []string{v1alpha1.ReasonSucceeded},
		change: func(g *v1alpha1.GcloudRun) {
			g.Spec.InputFiles = []v1alpha1.InputFile{{Path: "a/b", Contents: "c"}}
		}},
	{name: "a command prints more than the status holds", stdout: 2000, executed: map[string]int{first: 1}, reasons: []string{v1alpha1.ReasonSucceeded}},
	{name: "the output goes to a Secret", executed: map[string]int{first: 1}, reasons: []string{v1alpha1.ReasonSucceeded},
		change: func(g *v1alpha1.GcloudRun) { g.Spec.Output.SecretName = "output" }},
	{name: "a run never starts, and is tried again", tardy: true, executed: map[string]int{first: 1}, reasons: []string{v1alpha1.ReasonSucceeded}},
	{name: "no pod is made, and the run is given up", podless: true, reasons: []string{v1alpha1.ReasonPodRejected},
		change: func(g *v1alpha1.GcloudRun) { g.Spec.Retry.Limit = new(int32(0)) }},
	{name: "a command fails that may be repeated", exitCode: 1, executed: map[string]int{first: 2}, reasons: []string{v1alpha1.ReasonCommandFailed},
		change: func(g *v1alpha1.GcloudRun) {
			g.Spec.Retry = v1alpha1.CommandRetry{Retry: v1alpha1.Retry{Limit: new(int32(1))}, Reasons: []string{v1alpha1.ReasonCommandFailed}}
		}},
	{name: "the command is edited when it has ended", executed: map[string]int{first: 1, second: 1}, reasons: []string{v1alpha1.ReasonSucceeded},
		when: hasEnded, meanwhile: edit},
	{name: "the command is edited when its pod is chosen", executed: map[string]int{second: 1}, perhaps: map[string]int{first: 1}, reasons: []string{v1alpha1.ReasonSucceeded},
		when: chosen, meanwhile: edit},
	{name: "the command is edited when it is queued", executed: map[string]int{second: 1}, perhaps: map[string]int{first: 1}, reasons: []string{v1alpha1.ReasonSucceeded},
		when: queued, meanwhile: edit},
	{name: "the command is edited when its output is in a Secret", executed: map[string]int{first: 1, second: 1}, reasons: []string{v1alpha1.ReasonSucceeded},
		change: func(g *v1alpha1.GcloudRun) { g.Spec.Output.SecretName = "output" }, when: hasEnded, meanwhile: edit},
	{name: "the same is asked for again", executed: map[string]int{first: 2}, reasons: []string{v1alpha1.ReasonSucceeded},
		when: hasEnded, meanwhile: annotate(v1alpha1.RequestedAtAnnotation, "now")},
	{name: "the same is asked for again, and prints more than the status holds", stdout: 2000, executed: map[string]int{first: 2}, reasons: []string{v1alpha1.ReasonSucceeded},
		when: hasEnded, meanwhile: annotate(v1alpha1.RequestedAtAnnotation, "now")},
	{name: "the command is edited with its input files, and prints more than the status holds", stdout: 2000, executed: map[string]int{first: 1, second: 1}, reasons: []string{v1alpha1.ReasonSucceeded},
		change: func(g *v1alpha1.GcloudRun) {
			g.Spec.InputFiles = []v1alpha1.InputFile{{Path: "a/b", Contents: "c"}}
		},
		when: hasEnded, meanwhile: func(t *testing.T, g *v1alpha1.GcloudRun) {
			patch(t, g, func() {
				g.Spec.Command = "gcloud version " + second
				g.Spec.InputFiles[0].Contents = "d"
			})
		}},
	{name: "the run is cancelled when it is queued", endless: true, perhaps: map[string]int{first: 1}, reasons: []string{v1alpha1.ReasonCancelled},
		when: queued, meanwhile: annotate(v1alpha1.CancelRunAnnotation, "1")},
	{name: "the run is cancelled when its pod is chosen", endless: true, perhaps: map[string]int{first: 1}, reasons: []string{v1alpha1.ReasonCancelled},
		when: chosen, meanwhile: annotate(v1alpha1.CancelRunAnnotation, "1")},
	{name: "the run is cancelled while its command runs", endless: true, executed: map[string]int{first: 1}, reasons: []string{v1alpha1.ReasonCancelled},
		when: runs, meanwhile: annotate(v1alpha1.CancelRunAnnotation, "1")},
	{name: "the run is cancelled before another attempt", tardy: true, reasons: []string{v1alpha1.ReasonCancelled},
		when: hasEnded, meanwhile: annotate(v1alpha1.CancelRunAnnotation, "1")},
	{name: "the Job is deleted before its pod is let go", perhaps: map[string]int{first: 1}, reasons: interfered,
		when: queued, meanwhile: func(t *testing.T, g *v1alpha1.GcloudRun) { deleteAll(t, g, &batchv1.Job{}) }},
	{name: "the Job is deleted when its pod is chosen", perhaps: map[string]int{first: 1}, reasons: interfered,
		when: chosen, meanwhile: func(t *testing.T, g *v1alpha1.GcloudRun) { deleteAll(t, g, &batchv1.Job{}) }},
	{name: "the Job is deleted while the command runs", endless: true, executed: map[string]int{first: 1}, reasons: []string{v1alpha1.ReasonTerminated},
		when: runs, meanwhile: func(t *testing.T, g *v1alpha1.GcloudRun) { deleteAll(t, g, &batchv1.Job{}) }},
	{name: "the pod is deleted when it was chosen", perhaps: map[string]int{first: 1}, reasons: interfered,
		when: chosen, meanwhile: func(t *testing.T, g *v1alpha1.GcloudRun) { deleteAll(t, g, &corev1.Pod{}) }},
	{name: "the pod loses its labels while its command runs", executed: map[string]int{first: 1}, reasons: []string{v1alpha1.ReasonSucceeded},
		when: runs, meanwhile: stripLabels},
	{name: "the pod is deleted while its command runs", endless: true, executed: map[string]int{first: 1}, reasons: []string{v1alpha1.ReasonTerminated},
		when: runs, meanwhile: func(t *testing.T, g *v1alpha1.GcloudRun) { deleteAll(t, g, &corev1.Pod{}) }},
	{name: "the resource is deleted while its command runs", endless: true, executed: map[string]int{first: 1}, deleted: true,
		when: runs, meanwhile: deleteResource},
	{name: "the resource is deleted when its pod is chosen", perhaps: map[string]int{first: 1}, deleted: true,
		when: chosen, meanwhile: deleteResource},
	{name: "a suspended resource is resumed", executed: map[string]int{first: 1}, reasons: []string{v1alpha1.ReasonSucceeded},
		change: func(g *v1alpha1.GcloudRun) { g.Spec.Suspend = true },
		when:   because(v1alpha1.ReasonSuspended), meanwhile: func(t *testing.T, g *v1alpha1.GcloudRun) {
			patch(t, g, func() { g.Spec.Suspend = false })
		}},
	{name: "a run waits for its turn", crowded: true, executed: map[string]int{first: 1}, reasons: []string{v1alpha1.ReasonSucceeded},
		when: because(v1alpha1.ReasonQueued), meanwhile: func(*testing.T, *v1alpha1.GcloudRun) {}},
	{name: "a run that waits for its turn is edited", crowded: true, executed: map[string]int{second: 1}, reasons: []string{v1alpha1.ReasonSucceeded},
		when: because(v1alpha1.ReasonQueued), meanwhile: edit},
	{name: "a run that waits for its turn is cancelled", crowded: true, reasons: []string{v1alpha1.ReasonCancelled},
		when: because(v1alpha1.ReasonQueued), meanwhile: annotate(v1alpha1.CancelRunAnnotation, "1")},
	{name: "a resource that is held is asked for", newObjects: configv1alpha1.Hold, executed: map[string]int{first: 1}, reasons: []string{v1alpha1.ReasonSucceeded},
		when: because(v1alpha1.ReasonHeld), meanwhile: annotate(v1alpha1.RequestedAtAnnotation, "now")},
	{name: "the resource is suspended between two attempts", tardy: true, reasons: []string{v1alpha1.ReasonNeverStarted},
		when: hasEnded, meanwhile: func(t *testing.T, g *v1alpha1.GcloudRun) {
			patch(t, g, func() { g.Spec.Suspend = true })
		}},
	{name: "the command is edited and suspended when it has ended", executed: map[string]int{first: 1}, reasons: []string{v1alpha1.ReasonSucceeded},
		when: hasEnded, meanwhile: func(t *testing.T, g *v1alpha1.GcloudRun) {
			patch(t, g, func() { g.Spec.Command, g.Spec.Suspend = "gcloud version "+second, true })
		}},
	{name: "a command that is refused is corrected", executed: map[string]int{second: 1}, reasons: []string{v1alpha1.ReasonSucceeded},
		change: func(g *v1alpha1.GcloudRun) { g.Spec.Command = refused },
		when:   because(v1alpha1.ReasonInvalidSpec), meanwhile: edit},
	{name: "the command is edited into one that is refused", executed: map[string]int{first: 1}, reasons: []string{v1alpha1.ReasonSucceeded},
		when: hasEnded, meanwhile: func(t *testing.T, g *v1alpha1.GcloudRun) {
			patch(t, g, func() { g.Spec.Command = refused })
		}},
	{name: "a queue suspends the Job, and resumes it", queue: true, executed: map[string]int{first: 1}, reasons: []string{v1alpha1.ReasonSucceeded},
		when: because(v1alpha1.ReasonJobSuspended), meanwhile: suspendJobs(false)},
	{name: "a run whose Job is suspended is edited", queue: true, executed: map[string]int{second: 1}, reasons: []string{v1alpha1.ReasonSucceeded},
		when: because(v1alpha1.ReasonJobSuspended), meanwhile: func(t *testing.T, g *v1alpha1.GcloudRun) {
			edit(t, g)
			suspendJobs(false)(t, g)
		}},
	{name: "a run whose Job is suspended is cancelled", queue: true, reasons: []string{v1alpha1.ReasonCancelled},
		when: because(v1alpha1.ReasonJobSuspended), meanwhile: annotate(v1alpha1.CancelRunAnnotation, "1")},
	{name: "a queue takes the Job back when its pod is chosen", perhaps: map[string]int{first: 1}, reasons: interfered,
		when: chosen, meanwhile: suspendJobs(true)},
	// A controller whose cache doesn't know of the suspension sees only that somebody deleted the pod.
	{name: "a queue takes the Job back while its command runs", endless: true, executed: map[string]int{first: 1}, reasons: []string{v1alpha1.ReasonEvicted, v1alpha1.ReasonTerminated},
		when: runs, meanwhile: suspendJobs(true)},
}

// limit is how many runs may be under way at a time; 0 for as many as there are.
func (p path) limit() int {
	if p.crowded {
		return 1
	}
	return 0
}

// interfered are the ends of a run that somebody interferes with before its command has started: it is
// tried again, or nobody can know.
var interfered = []string{v1alpha1.ReasonSucceeded, v1alpha1.ReasonResultLost, v1alpha1.ReasonTerminated}

func queued(g *v1alpha1.GcloudRun) bool   { return g.Status.Run != nil }
func chosen(g *v1alpha1.GcloudRun) bool   { return g.Status.Run != nil && g.Status.Run.PodUID != "" }
func runs(g *v1alpha1.GcloudRun) bool     { return g.Status.Run != nil && g.Status.Run.StartTime != nil }
func hasEnded(g *v1alpha1.GcloudRun) bool { return g.Status.Run.Ended() }

func stripLabels(t *testing.T, g *v1alpha1.GcloudRun) {
	t.Helper()
	var pods corev1.PodList
	if err := api.List(t.Context(), &pods, client.InNamespace(g.Namespace)); err != nil {
		t.Fatal(err)
	}
	for i := range pods.Items {
		before := pods.Items[i].DeepCopy()
		pods.Items[i].Labels = nil
		if err := api.Patch(t.Context(), &pods.Items[i], client.MergeFrom(before)); err != nil {
			t.Fatal(err)
		}
	}
}

// suspendJobs does what a queue does to the Jobs that there are.
func suspendJobs(suspend bool) func(*testing.T, *v1alpha1.GcloudRun) {
	return func(t *testing.T, g *v1alpha1.GcloudRun) {
		t.Helper()
		var jobs batchv1.JobList
		if err := api.List(t.Context(), &jobs, client.InNamespace(g.Namespace)); err != nil {
			t.Fatal(err)
		}
		for i := range jobs.Items {
			if err := suspendJob(t.Context(), &jobs.Items[i], suspend); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func suspendJob(ctx context.Context, job *batchv1.Job, suspend bool) error {
	before := job.DeepCopy()
	job.Spec.Suspend = &suspend
	return api.Patch(ctx, job, client.MergeFrom(before))
}

func deleteResource(t *testing.T, g *v1alpha1.GcloudRun) {
	t.Helper()
	if err := api.Delete(t.Context(), g); err != nil {
		t.Fatal(err)
	}
}

func annotate(name, value string) func(*testing.T, *v1alpha1.GcloudRun) {
	return func(t *testing.T, g *v1alpha1.GcloudRun) {
		t.Helper()
		patch(t, g, func() { metav1.SetMetaDataAnnotation(&g.ObjectMeta, name, value) })
	}
}

// because is for a resource that is ready or not for the reason.
func because(reason string) func(*v1alpha1.GcloudRun) bool {
	return func(g *v1alpha1.GcloudRun) bool {
		c := meta.FindStatusCondition(g.Status.Conditions, v1alpha1.ConditionReady)
		return c != nil && c.Reason == reason
	}
}

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
	var cases atomic.Int64
	t.Cleanup(func() {
		t.Logf("%d cases on %d paths", cases.Load(), len(paths))
		expectJudged(t)
	})
	for _, p := range paths {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			whole := &killer{}
			walk(t, p, whole)
			cases.Add(int64(2 * whole.writes))
			for at := 1; at <= whole.writes; at++ {
				for _, after := range []bool{false, true} {
					moment := map[bool]string{false: "before", true: "after"}[after]
					t.Run(fmt.Sprintf("killed %s write %d (%s)", moment, at, whole.what[at-1]), func(t *testing.T) {
						t.Parallel()
						walk(t, p, &killer{at: at, after: after})
					})
				}
			}
		})
	}
}

// expectJudged checks that every verdict was asked for.
func expectJudged(t *testing.T) {
	t.Helper()
	for _, verdict := range []judges.Verdict{judges.UnderWay, judges.Succeeded, judges.Failed, judges.Waits} {
		t.Logf("judged %d times: %+v", judged.count(verdict), verdict)
		if judged.count(verdict) == 0 {
			t.Error("no path leads there")
		}
	}
}

// begin makes the path's resource, in a world of its own.
func begin(t *testing.T, p path) (*v1alpha1.GcloudRun, *world) {
	t.Helper()
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
	return g, &world{
		t: t, namespace: ns.Name, clock: clocktesting.NewFakePassiveClock(time.Now()), executed: map[string]int{}, attempts: map[string]int{},
		exitCode: p.exitCode, careless: p.deleted, stdout: p.stdout, endless: p.endless, tardy: p.tardy, podless: p.podless, queue: p.queue, ends: cmp.Or(p.ends, result.Exited),
		changed: func(int) {},
	}
}

// walk goes a path to its end with a controller that is killed, and started again. It returns the resource
// as it is then.
func walk(t *testing.T, p path, k *killer) *v1alpha1.GcloudRun {
	t.Helper()
	g, w := begin(t, p)
	b := &bench{t: t, key: client.ObjectKeyFromObject(g), kubectl: k.at == 0, holds: p.newObjects == configv1alpha1.Hold}
	k.wrote = b.judge
	killed, acted, quiet := false, p.meanwhile == nil, 0
	controller := &process{write: k.write, call: func() {}, newObjects: p.newObjects, limit: p.limit(), crowded: func() bool { return p.crowded && !acted }}
	b.judge()
	for step := 0; quiet < 3; step++ {
		if step > 60 {
			t.Fatalf("it does not converge: %+v", g.Status.Run)
		}
		before := k.writes
		killed = reconcile(t, controller, w.clock, client.ObjectKeyFromObject(g)) || killed
		there := read(t, g)
		if !acted && there && p.when(g) {
			p.meanwhile(t, g)
			b.judge()
			acted = true
		}
		w.turn()
		w.clock.SetTime(w.clock.Now().Add(4 * time.Second))
		quiet++
		if k.writes != before || !acted || there && !settled(g) {
			quiet = 0
		}
	}
	if k.at > 0 && !killed && len(p.perhaps) == 0 {
		t.Fatalf("there was no write %d to be killed at", k.at)
	}
	p.expect(t, g, w)
	return g
}

// settled says whether the resource's newest run has ended, and no other attempt is to come, or somebody
// is waited for.
func settled(g *v1alpha1.GcloudRun) bool {
	finished := meta.IsStatusConditionTrue(g.Status.Conditions, v1alpha1.ConditionFinished)
	return g.Status.ObservedGeneration == g.Generation && (finished || because(v1alpha1.ReasonSuspended)(g))
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
	for _, command := range []string{first, second} {
		least, most := p.executed[command], p.executed[command]+p.perhaps[command]
		if n := w.executed[command]; n < least || n > most {
			t.Errorf("%s was executed %d times, want from %d to %d", command, n, least, most)
		}
	}
	expectFree(t, g)
	if p.podless {
		expectNoJob(t, g)
	}
	if p.deleted {
		return
	}
	run := g.Status.Run
	if !slices.Contains(p.reasons, run.Reason) {
		t.Errorf("the run ended with %s (%s), want one of %v", run.Reason, run.Message, p.reasons)
	}
	if run.Reason == v1alpha1.ReasonSucceeded && (g.Status.Response.Run != run.Number || g.Status.Response.StdoutInfo.Bytes != int64(w.stdout)) {
		t.Errorf("run %d has the response %+v", run.Number, g.Status.Response)
	}
	if g.Status.History[0].Reason != run.Reason && run.Reason != v1alpha1.ReasonCancelled {
		t.Errorf("the history begins with %+v", g.Status.History[0])
	}
	expectSwept(t, g, w.rivals)
}

// expectSwept checks that of the ConfigMaps those of the newest run are there, and no other. Where there are
// rivals, one that was late may have made output that the other's run needs no more: the next run's end
// sweeps it.
func expectSwept(t *testing.T, g *v1alpha1.GcloudRun, rivals bool) {
	t.Helper()
	var maps corev1.ConfigMapList
	if err := api.List(t.Context(), &maps, client.InNamespace(g.Namespace), client.HasLabels{v1alpha1.OwnerUIDLabel}); err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	for _, m := range maps.Items {
		there[m.Name] = true
		if run := m.Annotations[v1alpha1.RunAnnotation]; !rivals && run != strconv.FormatInt(g.Status.Run.Number, 10) {
			t.Errorf("ConfigMap %s of run %s is still there after run %d", m.Name, run, g.Status.Run.Number)
		}
	}
	if g.Status.Response == nil {
		return
	}
	for _, part := range g.Status.Response.StdoutInfo.ConfigMaps {
		if !there[part.Name] {
			t.Errorf("ConfigMap %s is gone, although the status refers to it", part.Name)
		}
	}
}

// expectNoJob checks that no Job is left, which nobody would ever delete while it has no pod.
func expectNoJob(t *testing.T, g *v1alpha1.GcloudRun) {
	t.Helper()
	var jobs batchv1.JobList
	if err := api.List(t.Context(), &jobs, client.InNamespace(g.Namespace)); err != nil {
		t.Fatal(err)
	}
	for _, job := range jobs.Items {
		t.Errorf("Job %s is still there", job.Name)
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
		if len(pod.Spec.SchedulingGates) > 0 && pod.DeletionTimestamp == nil {
			t.Errorf("pod %s waits for ever to be let go", pod.Name)
		}
	}
}
