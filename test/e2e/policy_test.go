// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

// as returns the API server as that user sees it.
func as(t *testing.T, user string) client.Client {
	t.Helper()
	config, err := ctrl.GetConfig()
	if err != nil {
		t.Fatal(err)
	}
	config.Impersonate = rest.ImpersonationConfig{UserName: user}
	c, err := client.New(config, client.Options{Scheme: cluster.Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// allow binds the user to a Role with these rules in the tests' namespace.
func allow(t *testing.T, user string, rules ...rbacv1.PolicyRule) {
	t.Helper()
	allowIn(t, namespace, user, rules...)
}

func allowIn(t *testing.T, namespace, user string, rules ...rbacv1.PolicyRule) {
	t.Helper()
	meta := metav1.ObjectMeta{Namespace: namespace, Name: user}
	for _, o := range []client.Object{
		&rbacv1.Role{ObjectMeta: meta, Rules: rules},
		&rbacv1.RoleBinding{
			ObjectMeta: meta,
			Subjects:   []rbacv1.Subject{{Kind: rbacv1.UserKind, Name: user}},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: user},
		},
	} {
		if err := cluster.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
}

// mayRun lets a user make and edit the operator's resources, and not write their status.
var mayRun = rbacv1.PolicyRule{
	APIGroups: []string{v1alpha1.SchemeGroupVersion.Group}, Resources: []string{"gcloudruns", "documentfetches", "dataformfilereads"},
	Verbs: []string{"get", "create", "patch"},
}

var tenantRole sync.Once

// tenant returns the API server as somebody sees it who has the least of rights with which one can run
// anything: to make and edit the operator's resources, in the tests' namespace, as the ServiceAccount "default".
// Two names he may have something made under, which is another's already.
func tenant(t *testing.T) client.Client {
	t.Helper()
	tenantRole.Do(func() {
		allow(t, "tenant", mayRun, may("use", "serviceaccounts", "default"), may("create", "secrets", "foreign"), may("create", "configmaps", "precious"))
	})
	return as(t, "tenant")
}

func may(verb, resource, name string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{resource}, ResourceNames: []string{name}, Verbs: []string{verb}}
}

// mayMakePods is asked of who says by which labels and annotations others find a pod.
var mayMakePods = rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"create"}}

func (b builder) account(name string) builder {
	b.Spec.Identity.ServiceAccountName = name
	return b
}

func documentsWith(name string, identity v1alpha1.DocumentIdentity) *v1alpha1.DocumentFetch {
	return &v1alpha1.DocumentFetch{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec:       v1alpha1.DocumentFetchSpec{Names: []string{"documents/docs.cloud.google.com/storage/docs"}, Identity: identity},
	}
}

// Making a resource is no way to act as a ServiceAccount, to read a Secret, or to make one, that one couldn't.
func TestNobodyUsesWhatTheyMayNotUse(t *testing.T) {
	const version = "gcloud version --project=my-project"
	allow(t, "mallory", mayRun, may("use", "serviceaccounts", "own"), may("get", "secrets", "own"), may("get", "configmaps", "own"),
		may("create", "secrets", "hers"), may("create", "configmaps", "hers"))
	mallory := as(t, "mallory")
	secret := func(name string) v1alpha1.ContentsSource {
		return v1alpha1.ContentsSource{SecretKeyRef: &v1alpha1.KeyRef{Name: name, Key: "key"}}
	}
	configMap := func(name string) v1alpha1.ContentsSource {
		return v1alpha1.ContentsSource{ConfigMapKeyRef: &v1alpha1.KeyRef{Name: name, Key: "key"}}
	}
	copied := func(name, to string) client.Object {
		f := fileRead(name, "a.sqlx")
		f.Spec.Identity.ServiceAccountName, f.Spec.Output = "own", &v1alpha1.FileOutput{ConfigMapName: to}
		return f
	}
	allow(t, "trent", mayRun, may("use", "serviceaccounts", "default"))
	trent := as(t, "trent")
	counted := func() float64 {
		return apiServerCount(t, "apiserver_validating_admission_policy_check_total", `policy="gcloud-operator-users-use-their-own"`, `enforcement_action="deny"`)
	}
	before, denied := counted(), 0.0
	for name, c := range map[string]struct {
		user   client.Client
		object client.Object
		denied string // "" when it is admitted
	}{
		"her own ServiceAccount":          {mallory, gcloudRun("m1", version).account("own").GcloudRun, ""},
		"her own Secret":                  {mallory, gcloudRun("m2", version).account("own").inputFrom("f", secret("own")).GcloudRun, ""},
		"her own ConfigMap":               {mallory, gcloudRun("m3", version).account("own").inputFrom("f", configMap("own")).GcloudRun, ""},
		"another's ServiceAccount":        {mallory, gcloudRun("m4", version).account("deployer").GcloudRun, `mallory may not use the ServiceAccount "deployer"`},
		"the default ServiceAccount":      {mallory, gcloudRun("m5", version).GcloudRun, `mallory may not use the ServiceAccount "default"`},
		"another's Secret as a file":      {mallory, gcloudRun("m6", version).account("own").inputFrom("f", secret("token")).GcloudRun, `mallory may not read each of the Secrets "token"`},
		"another's ConfigMap as a file":   {mallory, gcloudRun("m7", version).account("own").inputFrom("f", configMap("plan")).GcloudRun, `mallory may not read each of the ConfigMaps "plan"`},
		"another's key for documents":     {trent, documentsWith("m8", v1alpha1.DocumentIdentity{SecretRef: &v1alpha1.KeyRef{Name: "token", Key: "key"}}), `trent may not read each of the Secrets "token"`},
		"another's API key for documents": {trent, documentsWith("m9", v1alpha1.DocumentIdentity{APIKeySecretRef: &v1alpha1.KeyRef{Name: "token", Key: "key"}}), `trent may not read each of the Secrets "token"`},
		"another's account for documents": {mallory, documentsWith("m10", v1alpha1.DocumentIdentity{ServiceAccountName: "deployer"}), `mallory may not use the ServiceAccount "deployer"`},
		"output in a Secret of hers":      {mallory, gcloudRun("m12", version).account("own").outputSecret("hers").GcloudRun, ""},
		"output in a Secret of any name":  {mallory, gcloudRun("m13", version).account("own").outputSecret("tls").GcloudRun, `mallory may not have the Secret "tls" made`},
		"a copy in a ConfigMap of hers":   {mallory, copied("m14", "hers"), ""},
		"a copy under any name":           {mallory, copied("m15", "settings"), `mallory may not have the ConfigMap "settings" made`},
		"labels of any kind on the pod":   {mallory, gcloudRun("m16", version).account("own").inPod(v1alpha1.PodSettings{Labels: map[string]v1alpha1.LabelValue{"app": "shop"}}).GcloudRun, "mallory may not make pods with labels"},
		"annotations of any kind on it":   {mallory, gcloudRun("m17", version).account("own").inPod(v1alpha1.PodSettings{Annotations: map[string]v1alpha1.AnnotationValue{"a": "b"}}).GcloudRun, "mallory may not make pods with labels"},
		"another pod setting":             {mallory, gcloudRun("m18", version).account("own").inPod(v1alpha1.PodSettings{NodeSelector: map[string]v1alpha1.LabelValue{"disk": "ssd"}}).GcloudRun, ""},
		"her own account for documents":   {mallory, documentsWith("m11", v1alpha1.DocumentIdentity{ServiceAccountName: "own"}), ""},
	} {
		err := c.user.Create(t.Context(), c.object, client.DryRunAll)
		expectDenied(t, name, err, c.denied)
		if c.denied != "" {
			denied++
		}
	}
	for _, o := range []client.Object{&corev1.Secret{}, &corev1.ConfigMap{}} {
		o.SetNamespace(namespace)
		o.SetName("hers")
		if err := mallory.Create(t.Context(), o, client.DryRunAll); !apierrors.IsForbidden(err) {
			t.Errorf("a right for one name lets her make a %T herself: %v", o, err)
		}
	}
	if got := counted() - before; got < denied {
		t.Errorf("the API server has counted %v of %v denials", got, denied)
	}
}

// apiServerCount is how often the API server has counted something, as its administrator reads it.
func apiServerCount(t *testing.T, metric string, labels ...string) (sum float64) {
	t.Helper()
	for line := range strings.Lines(kubectl(t, "get", "--raw=/metrics")) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "} ")
		if !strings.HasPrefix(name, metric+"{") || slices.ContainsFunc(labels, func(l string) bool { return !strings.Contains(name, l) }) {
			continue
		}
		count, err := strconv.ParseFloat(value, 64)
		must(t, err)
		sum += count
	}
	return sum
}

func expectDenied(t *testing.T, what string, err error, denied string) {
	t.Helper()
	switch {
	case denied == "" && err != nil:
		t.Errorf("%s: %v", what, err)
	case denied != "" && (!apierrors.IsForbidden(err) || !strings.Contains(err.Error(), denied)):
		t.Errorf("%s: got %v, want that it is forbidden: %s", what, err, denied)
	}
}

// Bob may edit resources, but use no ServiceAccount: he may do what starts no run.
func TestWhoMayNotUseAnAccountMayStillLabelWhatUsesIt(t *testing.T) {
	allow(t, "bob", mayRun)
	bob := as(t, "bob")
	g := gcloudRun("labelled", "gcloud version --project=my-project").run(t)
	for name, c := range map[string]struct {
		change func(*v1alpha1.GcloudRun)
		denied bool
	}{
		"a label":            {func(g *v1alpha1.GcloudRun) { g.Labels = map[string]string{"a": "b"} }, false},
		"a cancellation":     {func(g *v1alpha1.GcloudRun) { g.Annotations = map[string]string{v1alpha1.CancelRunAnnotation: "1"} }, false},
		"another command":    {func(g *v1alpha1.GcloudRun) { g.Spec.Command = "gcloud projects list --project=my-project" }, true},
		"the end of a pause": {func(g *v1alpha1.GcloudRun) { g.Spec.Suspend = true }, true},
		"a request":          {func(g *v1alpha1.GcloudRun) { g.Annotations = map[string]string{v1alpha1.RequestedAtAnnotation: "now"} }, true},
		"a request of Flux": {func(g *v1alpha1.GcloudRun) {
			g.Annotations = map[string]string{v1alpha1.FluxRequestedAtAnnotation: "now"}
		}, true},
	} {
		edited := g.DeepCopy()
		c.change(edited)
		denied := ""
		if c.denied {
			denied = `bob may not use the ServiceAccount "default"`
		}
		expectDenied(t, name, bob.Patch(t.Context(), edited, client.MergeFrom(g), client.DryRunAll), denied)
	}
}

// Whoever gets hold of the operator's token can touch what the operator made, and nothing else.
func TestTheOperatorsAccountKeepsToItsOwn(t *testing.T) {
	operator := as(t, operatorAccount)
	g := gcloudRun("kept", "gcloud version --project=my-project").run(t)
	own := podOf(t, g)
	victim := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "victim"}, Spec: *own.Spec.DeepCopy()}
	victim.Spec.NodeName, victim.Spec.SchedulingGates = "", []corev1.PodSchedulingGate{{Name: "example.com/never"}}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: makeSecret(t, "victim", map[string]string{"key": credential("a victim's Secret")})}}
	makeConfigMap(t, "victim", map[string]string{"key": "value"})
	if err := cluster.Create(t.Context(), victim); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cluster.Delete(context.WithoutCancel(t.Context()), victim) })
	held := victim.DeepCopy()
	held.ResourceVersion, held.UID, held.Name, held.GenerateName, held.Finalizers = "", "", "held", "", []string{v1alpha1.ReportFinalizer}
	if err := cluster.Create(t.Context(), held); err != nil {
		t.Fatal(err)
	}
	free := []byte(`{"metadata":{"finalizers":null}}`)
	defer func() {
		must(t, cluster.Patch(t.Context(), held, client.RawPatch(types.StrategicMergePatchType, free)))
	}()
	image := []byte(`{"spec":{"containers":[{"name":"command","image":"evil"}]}}`)
	patch := func(o client.Object, body []byte) error {
		return operator.Patch(t.Context(), o.DeepCopyObject().(client.Object), client.RawPatch(types.StrategicMergePatchType, body), client.DryRunAll)
	}
	const mine, unchanged = "the operator may write only what has the label", "change nothing else of it"
	for name, c := range map[string]struct {
		err    error
		denied string
	}{
		"another's pod":         {patch(victim, image), mine},
		"a held pod's image":    {patch(held, image), unchanged},
		"a held pod's hold":     {patch(held, free), ""},
		"its own pod's image":   {patch(own, image), unchanged},
		"its own pod's label":   {patch(own, []byte(`{"metadata":{"labels":{"a":"b"}}}`)), ""},
		"its own label":         {patch(own, []byte(`{"metadata":{"labels":{"app.kubernetes.io/managed-by":null}}}`)), mine},
		"another's Secret":      {patch(secret, []byte(`{}`)), mine},
		"another's ConfigMap":   {patch(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "victim"}}, []byte(`{"data":{"a":"b"}}`)), mine},
		"a Job of nobody":       {operator.Create(t.Context(), unlabelled(jobWith(victim.Spec)), client.DryRunAll), mine},
		"a Secret of nobody":    {operator.Create(t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "evil"}}, client.DryRunAll), mine},
		"a ConfigMap of nobody": {operator.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "evil"}}, client.DryRunAll), mine},
	} {
		expectDenied(t, name, c.err, c.denied)
	}
	expectNoWayToATokenByJobsAndSecrets(t, operator, own.Spec)
	expectOnlyTrustWritten(t, operator)
}

// expectOnlyTrustWritten checks that of the webhook's configuration only whom to trust can be changed.
func expectOnlyTrustWritten(t *testing.T, operator client.Client) {
	t.Helper()
	config := &admissionv1.ValidatingWebhookConfiguration{}
	must(t, operator.Get(t.Context(), types.NamespacedName{Name: "gcloud-operator-validating-webhook-configuration"}, config))
	const only = "whom its webhook's configuration trusts"
	for name, c := range map[string]struct {
		change func(*admissionv1.ValidatingWebhook)
		denied string
	}{
		"whom to trust": {func(w *admissionv1.ValidatingWebhook) { w.ClientConfig.CABundle = nil }, ""},
		"whom to ask": {func(w *admissionv1.ValidatingWebhook) {
			w.ClientConfig.Service, w.ClientConfig.URL = nil, new("https://example.com/")
		}, only},
		"which service to ask":    {func(w *admissionv1.ValidatingWebhook) { w.ClientConfig.Service.Namespace = "default" }, only},
		"what to ask about":       {func(w *admissionv1.ValidatingWebhook) { w.Rules[0].Resources = []string{"*"} }, only},
		"which namespaces":        {func(w *admissionv1.ValidatingWebhook) { w.NamespaceSelector = nil }, only},
		"which objects":           {func(w *admissionv1.ValidatingWebhook) { w.ObjectSelector = &metav1.LabelSelector{MatchLabels: made} }, only},
		"what if nobody answers":  {func(w *admissionv1.ValidatingWebhook) { w.FailurePolicy = new(admissionv1.Ignore) }, only},
		"how long to wait for it": {func(w *admissionv1.ValidatingWebhook) { w.TimeoutSeconds = new(int32(30)) }, only},
		"that it is another":      {func(w *admissionv1.ValidatingWebhook) { w.Name = "a.example.com" }, only},
		"on what condition": {func(w *admissionv1.ValidatingWebhook) {
			w.MatchConditions = []admissionv1.MatchCondition{{Name: "never", Expression: "false"}}
		}, only},
	} {
		changed := config.DeepCopy()
		c.change(&changed.Webhooks[0])
		expectDenied(t, name, operator.Patch(t.Context(), changed, client.MergeFrom(config), client.DryRunAll), c.denied)
	}
	fewer := config.DeepCopy()
	fewer.Webhooks = fewer.Webhooks[1:]
	expectDenied(t, "fewer webhooks", operator.Patch(t.Context(), fewer, client.MergeFrom(config), client.DryRunAll), only)
}

// expectNoWayToATokenByJobsAndSecrets checks that what bears the label gets at nobody's token either.
func expectNoWayToATokenByJobsAndSecrets(t *testing.T, operator client.Client, run corev1.PodSpec) {
	t.Helper()
	const harmless, opaque = "only Jobs without privileges", "Secrets of the type Opaque only"
	volume := func(source corev1.VolumeSource) func(*corev1.PodSpec) {
		return func(p *corev1.PodSpec) { p.Volumes = append(p.Volumes, corev1.Volume{Name: "v", VolumeSource: source}) }
	}
	token := func(audience string) func(*corev1.PodSpec) {
		return volume(corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{Sources: []corev1.VolumeProjection{
			{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{Audience: audience, Path: "token"}},
		}}})
	}
	for name, c := range map[string]struct {
		change func(*corev1.PodSpec)
		denied string
	}{
		"the Job of a run":                 {func(*corev1.PodSpec) {}, ""},
		"a Job with a token for Google":    {token("https://iam.googleapis.com/projects/1/p"), ""},
		"a Job with a token for the API":   {token(""), harmless},
		"a Job with a token for another":   {token("https://kubernetes.default.svc"), harmless},
		"a Job with its account's token":   {func(p *corev1.PodSpec) { p.AutomountServiceAccountToken = nil }, harmless},
		"a Job with the node's files":      {volume(corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/"}}), harmless},
		"a Job in the node's network":      {func(p *corev1.PodSpec) { p.HostNetwork = true }, harmless},
		"a Job among the node's processes": {func(p *corev1.PodSpec) { p.HostPID = true }, harmless},
		"a Job as root":                    {func(p *corev1.PodSpec) { p.SecurityContext.RunAsNonRoot = nil }, harmless},
		"a Job with privileges": {func(p *corev1.PodSpec) {
			p.Containers[0].SecurityContext = &corev1.SecurityContext{Privileged: new(true)}
		}, harmless},
	} {
		spec := run.DeepCopy()
		c.change(spec)
		expectDenied(t, name, operator.Create(t.Context(), jobWith(*spec), client.DryRunAll), c.denied)
	}
	for kind, denied := range map[corev1.SecretType]string{corev1.SecretTypeOpaque: "", corev1.SecretTypeServiceAccountToken: opaque} {
		secret := &corev1.Secret{Type: kind, ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: "made", Labels: made, Annotations: map[string]string{corev1.ServiceAccountNameKey: "default"},
		}}
		expectDenied(t, "a Secret of the type "+string(kind), operator.Create(t.Context(), secret, client.DryRunAll), denied)
	}
}

var made = map[string]string{v1alpha1.ManagedByLabel: v1alpha1.ManagedByValue}

func jobWith(spec corev1.PodSpec) *batchv1.Job {
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "made", Labels: made},
		Spec:       batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: spec}},
	}
}

func unlabelled(job *batchv1.Job) *batchv1.Job {
	job.Labels = nil
	return job
}
