// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const metricsHost = "gcloud-operator-metrics.gcloud-operator-system.svc"

// scrape asks at an address for the operator's metrics, and trusts nobody but whom the operator's own
// authority vouches for.
func scrape(t *testing.T, address, token string) (status int, text string) {
	t.Helper()
	var secret corev1.Secret
	must(t, cluster.Get(t.Context(), client.ObjectKey{Namespace: operatorNamespace, Name: "gcloud-operator-webhook-certificate"}, &secret))
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(secret.Data["ca.crt"]) {
		t.Fatal("the Secret has no authority")
	}
	transport := &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots},
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, net.JoinHostPort(address, "8443"))
		},
	}
	defer transport.CloseIdleConnections()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+metricsHost+"/metrics", nil)
	must(t, err)
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := (&http.Client{Transport: transport}).Do(request)
	must(t, err)
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	must(t, err)
	return response.StatusCode, string(body)
}

// monitoring is a token of a ServiceAccount that may read the metrics, if it may.
func monitoring(t *testing.T, name string, may bool) (token string) {
	t.Helper()
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	must(t, cluster.Create(t.Context(), account))
	request := &authenticationv1.TokenRequest{}
	must(t, cluster.SubResource("token").Create(t.Context(), account, request))
	if may {
		binding := &rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: namespace + "-" + name},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "gcloud-operator-metrics-reader"},
			Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: name}},
		}
		must(t, cluster.Create(t.Context(), binding))
		t.Cleanup(func() { _ = cluster.Delete(context.Background(), binding) })
	}
	return request.Status.Token
}

func TestWhoMayReadTheMetricsGetsThemFromTheServiceAndFromEachReplica(t *testing.T) {
	may, mayNot := monitoring(t, "monitoring", true), monitoring(t, "curious", false)
	var service corev1.Service
	must(t, cluster.Get(t.Context(), client.ObjectKey{Namespace: operatorNamespace, Name: "gcloud-operator-metrics"}, &service))
	if status, _ := scrape(t, service.Spec.ClusterIP, mayNot); status != http.StatusForbidden {
		t.Errorf("who may not read them gets %d, want 403", status)
	}
	eventually(t, "who may read them gets them", func() bool {
		status, text := scrape(t, service.Spec.ClusterIP, may)
		return status == http.StatusOK && strings.Contains(text, "\ngcloud_operator_runs_ended_total{")
	})
	leaders := 0
	pods := operatorPods(t)
	for _, pod := range pods {
		_, text := scrape(t, pod.Status.PodIP, may)
		if strings.Contains(text, "\ngcloud_operator_runs{") {
			leaders++
		}
	}
	if leaders != 1 {
		t.Errorf("%d of %d replicas tell of the runs under way, want the one that leads", leaders, len(pods))
	}
}
