// SPDX-License-Identifier: Apache-2.0

package rights

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clocktesting "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/controllers/run"
	"github.com/gcloud-operator/gcloud-operator/internal/jobspec"
	"github.com/gcloud-operator/gcloud-operator/internal/release"
)

// step is tried again until it says that it is done.
type step func(context.Context, *operator) bool

// scenario is something that the operator is for, as steps of those around it, and what must come of them.
type scenario []step

// play goes through the steps, and says whether all could be done before the context ended.
func (s scenario) play(ctx context.Context, o *operator) bool {
	for _, do := range s {
		for !do(ctx, o) {
			select {
			case <-ctx.Done():
				return false
			case <-time.After(20 * time.Millisecond):
			}
		}
	}
	return true
}

// scenarios by name. Those about resources begin with the controllers: what is made before they watch, they
// would find by listing alone.
var scenarios = map[string]scenario{
	"a GcloudRun runs twice":        twice(gcloudRun("run")),
	"a DocumentFetch runs twice":    twice(documentFetch("run")),
	"a DataformFileRead runs twice": twice(dataformFileRead("run")),
	"a run's end is told":           {controllers, apply(gcloudRun("run")), told("run", v1alpha1.ReasonSucceeded)},
	"input files are replaced": {
		controllers, apply(withInput(gcloudRun("run"), "old")), ended(&v1alpha1.GcloudRun{}, "run", 1), configMaps(1),
		edit("run", func(g *v1alpha1.GcloudRun) { withInput(g, "new") }), ended(&v1alpha1.GcloudRun{}, "run", 2), released, configMaps(1),
	},
	"an input file comes from a ConfigMap that changes": {
		controllers, apply(source("old")), apply(withSource(gcloudRun("run"))), ended(&v1alpha1.GcloudRun{}, "run", 1),
		change(source("new")), ended(&v1alpha1.GcloudRun{}, "run", 2),
	},
	"a copy is kept for the next run to replace": {
		controllers, apply(withCopy(dataformFileRead("run"))), ended(&v1alpha1.DataformFileRead{}, "run", 1), copied("file first\n"),
		change(fileRead("second")), ended(&v1alpha1.DataformFileRead{}, "run", 2), copied("file second\n"),
	},
	"output goes to a Secret":           {controllers, apply(withSecret(gcloudRun("run"))), ended(&v1alpha1.GcloudRun{}, "run", 1), kept("ran\n")},
	"output is too large for a message": {controllers, apply(gcloudRun(large)), ended(&v1alpha1.GcloudRun{}, large, 1), configMaps(1)},
	"a pod that was changed is stopped": {controllers, apply(gcloudRun(changed)), jobs(1), jobs(0)},
	"a Job has the name already":        {controllers, apply(suspended("run")), foreignJob("run"), edit("run", resume), says("run", v1alpha1.ReasonNameConflict)},
	"no pod is made for a Job":          {controllers, apply(gcloudRun(podless)), jobs(1), refusePod, says(podless, v1alpha1.ReasonQuotaExceeded)},
	"the webhook is trusted":            {trusted},
	"the webhook's certificate is renewed": {
		trusted, func(_ context.Context, o *operator) bool {
			o.certificates.Clock = clocktesting.NewFakeClock(time.Now().Add(300 * 24 * time.Hour))
			return true
		}, trusted,
	},
	"the key for sealed output is made, and found again": {hasKey, hasKey},
	"a replica leads, and gives that back":               {lead},
	"what is held is freed":                              {apply(heldPod()), free, released},
}

// twice runs the resource, and again: what it came to first is read before it is replaced.
func twice(object run.Object) scenario {
	name := object.GetName()
	return scenario{controllers, apply(object), ended(object, name, 1), request(object), ended(object, name, 2), released}
}

// request asks for another run.
func request(object run.Object) step {
	patch := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"annotations":{"`+v1alpha1.RequestedAtAnnotation+`":"now"}}}`))
	return func(ctx context.Context, o *operator) bool {
		return cluster.Patch(ctx, inTenant(o, object), patch) == nil
	}
}

func gcloudRun(name string) *v1alpha1.GcloudRun {
	return &v1alpha1.GcloudRun{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       v1alpha1.GcloudRunSpec{Project: "projects/my-project", Command: "gcloud version --project=" + name},
	}
}

func documentFetch(name string) *v1alpha1.DocumentFetch {
	return &v1alpha1.DocumentFetch{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       v1alpha1.DocumentFetchSpec{Names: []string{"documents/docs.cloud.google.com/storage/docs"}},
	}
}

func dataformFileRead(name string) *v1alpha1.DataformFileRead {
	return fileReadNamed(name, "first")
}

func fileReadNamed(name, path string) *v1alpha1.DataformFileRead {
	return &v1alpha1.DataformFileRead{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: v1alpha1.DataformFileReadSpec{
			Workspace: "projects/my-project/locations/europe-west1/repositories/r/workspaces/w", Path: path,
		},
	}
}

// fileRead reads another file, and keeps its copy in the same place.
func fileRead(path string) *v1alpha1.DataformFileRead { return withCopy(fileReadNamed("run", path)) }

func withCopy(d *v1alpha1.DataformFileRead) *v1alpha1.DataformFileRead {
	d.Spec.Output = &v1alpha1.FileOutput{ConfigMapName: "copy"}
	return d
}

func withInput(g *v1alpha1.GcloudRun, contents string) *v1alpha1.GcloudRun {
	g.Spec.InputFiles = []v1alpha1.InputFile{{Path: "f", Contents: contents}}
	return g
}

func withSource(g *v1alpha1.GcloudRun) *v1alpha1.GcloudRun {
	g.Spec.InputFiles = []v1alpha1.InputFile{{Path: "f", ContentsFrom: &v1alpha1.ContentsSource{ConfigMapKeyRef: &v1alpha1.KeyRef{Name: "source", Key: "k"}}}}
	return g
}

func withSecret(g *v1alpha1.GcloudRun) *v1alpha1.GcloudRun {
	g.Spec.Output.SecretName = "output"
	return g
}

func suspended(name string) *v1alpha1.GcloudRun {
	g := gcloudRun(name)
	g.Spec.Suspend = true
	return g
}

func resume(g *v1alpha1.GcloudRun) { g.Spec.Suspend = false }

func source(value string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "source"}, Data: map[string]string{"k": value}}
}

// heldPod is a pod that an operator which is gone has left.
func heldPod() *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "held", Finalizers: []string{v1alpha1.ReportFinalizer}},
		Spec: corev1.PodSpec{
			SchedulingGates: []corev1.PodSchedulingGate{{Name: v1alpha1.SchedulingGate}}, Containers: []corev1.Container{{Name: "c", Image: "i"}},
		},
	}
}

// controllers has the controllers watch.
func controllers(ctx context.Context, o *operator) bool {
	mgr, err := o.controllers(ctx, ctrl.Options{})
	if err != nil {
		return false
	}
	go func() { _ = mgr.Start(ctx) }() // what it can't do shows
	return mgr.GetCache().WaitForCacheSync(ctx) && synced(ctx, mgr)
}

func synced(ctx context.Context, mgr ctrl.Manager) bool {
	for _, o := range []client.Object{&v1alpha1.GcloudRun{}, &v1alpha1.DocumentFetch{}, &v1alpha1.DataformFileRead{}, &batchv1.Job{}, &corev1.Pod{}} {
		if _, err := mgr.GetCache().GetInformer(ctx, o); err != nil { // waits until it has been listed
			return false
		}
	}
	return true
}

// inTenant returns a copy of the object, in the tenant's namespace.
func inTenant(o *operator, object client.Object) client.Object {
	own, _ := object.DeepCopyObject().(client.Object)
	own.SetNamespace(o.tenants[0])
	return own
}

func apply(object client.Object) step {
	return func(ctx context.Context, o *operator) bool { return cluster.Create(ctx, inTenant(o, object)) == nil }
}

// change has the object be as this one is.
func change(object client.Object) step {
	return func(ctx context.Context, o *operator) bool {
		now, next := inTenant(o, object), inTenant(o, object)
		if cluster.Get(ctx, client.ObjectKeyFromObject(now), now) != nil {
			return false
		}
		next.SetResourceVersion(now.GetResourceVersion())
		return cluster.Update(ctx, next) == nil
	}
}

func edit(name string, how func(*v1alpha1.GcloudRun)) step {
	return func(ctx context.Context, o *operator) bool {
		g := &v1alpha1.GcloudRun{}
		if read(ctx, o, name, g) {
			how(g)
			return cluster.Update(ctx, g) == nil
		}
		return false
	}
}

// read reads an object of the tenant.
func read(ctx context.Context, o *operator, name string, into client.Object) bool {
	return cluster.Get(ctx, types.NamespacedName{Namespace: o.tenants[0], Name: name}, into) == nil
}

func ended(kind run.Object, name string, number int64) step {
	return func(ctx context.Context, o *operator) bool {
		object, _ := kind.DeepCopyObject().(run.Object)
		if !read(ctx, o, name, object) {
			return false
		}
		r := object.RunStatus().Run
		return r.Ended() && r.Number == number && r.Reason == v1alpha1.ReasonSucceeded
	}
}

func says(name, reason string) step {
	return func(ctx context.Context, o *operator) bool {
		g := &v1alpha1.GcloudRun{}
		if !read(ctx, o, name, g) {
			return false
		}
		ready := meta.FindStatusCondition(g.Status.Conditions, v1alpha1.ConditionReady)
		return ready != nil && ready.Reason == reason
	}
}

// released waits until no pod is held.
func released(ctx context.Context, o *operator) bool {
	var pods corev1.PodList
	return cluster.List(ctx, &pods, client.InNamespace(o.tenants[0])) == nil && len(pods.Items) > 0 &&
		!slices.ContainsFunc(pods.Items, func(p corev1.Pod) bool { return len(p.Finalizers) > 0 })
}

// configMaps waits until there are so many of the operator's.
func configMaps(count int) step {
	return func(ctx context.Context, o *operator) bool {
		var maps corev1.ConfigMapList
		made := client.MatchingLabels{v1alpha1.ManagedByLabel: v1alpha1.ManagedByValue}
		return cluster.List(ctx, &maps, client.InNamespace(o.tenants[0]), made) == nil && len(maps.Items) == count
	}
}

func copied(contents string) step {
	return func(ctx context.Context, o *operator) bool {
		m := &corev1.ConfigMap{}
		return read(ctx, o, "copy", m) && string(m.BinaryData["contents"]) == contents
	}
}

func kept(stdout string) step {
	return func(ctx context.Context, o *operator) bool {
		s := &corev1.Secret{}
		return read(ctx, o, "output", s) && string(s.Data["stdout"]) == stdout
	}
}

// jobs waits until there are so many.
func jobs(count int) step {
	return func(ctx context.Context, o *operator) bool {
		var list batchv1.JobList
		return cluster.List(ctx, &list, client.InNamespace(o.tenants[0])) == nil && len(list.Items) == count
	}
}

// foreignJob makes a Job of the name that the first run's is to have.
func foreignJob(name string) step {
	return func(ctx context.Context, o *operator) bool {
		g := &v1alpha1.GcloudRun{}
		if !read(ctx, o, name, g) {
			return false
		}
		owner := jobspec.Owner{Kind: "GcloudRun", Namespace: g.Namespace, Name: g.Name, UID: g.UID}
		return cluster.Create(ctx, &batchv1.Job{
			ObjectMeta: metav1.ObjectMeta{Namespace: g.Namespace, Name: jobspec.Attempt{Owner: owner, Number: 1, Attempt: 1}.JobName()},
			Spec: batchv1.JobSpec{Suspend: new(true), Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
				RestartPolicy: corev1.RestartPolicyNever, SchedulingGates: []corev1.PodSchedulingGate{{Name: "example.com/never"}},
				Containers: []corev1.Container{{Name: "c", Image: "i", Env: []corev1.EnvVar{{Name: "A", Value: "b"}}}},
			}}},
		}) == nil
	}
}

// refusePod says why no pod is made for the Job, as the Job controller does.
func refusePod(ctx context.Context, o *operator) bool {
	var list batchv1.JobList
	if cluster.List(ctx, &list, client.InNamespace(o.tenants[0])) != nil || len(list.Items) != 1 {
		return false
	}
	job := list.Items[0]
	return cluster.Create(ctx, &corev1.Event{
		ObjectMeta:     metav1.ObjectMeta{Namespace: job.Namespace, Name: "refused"},
		InvolvedObject: corev1.ObjectReference{Kind: "Job", Namespace: job.Namespace, Name: job.Name, UID: job.UID},
		Reason:         "FailedCreate", LastTimestamp: metav1.Now(), Type: corev1.EventTypeWarning,
		Message: `Error creating: pods "p" is forbidden: exceeded quota: none, requested: pods=1, used: pods=0, limited: pods=0`,
	}) == nil
}

// told waits for an event about a resource.
func told(name, reason string) step {
	return func(ctx context.Context, o *operator) bool {
		var list eventsv1.EventList
		return cluster.List(ctx, &list, client.InNamespace(o.tenants[0])) == nil &&
			slices.ContainsFunc(list.Items, func(e eventsv1.Event) bool { return e.Regarding.Name == name && e.Reason == reason })
	}
}

// trust is held by who writes to the one webhook configuration, or looks at it.
var trust sync.Mutex

// trusted has the certificate kept, and looks whether the webhook's configuration trusts it.
func trusted(ctx context.Context, o *operator) bool {
	trust.Lock()
	defer trust.Unlock()
	config, secret := &admissionv1.ValidatingWebhookConfiguration{}, &corev1.Secret{}
	return o.certificates.Ensure(ctx) == nil &&
		cluster.Get(ctx, types.NamespacedName{Name: webhookConfiguration}, config) == nil &&
		cluster.Get(ctx, o.certificates.Secret, secret) == nil &&
		string(config.Webhooks[0].ClientConfig.CABundle) == string(secret.Data["ca.crt"])
}

func hasKey(ctx context.Context, o *operator) bool {
	key, err := o.key(ctx)
	return err == nil && key.Identity != ""
}

// lead has a replica lead and stop, and looks whether that was told, and another could lead at once.
func lead(ctx context.Context, o *operator) bool {
	mgr, err := o.manager(o.leading())
	if err != nil {
		return false
	}
	term, stop := context.WithCancel(ctx)
	defer stop()
	over := make(chan struct{})
	go func() {
		defer close(over)
		_ = mgr.Start(term) // what it can't do shows
	}()
	select {
	case <-mgr.Elected():
	case <-ctx.Done():
		return false
	}
	announced := func(ctx context.Context, o *operator) bool {
		var list corev1.EventList
		return cluster.List(ctx, &list, client.InNamespace(o.home)) == nil &&
			slices.ContainsFunc(list.Items, func(e corev1.Event) bool { return e.Reason == "LeaderElection" })
	}
	if !(scenario{announced}).play(ctx, o) {
		return false
	}
	stop()
	<-over
	lease := &coordinationv1.Lease{}
	return cluster.Get(ctx, types.NamespacedName{Namespace: o.home, Name: leaderLease}, lease) == nil &&
		lease.Spec.HolderIdentity != nil && *lease.Spec.HolderIdentity == ""
}

func free(ctx context.Context, o *operator) bool {
	return release.Releaser{
		Cluster: o.api, Namespaces: o.tenants, Lease: types.NamespacedName{Namespace: o.home, Name: leaderLease}, Out: io.Discard,
	}.Run(ctx) == nil
}

// incompressible is text of about that length.
func incompressible(length int) string {
	var text strings.Builder
	for sum := sha256.Sum256(nil); text.Len() < length; sum = sha256.Sum256(sum[:]) {
		text.WriteString(hex.EncodeToString(sum[:]))
	}
	return text.String()
}
