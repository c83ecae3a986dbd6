// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/jobspec"
)

// Whatever a field is for, it carries no flag, no path and no second value past the rules. Each attempt is
// told what is wrong with it.
func TestNoFieldSmugglesAnything(t *testing.T) {
	const version = "gcloud version --project=my-project"
	run := func(change func(*v1alpha1.GcloudRunSpec)) client.Object {
		b := gcloudRun("smuggling", version)
		change(&b.Spec)
		return b.GcloudRun
	}
	command := func(words string) client.Object {
		return run(func(s *v1alpha1.GcloudRunSpec) { s.Command = version + " " + words })
	}
	read := func(change func(*v1alpha1.DataformFileReadSpec)) client.Object {
		f := fileRead("smuggling", "a.sqlx")
		change(&f.Spec)
		return f
	}
	document := func(name string) client.Object {
		d := documentsWith("smuggling", v1alpha1.DocumentIdentity{})
		d.Spec.Names = []string{name}
		return d
	}
	from := func(ref v1alpha1.KeyRef) client.Object {
		return gcloudRun("smuggling", version).inputFrom("f", v1alpha1.ContentsSource{SecretKeyRef: &ref}).GcloudRun
	}
	counted := func() float64 {
		return apiServerCount(t, "apiserver_admission_webhook_rejection_count", `.gcloud-operator.dev"`, `rejection_code="422"`)
	}
	before := counted()
	for name, c := range map[string]struct {
		object client.Object
		field  string
	}{
		"flags out of a file":           {command("--flags-file=f.yaml"), "spec.command"},
		"flags out of a file, after --": {command("-- --flags-file=f.yaml"), "spec.command"},
		"another's token":               {command("--access-token-file=f"), "spec.command"},
		"another account":               {command("--account=me@example.com"), "spec.command"},
		"another configuration":         {command("--configuration=c"), "spec.command"},
		"somebody to impersonate":       {command("--impersonate-service-account=a@p.iam.gserviceaccount.com"), "spec.command"},
		"a second command":              {command("; gcloud auth list"), "spec.command"},
		"a substitution":                {command("$(cat /etc/passwd)"), "spec.command"},
		"a file outside":                {run(func(s *v1alpha1.GcloudRunSpec) { s.Command = "gcloud storage cp /proc/1/environ gs://b" }), "spec.command"},
		"a flag in the project":         {run(func(s *v1alpha1.GcloudRunSpec) { s.Project = "projects/my-project --account=me" }), "spec.project"},
		"a line in the project":         {run(func(s *v1alpha1.GcloudRunSpec) { s.Project = "projects/my-project\n" }), "spec.project"},
		"an input file outside":         {gcloudRun("smuggling", version).inputFile("/etc/passwd", "").GcloudRun, "spec.inputFiles[0].path"},
		"an input file above":           {gcloudRun("smuggling", version).inputFile("a/../../config/properties", "").GcloudRun, "spec.inputFiles[0].path"},
		"an output file outside":        {run(func(s *v1alpha1.GcloudRunSpec) { s.OutputFiles = []string{"/proc/1/environ"} }), "spec.outputFiles"},
		"an output file above":          {run(func(s *v1alpha1.GcloudRunSpec) { s.OutputFiles = []string{"**/../../config/*"} }), "spec.outputFiles"},
		"a path to a Secret":            {from(v1alpha1.KeyRef{Name: "../../kube-system/secrets/token", Key: "token"}), "secretKeyRef.name"},
		"a path in a Secret":            {from(v1alpha1.KeyRef{Name: "own", Key: "../../token"}), "secretKeyRef.key"},
		"a path as the output's Secret": {run(func(s *v1alpha1.GcloudRunSpec) { s.Output.SecretName = "../a" }), "spec.output.secretName"},
		"a path as the ServiceAccount":  {run(func(s *v1alpha1.GcloudRunSpec) { s.Identity.ServiceAccountName = "kube-system/default" }), "serviceAccountName"},
		"a chain of impersonations": {run(func(s *v1alpha1.GcloudRunSpec) {
			s.Identity.ImpersonateServiceAccount = "a@p.iam.gserviceaccount.com,b@p.iam.gserviceaccount.com"
		}), "impersonateServiceAccount"},
		"the API server as the audience": {run(func(s *v1alpha1.GcloudRunSpec) {
			s.Identity.WorkloadIdentityFederation = &v1alpha1.WorkloadIdentityFederation{Provider: "https://kubernetes.default.svc"}
		}), "provider"},
		"a query in a workspace":         {read(func(s *v1alpha1.DataformFileReadSpec) { s.Workspace = workspace + "?alt=media" }), "spec.workspace"},
		"a path to another workspace":    {read(func(s *v1alpha1.DataformFileReadSpec) { s.Path = "../../other/a.sqlx" }), "spec.path"},
		"an option of Git":               {read(func(s *v1alpha1.DataformFileReadSpec) { s.Revision = "--upload-pack=x" }), "spec.revision"},
		"a path as the copy's ConfigMap": {read(func(s *v1alpha1.DataformFileReadSpec) { s.Output = &v1alpha1.FileOutput{ConfigMapName: "../a"} }), "configMapName"},
		"a query in a document":          {document("documents/docs.cloud.google.com/a?key=x"), "spec.names"},
		"a path to another API":          {document("documents/../v1/other"), "spec.names"},
	} {
		err := tenant(t).Create(t.Context(), c.object, client.DryRunAll)
		if !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), c.field) {
			t.Errorf("%s: got %v, want that %s is invalid", name, err, c.field)
		}
	}
	if got := counted() - before; got < 9 { // the commands, which only the webhook reads
		t.Errorf("the API server has counted %v refusals by the webhook", got)
	}
}

// edits binds the user to the cluster's own role edit, which comes with the operator's rights for users.
func edits(t *testing.T, user string) client.Client {
	t.Helper()
	must(t, cluster.Create(t.Context(), &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: user},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.UserKind, Name: user}},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "edit"},
	}))
	return as(t, user)
}

func TestAStatusIsTheOperatorsToWriteAndAnErasedOneRunsNothingTwice(t *testing.T) {
	b, count := counted(t, "status")
	eve := edits(t, "eve")
	b = b.by(tenant(t))
	b.Status.Run = &v1alpha1.Run{Number: 7, Key: "forged", Attempt: 1, JobName: "forged", Reason: v1alpha1.ReasonSucceeded}
	g := b.run(t)
	expectEnd(t, g, v1alpha1.ReasonSucceeded, 0)
	if g.Status.Run.Number != 1 {
		t.Errorf("the run has the number %d, out of the status that it was made with", g.Status.Run.Number)
	}

	erase := client.RawPatch(types.MergePatchType, []byte(`{"status":{"run":null,"history":null,"conditions":null,"response":null,"observedGeneration":-1}}`))
	for _, user := range []client.Client{b.user, eve} {
		if err := user.Status().Patch(t.Context(), g.DeepCopy(), erase); !apierrors.IsForbidden(err) {
			t.Errorf("who may edit resources can write their status: %v", err)
		}
	}
	must(t, cluster.Status().Patch(t.Context(), g.DeepCopy(), erase)) // as an administrator may
	eventually(t, "the result is read again", func() bool {
		g := b.current(t)
		return g.Status.Run != nil && g.Status.Run.Reason == v1alpha1.ReasonSucceeded && g.Status.Response != nil
	})
	count.expectExecutions(t, 1)
}

// The operator's own marks on a resource mean nothing, and reach none of its objects.
func TestMarksOfOursOnAResourceMeanNothing(t *testing.T) {
	makeConfigMap(t, "elsewhere", nil)
	elsewhere := &corev1.ConfigMap{}
	must(t, cluster.Get(t.Context(), types.NamespacedName{Namespace: namespace, Name: "elsewhere"}, elsewhere))
	labels := map[string]string{v1alpha1.ManagedByLabel: v1alpha1.ManagedByValue, v1alpha1.OwnerUIDLabel: "another"}
	annotations := map[string]string{
		v1alpha1.OwnerAnnotation: "GcloudRun/another", v1alpha1.RunAnnotation: "7", v1alpha1.KeyAnnotation: "forged",
		v1alpha1.StartBeforeAnnotation: "2001-01-01T00:00:00Z",
	}
	b, count := counted(t, "marked")
	b = b.by(tenant(t))
	b.Labels, b.Annotations = maps.Clone(labels), maps.Clone(annotations)
	b.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: elsewhere.Name, UID: elsewhere.UID, Controller: new(true)}}
	g := b.succeed(t)

	job := &batchv1.Job{}
	must(t, cluster.Get(t.Context(), types.NamespacedName{Namespace: namespace, Name: g.Status.Run.JobName}, job))
	if !metav1.IsControlledBy(job, g) || len(job.OwnerReferences) != 1 {
		t.Errorf("the Job's owners are %+v", job.OwnerReferences)
	}
	for _, o := range []client.Object{job, podOf(t, g)} {
		if o.GetLabels()[v1alpha1.OwnerUIDLabel] != string(g.UID) {
			t.Errorf("%s is labelled %v", o.GetName(), o.GetLabels())
		}
		for name, forged := range annotations {
			if o.GetAnnotations()[name] == forged {
				t.Errorf("%s has the annotation %s=%s", o.GetName(), name, forged)
			}
		}
	}
	count.expectExecutions(t, 1)
}

func TestAJobOfAnotherWithTheRunsNameIsLeftAlone(t *testing.T) {
	b, count := counted(t, "taken")
	b = b.by(tenant(t))
	b.Spec.Suspend = true
	b.apply(t)
	owner := jobspec.Owner{Kind: "GcloudRun", Namespace: namespace, Name: b.Name, UID: b.UID}
	job := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: jobspec.Attempt{Owner: owner, Number: 1, Attempt: 1}.JobName()},
		Spec:       batchv1.JobSpec{Suspend: new(true), Template: corev1.PodTemplateSpec{Spec: impostor("exit").Spec}},
	}
	temporary(t, job)
	before := job.DeepCopy()
	b.edit(t, func(g *v1alpha1.GcloudRun) { g.Spec.Suspend = false })
	g := b.ended(t, 1)

	expectReason(t, g, v1alpha1.ReasonNameConflict)
	expectContains(t, "the message", messageOf(g), "Job "+job.Name, "not this resource's")
	must(t, cluster.Get(t.Context(), client.ObjectKeyFromObject(job), job))
	if job.UID != before.UID || len(job.OwnerReferences) > 0 || job.Generation != before.Generation || job.DeletionTimestamp != nil {
		t.Errorf("the Job was changed: %+v", job)
	}
	expectEvent(t, b.Name, v1alpha1.ReasonNameConflict, "Job "+job.Name)
	count.expectExecutions(t, 0)
}

// expectEvent waits for an event about the resource in which all of this stands.
func expectEvent(t *testing.T, name string, parts ...string) {
	t.Helper()
	eventually(t, fmt.Sprintf("an event about %s says %q", name, parts), func() bool {
		for line := range strings.Lines(kubectl(t, "get", "events", "--field-selector=involvedObject.name="+name)) {
			if !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(line, part) }) {
				return true
			}
		}
		return false
	})
}

// A ConfigMap that somebody makes under the name of that with a run's input files is neither mounted nor
// changed.
func TestAConfigMapInThePlaceOfTheInputFilesIsLeftAlone(t *testing.T) {
	b, count := counted(t, "misled")
	b = b.by(tenant(t)).inputFile("f", "mine")
	b.Spec.Suspend = true
	b.apply(t)
	plan := jobspec.Plan{Inputs: []jobspec.InputFile{{Path: "f", Contents: "mine"}}}
	owner := jobspec.Owner{Kind: "GcloudRun", Namespace: namespace, Name: b.Name, UID: b.UID}
	planted := jobspec.InputConfigMaps(plan, jobspec.Attempt{Owner: owner, Number: 1, Attempt: 1})[0]
	planted.BinaryData["file-000"] = []byte("another's") // owned, marked and immutable like the right one
	temporary(t, planted)
	b.edit(t, func(g *v1alpha1.GcloudRun) { g.Spec.Suspend = false })
	g := b.ended(t, 1)

	expectReason(t, g, v1alpha1.ReasonNameConflict)
	expectContains(t, "the message", messageOf(g), "ConfigMap "+planted.Name, "not this resource's")
	expectEvent(t, b.Name, v1alpha1.ReasonNameConflict, planted.Name)
	m := &corev1.ConfigMap{}
	must(t, cluster.Get(t.Context(), client.ObjectKeyFromObject(planted), m))
	if m.ResourceVersion != planted.ResourceVersion {
		t.Errorf("the ConfigMap was changed: %+v", m)
	}
	count.expectExecutions(t, 0)
}

func TestASecretOfAnotherIsNotOverwritten(t *testing.T) {
	precious := credential("another's password")
	foreign := makeSecret(t, "foreign", map[string]string{"password": precious})
	g := gcloudRun("overwriting", "gcloud version --project=my-project").outputSecret(foreign).by(tenant(t)).run(t)

	expectReason(t, g, v1alpha1.ReasonNameConflict)
	expectContains(t, "the message", g.Status.Run.Message, "Secret foreign")
	expectEvent(t, g.Name, v1alpha1.ReasonNameConflict, "Secret foreign")
	if strings.Contains(g.Status.Run.Message, "lost") {
		t.Errorf("the message tells of output, although nothing was run: %s", g.Status.Run.Message)
	}
	if got := secretData(t, v1alpha1.StoredPart{Name: foreign, Key: "password"}); string(got) != precious {
		t.Errorf("the Secret is now %q", got)
	}
	if g.Status.Run.PodUID != "" {
		t.Error("the command was run before the conflict was found")
	}
}

// impostor is a pod that anybody may make who may make pods.
func impostor(script string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace},
		Spec: corev1.PodSpec{
			RestartPolicy:   corev1.RestartPolicyNever,
			SecurityContext: &corev1.PodSecurityContext{RunAsNonRoot: new(true), RunAsUser: new(int64(65532)), SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault}},
			Containers: []corev1.Container{{
				Name: jobspec.ContainerName, Image: "gcloud:528.0.0", Command: []string{"/bin/sh", "-c", script},
				SecurityContext: &corev1.SecurityContext{AllowPrivilegeEscalation: new(false), Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}},
			}},
		},
	}
}

// Whoever may make pods can make some that bear every mark of a run's, and name any Job as their owner.
func TestAPodThatOnlyLooksLikeARunsChangesNothing(t *testing.T) {
	g := gcloudRun("looked-like", "gcloud version --project=my-project").succeed(t)
	precious := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "precious", Labels: map[string]string{v1alpha1.ManagedByLabel: v1alpha1.ManagedByValue}},
		Spec:       batchv1.JobSpec{Suspend: new(true), Template: corev1.PodTemplateSpec{Spec: impostor("exit").Spec}},
	}
	temporary(t, precious)
	real := podOf(t, g)
	pod := func(name string, change func(*corev1.Pod)) *corev1.Pod {
		p := impostor("echo forged >/dev/termination-log")
		p.Name, p.Labels, p.Annotations = name, jobspec.Labels(jobspec.Owner{UID: g.UID}), real.Annotations
		p.Finalizers = []string{v1alpha1.ReportFinalizer}
		change(p)
		temporary(t, p)
		return p
	}
	ended := pod("impostor-ended", func(*corev1.Pod) {})
	gated := pod("impostor-gated", func(p *corev1.Pod) {
		p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: v1alpha1.SchedulingGate}}
		p.OwnerReferences = []metav1.OwnerReference{{APIVersion: "batch/v1", Kind: "Job", Name: precious.Name, UID: precious.UID, Controller: new(true)}}
	})
	for _, p := range []*corev1.Pod{ended, gated} {
		eventually(t, "the operator has seen "+p.Name, func() bool {
			must(t, cluster.Get(t.Context(), client.ObjectKeyFromObject(p), p))
			return len(p.Finalizers) == 0
		})
	}
	again := builder{&v1alpha1.GcloudRun{ObjectMeta: g.ObjectMeta}, cluster}
	if now := again.current(t); now.ResourceVersion != g.ResourceVersion {
		t.Errorf("the resource has changed: %+v", now.Status)
	}
	again.annotate(t, v1alpha1.RequestedAtAnnotation, "now")
	expectEnd(t, again.ended(t, 2), v1alpha1.ReasonSucceeded, 0)
	must(t, cluster.Get(t.Context(), client.ObjectKeyFromObject(precious), precious))
	if precious.DeletionTimestamp != nil {
		t.Error("a Job was deleted that is another's")
	}
	if len(gated.Spec.SchedulingGates) == 0 {
		t.Error("the gate was taken off a pod that is another's")
	}
}

func TestAConfigMapOfAnotherIsNotOverwritten(t *testing.T) {
	serveDataform(t).Put(workspace, "evil.sqlx", "", []byte("evil"))
	makeConfigMap(t, "precious", map[string]string{"contents": "precious"})
	f := fileRead("overwriting", "evil.sqlx")
	f.Spec.Output = &v1alpha1.FileOutput{ConfigMapName: "precious"}
	runResourceAs(t, tenant(t), f)

	m := &corev1.ConfigMap{}
	must(t, cluster.Get(t.Context(), types.NamespacedName{Namespace: namespace, Name: "precious"}, m))
	if m.Data["contents"] != "precious" || len(m.BinaryData) > 0 || len(m.OwnerReferences) > 0 {
		t.Errorf("the ConfigMap is now %+v", m)
	}
	expectContains(t, "the message", f.Status.Run.Message, "no copy was made", "ConfigMap precious is another's")
	expectEvent(t, f.Name, "no copy was made", "ConfigMap precious is another's")
}
