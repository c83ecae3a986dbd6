// SPDX-License-Identifier: Apache-2.0

package gcloudrun

import (
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	configv1alpha1 "github.com/gcloud-operator/gcloud-operator/api/config/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

// A real gcloud, started by the real runner from the Job of a resource, acts as the resource says: the
// project that it describes has the name of who asks.
func TestGcloudActsAsTheSpecSays(t *testing.T) {
	for name, c := range map[string]struct {
		g    *v1alpha1.GcloudRun
		want string
	}{
		"a key":                                    {gcloudRun(whoAmI, key), keyAccount},
		"a key that impersonates":                  {gcloudRun(whoAmI, key, impersonating), deployer + " by " + keyAccount},
		"a federated identity":                     {gcloudRun(whoAmI, federated), podSubject},
		"a federated identity that impersonates":   {gcloudRun(whoAmI, federated, impersonating), deployer + " by " + podSubject},
		"the pod's own identity":                   {gcloudRun(whoAmI, account("deployer")), podAccount},
		"the pod's own identity that impersonates": {gcloudRun(whoAmI, account("deployer"), impersonating), deployer + " by " + podAccount},
	} {
		t.Run(name, func(t *testing.T) {
			p := newIdentityPod(t)
			ended := p.run(c.g)
			if got := strings.TrimSpace(string(ended.report.Stdout.Data)); got != c.want {
				t.Errorf("gcloud acts as %q, want %q: %s %s", got, c.want, ended.report.Message, ended.report.Stderr.Data)
			}
			p.findNoSecret(ended)
		})
	}
}

func whoAmI(g *v1alpha1.GcloudRun) {
	g.Spec.Command = "gcloud projects describe my-project --project=my-project --format='value(name)'"
}

func TestGcloudFindsTheMetadataServerThatStartsLate(t *testing.T) {
	p := newIdentityPod(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	t.Setenv("GCE_METADATA_HOST", address)
	p.kind.Config.Gcloud.Env = append(p.kind.Config.Gcloud.Env,
		configv1alpha1.EnvVar{Name: "GCE_METADATA_HOST", Value: address}, configv1alpha1.EnvVar{Name: "GCE_METADATA_ROOT", Value: address})
	node := &http.Server{Addr: address, Handler: p.google}
	t.Cleanup(func() { node.Close() })
	time.AfterFunc(2*time.Second, func() { _ = node.ListenAndServe() }) // until it is closed
	ended := p.run(gcloudRun(whoAmI, account("deployer")))
	if got := strings.TrimSpace(string(ended.report.Stdout.Data)); got != podAccount {
		t.Errorf("gcloud acts as %q: %s %s", got, ended.report.Message, ended.report.Stderr.Data)
	}
}

func TestFederationIsTheConfigurationThatGoogleDocuments(t *testing.T) {
	const want = `{"type":"external_account","audience":"//iam.googleapis.com/` + provider + `","subject_token_type":"urn:ietf:params:oauth:token-type:jwt",` +
		`"token_url":"https://sts.googleapis.com/v1/token","token_info_url":"https://sts.googleapis.com/v1/introspect","credential_source":{"file":"/identity/token"}}`
	if got := federation(provider, "https://sts.googleapis.com/"); got != want {
		t.Errorf("got %s", got)
	}
}

func TestAPodGetsOneIdentity(t *testing.T) {
	k := kind()
	k.Config.Gcloud.WorkloadIdentity = true
	for name, c := range map[string]struct {
		kind                     Kind
		g                        *v1alpha1.GcloudRun
		key, federated, metadata bool
	}{
		"a key":                      {k, gcloudRun(key), true, false, false},
		"a federated identity":       {k, gcloudRun(federated, account("deployer")), false, true, false},
		"that of its ServiceAccount": {k, gcloudRun(account("deployer")), false, false, true},
		"none, where there is no metadata server": {kind(), gcloudRun(account("deployer")), false, false, false},
	} {
		got := c.kind.Intent(c.g, nil).Plan.Identity
		if (got.Key != nil) != c.key || (got.Federation != nil) != c.federated || got.Metadata != c.metadata {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}
