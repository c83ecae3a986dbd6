// SPDX-License-Identifier: Apache-2.0

package envtest

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/jobspec"
)

const patience = time.Minute

// gcloudRun returns a resource in a namespace of its own.
func gcloudRun(t *testing.T) *v1alpha1.GcloudRun {
	t.Helper()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "test-"}}
	if err := cluster.Create(t.Context(), ns); err != nil {
		t.Fatal(err)
	}
	return &v1alpha1.GcloudRun{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns.Name, Name: "run"},
		Spec:       v1alpha1.GcloudRunSpec{Project: "projects/my-project", Command: "gcloud version --project=my-project"},
	}
}

func apply(t *testing.T, g *v1alpha1.GcloudRun) *v1alpha1.GcloudRun {
	t.Helper()
	if err := cluster.Create(t.Context(), g); err != nil {
		t.Fatal(err)
	}
	return g
}

// edit changes the resource as it is now.
func edit(t *testing.T, g *v1alpha1.GcloudRun, change func()) {
	t.Helper()
	eventually(t, "the edit goes through", func() bool {
		read(t, g)
		change()
		return cluster.Update(t.Context(), g) == nil
	})
}

func read(t *testing.T, g *v1alpha1.GcloudRun) {
	t.Helper()
	if err := cluster.Get(t.Context(), client.ObjectKeyFromObject(g), g); err != nil {
		t.Fatal(err)
	}
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatalf("waited %s in vain: %s", patience, what)
}

// finished waits until the run of that number has ended.
func finished(t *testing.T, g *v1alpha1.GcloudRun, number int64) *v1alpha1.GcloudRun {
	t.Helper()
	eventually(t, "the run ends", func() bool {
		read(t, g)
		return g.Status.Run.Ended() && g.Status.Run.Number == number && g.Status.ObservedGeneration == g.Generation
	})
	return g
}

// settled is finished, and then some: nothing more may happen.
func settled(t *testing.T, g *v1alpha1.GcloudRun, number int64) *v1alpha1.GcloudRun {
	t.Helper()
	finished(t, g, number)
	time.Sleep(300 * time.Millisecond)
	read(t, g)
	if g.Status.Run.Number != number {
		t.Fatalf("run %d began, of which there should be %d", g.Status.Run.Number, number)
	}
	return g
}

func expectRan(t *testing.T, g *v1alpha1.GcloudRun, want map[string]int) {
	t.Helper()
	if got := played.Ran.Of(g); !maps.Equal(got, want) {
		t.Errorf("commands were executed %v times by run and attempt, want %v", got, want)
	}
}

// jobName is the name of the Job of a resource's first run.
func jobName(g *v1alpha1.GcloudRun) string {
	owner := jobspec.Owner{Kind: "GcloudRun", Namespace: g.Namespace, Name: g.Name, UID: g.UID}
	return jobspec.Attempt{Owner: owner, Number: 1, Attempt: 1}.JobName()
}

func jsonText(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func TestARunGoesFromApplyToItsResult(t *testing.T) {
	g := settled(t, apply(t, gcloudRun(t)), 1)

	if !meta.IsStatusConditionTrue(g.Status.Conditions, v1alpha1.ConditionReady) || !meta.IsStatusConditionTrue(g.Status.Conditions, v1alpha1.ConditionFinished) {
		t.Errorf("conditions are %s, want Ready and Finished", jsonText(g.Status.Conditions))
	}
	if r := g.Status.Response; r == nil || r.Stdout != "ran --project=my-project\n" || r.ExitCode == nil || *r.ExitCode != 0 || r.Run != 1 {
		t.Errorf("the response is %s", jsonText(r))
	}
	expectRan(t, g, map[string]int{"1/1": 1})
	expectReleased(t, g)
}

// expectReleased checks that no pod of the resource is held.
func expectReleased(t *testing.T, g *v1alpha1.GcloudRun) {
	t.Helper()
	eventually(t, "the pods are let go of", func() bool {
		var pods corev1.PodList
		if err := cluster.List(t.Context(), &pods, client.InNamespace(g.Namespace)); err != nil {
			t.Fatal(err)
		}
		for _, p := range pods.Items {
			if len(p.Finalizers) > 0 {
				return false
			}
		}
		return true
	})
}

func TestAnEditOfWhatDoesNotDecideRunsNothing(t *testing.T) {
	g := settled(t, apply(t, gcloudRun(t)), 1)

	edit(t, g, func() { g.Labels = map[string]string{"team": "platform"} })
	edit(t, g, func() { g.Spec.Timeout = &metav1.Duration{Duration: time.Hour} })
	edit(t, g, func() { g.Spec.Suspend = true })
	settled(t, g, 1)
	expectRan(t, g, map[string]int{"1/1": 1})
}

func TestEachEditOfTheCommandRunsAgainARevertToo(t *testing.T) {
	g := settled(t, apply(t, gcloudRun(t)), 1)

	edit(t, g, func() { g.Spec.Command = "gcloud version --project=other-project" })
	settled(t, g, 2)
	edit(t, g, func() { g.Spec.Command = "gcloud version --project=my-project" })
	settled(t, g, 3)
	expectRan(t, g, map[string]int{"1/1": 1, "2/1": 1, "3/1": 1})
}

func TestARequestRunsTheSameAgainOnceForEachValue(t *testing.T) {
	g := settled(t, apply(t, gcloudRun(t)), 1)

	edit(t, g, func() { metav1.SetMetaDataAnnotation(&g.ObjectMeta, v1alpha1.RequestedAtAnnotation, "now") })
	settled(t, g, 2)
	if g.Status.LastHandledRequest != "now" {
		t.Errorf("lastHandledRequest is %q, want %q", g.Status.LastHandledRequest, "now")
	}
	edit(t, g, func() { g.Annotations = nil })
	settled(t, g, 2)
	edit(t, g, func() { metav1.SetMetaDataAnnotation(&g.ObjectMeta, v1alpha1.FluxRequestedAtAnnotation, "now") })
	settled(t, g, 3)
}

func TestWhatIsSuspendedWaitsUntilItIsResumed(t *testing.T) {
	g := gcloudRun(t)
	g.Spec.Suspend = true
	apply(t, g)

	eventually(t, "the condition says so", func() bool {
		read(t, g)
		c := meta.FindStatusCondition(g.Status.Conditions, v1alpha1.ConditionReady)
		return c != nil && c.Reason == v1alpha1.ReasonSuspended
	})
	expectRan(t, g, map[string]int{})
	edit(t, g, func() { g.Spec.Suspend = false })
	settled(t, g, 1)
	expectRan(t, g, map[string]int{"1/1": 1})
}

func TestAForeignJobOfTheSameNameIsNotAdopted(t *testing.T) {
	g := gcloudRun(t)
	g.Spec.Suspend = true
	apply(t, g)
	foreign := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: g.Namespace, Name: jobName(g)}, Spec: batchv1.JobSpec{
		Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever, SchedulingGates: []corev1.PodSchedulingGate{{Name: "example.com/never"}},
			Containers: []corev1.Container{{Name: "c", Image: "i"}},
		}},
	}}
	if err := cluster.Create(t.Context(), foreign); err != nil {
		t.Fatal(err)
	}
	edit(t, g, func() { g.Spec.Suspend = false })

	settled(t, g, 1)
	if g.Status.Run.Reason != v1alpha1.ReasonNameConflict {
		t.Errorf("the run ended with %s: %s", g.Status.Run.Reason, g.Status.Run.Message)
	}
	expectRan(t, g, map[string]int{})
}

func TestADeletedResourceHoldsNoPod(t *testing.T) {
	g := settled(t, apply(t, gcloudRun(t)), 1)

	if err := cluster.Delete(t.Context(), g); err != nil {
		t.Fatal(err)
	}
	expectReleased(t, g)
}

func TestAResourceMadeAnewRunsAnew(t *testing.T) {
	first := gcloudRun(t)
	second := first.DeepCopy()
	settled(t, apply(t, first), 1)
	if err := cluster.Delete(t.Context(), first); err != nil {
		t.Fatal(err)
	}

	settled(t, apply(t, second), 1)
	expectRan(t, second, map[string]int{"1/1": 1})
	expectReleased(t, second)
}

func TestTheWebhookAndTheSchemaRefuseWithTheFix(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*v1alpha1.GcloudRun)
		wants  string
	}{
		{"a forbidden command", func(g *v1alpha1.GcloudRun) { g.Spec.Command = "gcloud beta auth list --project=p" }, "forbidden"},
		{"a project without projects/", func(g *v1alpha1.GcloudRun) { g.Spec.Project = "my-project" }, "write projects/my-project"},
		{"a path that goes up", func(g *v1alpha1.GcloudRun) { g.Spec.InputFiles = []v1alpha1.InputFile{{Path: "../x"}} }, "relative to the working directory"},
		{"a timeout of no time", func(g *v1alpha1.GcloudRun) { g.Spec.Timeout = &metav1.Duration{} }, "between 1s and 24h"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := gcloudRun(t)
			c.change(g)
			err := cluster.Create(t.Context(), g)
			if !apierrors.IsInvalid(err) {
				t.Fatalf("it was not refused as invalid: %v", err)
			}
			if !strings.Contains(err.Error(), c.wants) {
				t.Errorf("the message lacks %q: %v", c.wants, err)
			}
		})
	}
}
