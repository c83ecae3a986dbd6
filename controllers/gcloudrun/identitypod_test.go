// SPDX-License-Identifier: Apache-2.0

package gcloudrun

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	configv1alpha1 "github.com/gcloud-operator/gcloud-operator/api/config/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/jobspec"
	"github.com/gcloud-operator/gcloud-operator/internal/result"
	"github.com/gcloud-operator/gcloud-operator/internal/runner"
	"github.com/gcloud-operator/gcloud-operator/test/fakes"
)

const (
	keyAccount = "key-owner@my-project.iam.gserviceaccount.com"
	podAccount = "pod@my-project.iam.gserviceaccount.com"
	podSubject = "system:serviceaccount:team:deployer"
)

// identityPod is what a pod has that proves who it is, and a Google that believes it.
type identityPod struct {
	t          *testing.T
	folder     string
	google     *fakes.Identity
	kind       Kind
	privateKey string
	token      string
}

func newIdentityPod(t *testing.T) *identityPod {
	t.Helper()
	if _, err := exec.LookPath("gcloud"); err != nil {
		t.Skip("gcloud is not installed")
	}
	google := &fakes.Identity{Metadata: podAccount}
	server := httptest.NewServer(google)
	t.Cleanup(server.Close)
	address := strings.TrimPrefix(server.URL, "http://")
	p := &identityPod{t: t, folder: t.TempDir(), google: google}
	p.kind = Kind{Config: configv1alpha1.OperatorConfiguration{TTLAfterFinished: &metav1.Duration{}, Gcloud: configv1alpha1.Gcloud{
		WorkloadIdentity: true,
		STSEndpoint:      server.URL + "/",
		Env: []configv1alpha1.EnvVar{
			{Name: "CLOUDSDK_AUTH_DISABLE_CREDENTIALS", Value: "false"},
			{Name: "CLOUDSDK_AUTH_TOKEN_HOST", Value: server.URL + "/token"},
			{Name: "CLOUDSDK_API_ENDPOINT_OVERRIDES_CLOUDRESOURCEMANAGER", Value: server.URL + "/"},
			{Name: "CLOUDSDK_API_ENDPOINT_OVERRIDES_IAMCREDENTIALS", Value: server.URL + "/"},
			{Name: "GCE_METADATA_ROOT", Value: address},
			{Name: "GCE_METADATA_HOST", Value: address},
		},
	}}}
	// The runner asks in this process.
	t.Setenv("GCE_METADATA_HOST", address)
	p.mountKey()
	return p
}

func (p *identityPod) at(name string) string { return filepath.Join(p.folder, name) }

func (p *identityPod) write(name string, text []byte) {
	p.t.Helper()
	if err := os.MkdirAll(filepath.Dir(p.at(name)), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(p.at(name), text, 0o444); err != nil {
		p.t.Fatal(err)
	}
}

func (p *identityPod) mountKey() {
	p.t.Helper()
	text, secret, err := fakes.NewKey(keyAccount)
	if err != nil {
		p.t.Fatal(err)
	}
	p.privateKey = secret
	p.write("identity/"+result.KeyName, text)
}

// mountToken mounts one for this audience, as the kubelet gets it from the API server.
func (p *identityPod) mountToken(audience string) {
	p.t.Helper()
	claims := fmt.Sprintf(`{"iss":"https://kubernetes.default.svc","sub":%q,"aud":[%q]}`, podSubject, audience)
	p.token = base64.RawURLEncoding.EncodeToString([]byte(claims))
	p.write("identity/"+result.TokenName, []byte("e30."+p.token+".c2ln"))
}

type identityEnding struct {
	report result.Report
	log    bytes.Buffer
	job    string
}

// run executes the resource's Job where a pod's paths are those of a folder.
func (p *identityPod) run(g *v1alpha1.GcloudRun) *identityEnding {
	p.t.Helper()
	intent := p.kind.Intent(g, nil)
	if intent.Refusal != nil {
		p.t.Fatal(intent.Refusal.Message)
	}
	if f := intent.Plan.Identity.Federation; f != nil {
		p.mountToken(f.Audience)
	}
	job := jobspec.Job(intent.Plan, thirdRun)
	text, err := json.Marshal(job)
	if err != nil {
		p.t.Fatal(err)
	}
	ended := &identityEnding{job: string(text)}
	p.write("message", nil)
	if err := os.Chmod(p.at("message"), 0o644); err != nil {
		p.t.Fatal(err)
	}
	paths := strings.NewReplacer(result.FederationFile, p.at("federation.json"), result.IdentityDir+"/", p.at("identity")+"/")
	env := []string{"PATH=" + os.Getenv("PATH")}
	for _, entry := range environment(p.t, job.Spec.Template.Spec.Containers[0].Env) {
		env = append(env, paths.Replace(entry))
	}
	runner.Runner{
		Paths: runner.Paths{Files: p.at("files"), Home: p.at("home"), Config: p.at("config"), Temp: p.at("tmp"), Marker: p.at("state/started"),
			Identity: p.at("identity"), Federation: p.at("federation.json"), TerminationLog: p.at("message")},
		Env: env, Log: &ended.log, Now: time.Now,
	}.Run()
	message, err := os.ReadFile(p.at("message"))
	if err != nil {
		p.t.Fatal(err)
	}
	m, err := result.DecodeMessage(string(message))
	if err != nil || m.Body != result.Complete {
		p.t.Fatalf("the runner said %+v: %v", m, err)
	}
	ended.report = m.Report
	return ended
}

// secrets are all that must not get out.
func (p *identityPod) secrets() []string {
	all := append(p.google.Tokens(), p.privateKey)
	if p.token != "" {
		all = append(all, p.token)
	}
	return all
}

// findNoSecret looks at all that leaves the pod, and at what it is made of.
func (p *identityPod) findNoSecret(ended *identityEnding) {
	p.t.Helper()
	message, err := os.ReadFile(p.at("message"))
	if err != nil {
		p.t.Fatal(err)
	}
	if len(p.google.Tokens()) == 0 {
		p.t.Error("no token was given away, so there is none to look for")
	}
	for _, secret := range p.secrets() {
		for where, text := range map[string]string{
			"the Job": ended.job, "the log": ended.log.String(), "the termination message": string(message),
			"stdout": string(ended.report.Stdout.Data), "stderr": string(ended.report.Stderr.Data),
		} {
			if strings.Contains(text, secret) {
				p.t.Errorf("%s has %s", where, secret)
			}
		}
	}
	if len(ended.report.Files) > 0 {
		p.t.Errorf("these count as output files: %v", ended.report.Files)
	}
}
