// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	registrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/cert"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

const operatorAccount = "system:serviceaccount:gcloud-operator-system:gcloud-operator-manager"

// The operator is killed at each write in turn, once before the API server has taken it, and once
// after, when the answer is lost.
func TestTheOperatorIsKilledAtEveryWriteAndTheCommandRunsOnce(t *testing.T) {
	flags := database(t, "crash", "CREATE TABLE Counts (Id INT64, N INT64) PRIMARY KEY (Id);")
	gcloudRun("crash-zero", "gcloud spanner rows insert --database=db --table=Counts --data=Id=1,N=0"+flags).succeed(t)
	increment := `gcloud spanner databases execute-sql db --sql="UPDATE Counts SET N = N + 1 WHERE Id = 1"` + flags
	killer := startKiller(t)
	runs := 0
	for _, moment := range []string{"before", "after"} {
		for write := 1; ; write++ {
			name := fmt.Sprintf("crash-%s-%d", moment, write)
			killer.arm(name, write, moment == "after")
			g := gcloudRun(name, increment).succeed(t)
			runs++
			expectContains(t, "stdout", g.Status.Response.Stdout, "Statement modified 1 row")
			expectReleased(t, g)
			killed, what := killer.disarm()
			if !killed {
				break
			}
			t.Logf("killed %s write %d: %s", moment, write, what)
			expectOperatorReady(t)
		}
	}
	if runs < 2*6 {
		t.Errorf("there were only %d runs, although each of a run's writes has two", runs)
	}
	count := gcloudRun("crash-count", `gcloud spanner databases execute-sql db --format="value[separator=''](rows)" --sql="SELECT N FROM Counts"`+flags).succeed(t)
	if want := fmt.Sprintf("['%d']", runs); strings.TrimSpace(count.Status.Response.Stdout) != want {
		t.Errorf("%d runs executed their command %s times", runs, count.Status.Response.Stdout)
	}
}

// expectOperatorReady waits until another process of the operator has taken over.
func expectOperatorReady(t *testing.T) {
	t.Helper()
	eventually(t, "the operator is back", func() bool {
		probe := gcloudRun("probe", "gcloud version --project=my-project")
		return cluster.Create(t.Context(), probe.GcloudRun, client.DryRunAll) == nil
	})
}

func expectReleased(t *testing.T, g *v1alpha1.GcloudRun) {
	t.Helper()
	eventually(t, "the pod is let go of", func() bool {
		for _, f := range podOf(t, g).Finalizers {
			if f == v1alpha1.ReportFinalizer {
				return false
			}
		}
		return true
	})
}

// killer is an admission webhook that sees each of the operator's writes before the API server takes
// it, and kills the operator at the one that it is told.
type killer struct {
	mutex  sync.Mutex
	run    string // the name of the resource whose writes are counted; empty: none are
	left   int
	accept bool
	what   string
}

// arm has the operator killed at that write for the run of the resource.
func (k *killer) arm(run string, write int, accept bool) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	k.run, k.left, k.accept, k.what = run, write, accept, ""
}

// disarm says whether the operator was killed, and at what.
func (k *killer) disarm() (killed bool, what string) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	k.run = ""
	return k.what != "", k.what
}

// admit answers whether the write is taken.
func (k *killer) admit(r *admissionv1.AdmissionRequest) bool {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	if k.run == "" || !concerns(r, k.run) {
		return true
	}
	if k.left--; k.left != 0 {
		return true
	}
	k.what = fmt.Sprintf("%s %s/%s", r.Operation, r.Resource.Resource, r.SubResource)
	if err := killOperator(); err != nil {
		panic(err)
	}
	return k.accept
}

// concerns says whether the write is for the run of that resource: of itself, its Job, or its pod.
func concerns(r *admissionv1.AdmissionRequest, run string) bool {
	var object metav1.PartialObjectMetadata
	if err := json.Unmarshal(r.Object.Raw, &object); err != nil {
		return false
	}
	return r.Kind.Kind == "GcloudRun" && object.Name == run || object.Annotations[v1alpha1.OwnerAnnotation] == "GcloudRun/"+run
}

func (k *killer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var review admissionv1.AdmissionReview
	body, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(body, &review)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	review.Response = &admissionv1.AdmissionResponse{UID: review.Request.UID, Allowed: k.admit(review.Request)}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(review)
}

// startKiller serves the webhook beside the node, and has the API server ask it.
func startKiller(t *testing.T) *killer {
	t.Helper()
	chain, key, err := cert.GenerateSelfSignedCertKey(nodeAddress, []net.IP{net.ParseIP(nodeAddress)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	pair, err := tls.X509KeyPair(chain, key)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := tls.Listen("tcp", net.JoinHostPort(nodeAddress, "0"), &tls.Config{Certificates: []tls.Certificate{pair}})
	if err != nil {
		t.Fatal(err)
	}
	k := &killer{}
	server := &http.Server{Handler: k}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })

	configuration := killerConfiguration("https://"+listener.Addr().String(), chain)
	if err := cluster.Create(t.Context(), configuration); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cluster.Delete(context.Background(), configuration) })
	return k
}

func killerConfiguration(url string, ca []byte) *registrationv1.ValidatingWebhookConfiguration {
	rule := func(group, version, resource string) registrationv1.RuleWithOperations {
		return registrationv1.RuleWithOperations{
			Operations: []registrationv1.OperationType{registrationv1.Create, registrationv1.Update},
			Rule:       registrationv1.Rule{APIGroups: []string{group}, APIVersions: []string{version}, Resources: []string{resource}},
		}
	}
	return &registrationv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: namespace + "-killer"},
		Webhooks: []registrationv1.ValidatingWebhook{{
			Name:                    "killer.e2e.gcloud-operator.dev",
			ClientConfig:            registrationv1.WebhookClientConfig{URL: &url, CABundle: ca},
			FailurePolicy:           new(registrationv1.Fail),
			SideEffects:             new(registrationv1.SideEffectClassNone),
			AdmissionReviewVersions: []string{"v1"},
			NamespaceSelector:       &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": namespace}},
			MatchConditions: []registrationv1.MatchCondition{{
				Name: "by-the-operator", Expression: "request.userInfo.username == '" + operatorAccount + "'",
			}},
			Rules: []registrationv1.RuleWithOperations{
				rule("gcloud-operator.dev", "v1alpha1", "gcloudruns/status"),
				rule("batch", "v1", "jobs"),
				rule("", "v1", "pods"),
				rule("", "v1", "configmaps"),
			},
		}},
	}
}
