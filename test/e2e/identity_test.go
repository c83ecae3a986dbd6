// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"encoding/json"
	"net"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/test/fakes"
)

const (
	identityPort = "9042"
	provider     = "projects/123456/locations/global/workloadIdentityPools/clusters/providers/e2e"
	keyAccount   = "key-owner@my-project.iam.gserviceaccount.com"
	deployer     = "deployer@my-project.iam.gserviceaccount.com"
)

// whoAmI prints as whom it acts: the fake API gives a project the name of who asks.
const whoAmI = "gcloud projects describe my-project --project=my-project --format='value(name)'"

func (b builder) identity(i v1alpha1.Identity) builder {
	b.Spec.Identity = i
	return b
}

func serveIdentity(t *testing.T) *fakes.Identity {
	t.Helper()
	google := &fakes.Identity{}
	_, stop, err := fakes.Serve(net.JoinHostPort(nodeAddress, identityPort), google)
	must(t, err)
	t.Cleanup(stop)
	return google
}

func TestACommandActsAsItsSpecSaysAndNobodyLearnsHow(t *testing.T) {
	google := serveIdentity(t)
	must(t, cluster.Create(t.Context(), &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "deployer"}}))
	file := serviceAccountKey(t)
	key := &v1alpha1.KeyRef{Name: makeSecret(t, "deployer-key", map[string]string{"key.json": string(file)}), Key: "key.json"}
	federation := &v1alpha1.WorkloadIdentityFederation{Provider: provider}
	subject := "system:serviceaccount:" + namespace + ":deployer"
	for name, c := range map[string]struct {
		identity v1alpha1.Identity
		want     string
	}{
		"key":                   {v1alpha1.Identity{SecretRef: key}, keyAccount},
		"federated":             {v1alpha1.Identity{ServiceAccountName: "deployer", WorkloadIdentityFederation: federation}, subject},
		"federated-impersonate": {v1alpha1.Identity{ServiceAccountName: "deployer", WorkloadIdentityFederation: federation, ImpersonateServiceAccount: deployer}, deployer + " by " + subject},
	} {
		t.Run(name, func(t *testing.T) {
			g := gcloudRun("identity-"+name, whoAmI).identity(c.identity).succeed(t)
			if got := strings.TrimSpace(g.Status.Response.Stdout); got != c.want {
				t.Errorf("it acted as %q, want %q", got, c.want)
			}
			for _, token := range google.Tokens() {
				secretly("a token of "+name, token)
			}
			seen := kubectl(t, "get", "gcloudruns,jobs,pods,events,configmaps", "-o", "yaml") + kubectl(t, "logs", g.Status.Run.PodName)
			if found := credentials.Find([]byte(seen)); len(found) > 0 {
				t.Errorf("%q can be read", found)
			}
		})
	}
}

// serviceAccountKey makes a key, as the file that Google hands out.
func serviceAccountKey(t *testing.T) (file []byte) {
	t.Helper()
	file, _, err := fakes.NewKey(keyAccount)
	must(t, err)
	var key struct {
		Private string `json:"private_key"`
	}
	must(t, json.Unmarshal(file, &key))
	must(t, secretKey("a service account's key", []byte(key.Private)))
	return file
}

func TestAMissingKeyIsAskedForBeforeTheCommandIsStarted(t *testing.T) {
	google := serveIdentity(t)
	g := gcloudRun("identity-missing", whoAmI).identity(v1alpha1.Identity{SecretRef: &v1alpha1.KeyRef{Name: "not-there", Key: "key.json"}}).run(t)
	expectReason(t, g, v1alpha1.ReasonInputMissing)
	if len(google.Tokens()) > 0 {
		t.Error("it acted")
	}
}
