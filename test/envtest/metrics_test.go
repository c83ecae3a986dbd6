// SPDX-License-Identifier: Apache-2.0

package envtest

import (
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes"
)

// scrape asks for the metrics, as whoever the token is of.
func scrape(t *testing.T, token string) (status int, text string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+metricsAddress+"/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	defer client.CloseIdleConnections()
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

// account makes a ServiceAccount, and returns a token of it.
func account(t *testing.T, namespace, name string) string {
	t.Helper()
	sa := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	if err := cluster.Create(t.Context(), sa); err != nil {
		t.Fatal(err)
	}
	request := &authenticationv1.TokenRequest{}
	if err := cluster.SubResource("token").Create(t.Context(), sa, request); err != nil {
		t.Fatal(err)
	}
	return request.Status.Token
}

// letReadMetrics gives the account the role that is shipped for it.
func letReadMetrics(t *testing.T, namespace, name string) {
	t.Helper()
	file, err := os.Open(filepath.Join("..", "..", "config", "rbac", "metrics.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	decoder := yaml.NewYAMLOrJSONDecoder(file, 4096)
	role := &rbacv1.ClusterRole{}
	for role.Name != "metrics-reader" {
		role = &rbacv1.ClusterRole{}
		if err := decoder.Decode(role); err != nil {
			t.Fatal(err)
		}
	}
	if err := cluster.Create(t.Context(), role); err != nil {
		t.Fatal(err)
	}
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "metrics-reader"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: name}},
	}
	if err := cluster.Create(t.Context(), binding); err != nil {
		t.Fatal(err)
	}
}

// asMonitoring are the metrics, as whoever may have them sees them.
func asMonitoring(t *testing.T) string {
	t.Helper()
	namespace := gcloudRun(t).Namespace
	stranger, monitoring := account(t, namespace, "stranger"), account(t, namespace, "monitoring")
	letReadMetrics(t, namespace, "monitoring")
	if status, _ := scrape(t, ""); status != http.StatusUnauthorized {
		t.Errorf("nobody gets %d, want 401", status)
	}
	if status, text := scrape(t, "x"); status == http.StatusOK || strings.Contains(text, "gcloud_operator") {
		t.Errorf("who has a wrong token gets %d: %s", status, text)
	}
	if status, _ := scrape(t, stranger); status != http.StatusForbidden {
		t.Errorf("who has no right gets %d, want 403", status)
	}
	var text string
	eventually(t, "who may have the metrics gets them", func() bool {
		var status int
		status, text = scrape(t, monitoring)
		return status == http.StatusOK
	})
	return text
}

func TestARunAndARefusalShowInTheMetricsOfWhoMayReadThem(t *testing.T) {
	settled(t, apply(t, gcloudRun(t)), 1)
	refused := gcloudRun(t)
	refused.Spec.Command = "gcloud version --project=my-project --access-token-file=x"
	if cluster.Create(t.Context(), refused) == nil {
		t.Fatal("it was admitted")
	}
	crowd(t, runsAtATime+1)

	text := asMonitoring(t)
	for _, sample := range []string{
		`gcloud_operator_runs_ended_total{kind="GcloudRun",reason="Succeeded",result="Succeeded"} `,
		`gcloud_operator_run_phase_duration_seconds_count{kind="GcloudRun",phase="Queue"} `,
		`gcloud_operator_run_phase_duration_seconds_count{kind="GcloudRun",phase="Start"} `,
		`gcloud_operator_run_phase_duration_seconds_count{kind="GcloudRun",phase="Command"} `,
		`gcloud_operator_run_phase_duration_seconds_count{kind="GcloudRun",phase="Report"} `,
		`gcloud_operator_admission_verdicts_total{kind="GcloudRun",rule="UnsafeFlag",verdict="Refused"} `,
		`gcloud_operator_admission_verdicts_total{kind="GcloudRun",rule="",verdict="Admitted"} `,
		`gcloud_operator_api_writes_total{object="Job",result="OK",verb="create"} `,
		`gcloud_operator_api_writes_total{object="GcloudRun/status",result="OK",verb="patch"} `,
		`gcloud_operator_runs{kind="GcloudRun",stage="Queued"} `,
		`gcloud_operator_oldest_run_timestamp_seconds{kind="GcloudRun",stage="Queued"} `,
	} {
		if i := strings.Index(text, sample); i < 0 || strings.HasPrefix(text[i+len(sample):], "0\n") {
			t.Errorf("there is none of %s", sample)
		}
	}
	if strings.Contains(text, refused.Namespace) {
		t.Error("a namespace stands in the metrics: whoever makes many would fill the memory with them")
	}
	expectServed(t, text)
}

var metricNames = regexp.MustCompile(`\b(gcloud_operator|controller_runtime|workqueue|apiserver)_\w+`)

// expectServed checks that what the alerts and the dashboard look at is served: by the operator, or by the
// API server.
func expectServed(t *testing.T, served string) {
	t.Helper()
	clients, err := kubernetes.NewForConfig(server)
	if err != nil {
		t.Fatal(err)
	}
	ofServer, err := clients.RESTClient().Get().AbsPath("/metrics").DoRaw(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"rules.yaml", "dashboard.json"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "config", "prometheus", file))
		if err != nil {
			t.Fatal(err)
		}
		names := metricNames.FindAllString(string(text), -1)
		if len(names) < 8 {
			t.Errorf("%s looks at %q only", file, names)
		}
		for _, name := range names {
			if !strings.Contains(served+string(ofServer), fmt.Sprintf("\n%s{", name)) {
				t.Errorf("nobody serves %s, which %s looks at", name, file)
			}
		}
	}
}
