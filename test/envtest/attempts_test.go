// SPDX-License-Identifier: Apache-2.0

package envtest

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// auditLog is that of the API server, without what objects hold.
var auditLog string

const auditPolicy = `{"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "omitStages": ["RequestReceived"], "rules": [
	{"level": "Metadata", "resources": [{"group": "gcloud-operator.dev"}]}, {"level": "None"}]}`

// keepAudit has the API server keep an audit log, in a folder of its own.
func keepAudit(environment *envtest.Environment) (folder string, err error) {
	if folder, err = os.MkdirTemp("", "envtest-audit-"); err != nil {
		return "", err
	}
	policy := filepath.Join(folder, "policy.json")
	auditLog = filepath.Join(folder, "audit.log")
	arguments := environment.ControlPlane.GetAPIServer().Configure()
	arguments.Append("audit-policy-file", policy).Append("audit-log-path", auditLog).Append("audit-log-mode", "blocking")
	return folder, os.WriteFile(policy, []byte(auditPolicy), 0o600)
}

// audited returns the annotations of the request to make the object.
func audited(t *testing.T, o client.Object) map[string]string {
	t.Helper()
	file, err := os.Open(auditLog)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var event struct {
			Verb      string
			ObjectRef struct{ Namespace, Name string }

			Annotations map[string]string
		}
		if err := json.Unmarshal(lines.Bytes(), &event); err != nil {
			t.Fatal(err)
		}
		if event.Verb == "create" && event.ObjectRef.Namespace == o.GetNamespace() && event.ObjectRef.Name == o.GetName() {
			return event.Annotations
		}
	}
	t.Fatalf("the audit log lacks %s/%s", o.GetNamespace(), o.GetName())
	return nil
}

// install applies a file of config.
func install(t *testing.T, path ...string) {
	t.Helper()
	file, err := os.Open(filepath.Join(append([]string{"..", "..", "config"}, path...)...))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	for decoder := yaml.NewYAMLOrJSONDecoder(file, 4096); ; {
		o := &unstructured.Unstructured{}
		if err := decoder.Decode(o); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		if err := cluster.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
}

// tenant is somebody who may make resources of the operator's kinds, and nothing else.
func tenant(t *testing.T, namespace string) client.Client {
	t.Helper()
	for _, o := range []client.Object{
		&rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "tenant"}, Rules: []rbacv1.PolicyRule{
			{APIGroups: []string{"gcloud-operator.dev"}, Resources: []string{"gcloudruns"}, Verbs: []string{"create"}}}},
		&rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "tenant"},
			RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "tenant"},
			Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: "tenant"}}},
	} {
		if err := cluster.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	as := rest.CopyConfig(server)
	as.Impersonate.UserName = "tenant"
	c, err := client.New(as, client.Options{Scheme: cluster.Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestWhoTriesToUseWhatHeMayNotIsSeen(t *testing.T) {
	install(t, "policy", "users.yaml")
	g := gcloudRun(t)
	g.Spec.Identity.ServiceAccountName = "deployer"
	as := tenant(t, g.Namespace)
	eventually(t, "the policy refuses", func() bool {
		g.Name += "x"
		return apierrors.IsForbidden(as.Create(t.Context(), g)) && len(audited(t, g)) > 2
	})

	annotations := audited(t, g)
	if got := annotations["gcloud-operator-users-use-their-own/account"]; got != "deployer" {
		t.Errorf("the audit log has the account %q: %v", got, annotations)
	}
	clients, err := kubernetes.NewForConfig(server)
	if err != nil {
		t.Fatal(err)
	}
	served, err := clients.RESTClient().Get().AbsPath("/metrics").DoRaw(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	const refusal = `apiserver_validating_admission_policy_check_total{enforcement_action="deny",.*policy="gcloud-operator-users-use-their-own",`
	if !regexp.MustCompile(refusal).Match(served) {
		t.Errorf("the API server counts no refusal, which would be %s", refusal)
	}
}
