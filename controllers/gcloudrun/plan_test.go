// SPDX-License-Identifier: Apache-2.0

package gcloudrun

import (
	"reflect"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	configv1alpha1 "github.com/gcloud-operator/gcloud-operator/api/config/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/controllers/run/decide"
	"github.com/gcloud-operator/gcloud-operator/internal/jobspec"
)

// What the fields of a spec come to is part of the key: a change here runs everything again.
func TestFieldsThatDecideWhatIsExecuted(t *testing.T) {
	base := map[string]string{
		"project": "projects/my-project", "command": "gcloud compute instances list --project=my-project --format='value(name)'",
	}
	with := func(more map[string]string) map[string]string {
		all := map[string]string{}
		for _, m := range []map[string]string{base, more} {
			for k, v := range m {
				all[k] = v
			}
		}
		return all
	}
	const sumOfA = "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"
	const sumOfNothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	for name, c := range map[string]struct {
		g    *v1alpha1.GcloudRun
		want map[string]string
	}{
		"a command alone":                           {gcloudRun(), base},
		"an identity decides":                       {gcloudRun(account("deployer")), with(map[string]string{"identity/serviceAccountName": "deployer"})},
		"a key's Secret decides, not what it holds": {gcloudRun(key), with(map[string]string{"identity/secretRef": "credentials/key.json"})},
		"a federated identity decides":              {gcloudRun(account("deployer"), federated), with(map[string]string{"identity/serviceAccountName": "deployer", "identity/workloadIdentityFederation/provider": provider})},
		"an impersonation decides":                  {gcloudRun(impersonating), with(map[string]string{"identity/impersonateServiceAccount": deployer})},
		"the default identity is none":              {gcloudRun(account("default")), base},
		"input files decide by their content":       {gcloudRun(inputs(v1alpha1.InputFile{Path: "x/y", Contents: "a"}, v1alpha1.InputFile{Path: "e"})), with(map[string]string{"inputFiles/x/y": sumOfA, "inputFiles/e": sumOfNothing})},
		"a timeout doesn't":                         {gcloudRun(timeout(time.Hour)), base},
		"which files come back doesn't":             {gcloudRun(func(g *v1alpha1.GcloudRun) { g.Spec.OutputFiles = []string{"*.json"} }), base},
		"suspending doesn't":                        {gcloudRun(func(g *v1alpha1.GcloudRun) { g.Spec.Suspend = true }), base},
		"labels and annotations don't": {gcloudRun(func(g *v1alpha1.GcloudRun) {
			g.Labels, g.Annotations = map[string]string{"a": "b"}, map[string]string{"c": "d"}
		}), base},
	} {
		if got := kind().Intent(c.g, nil).Fields; !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}

func TestFieldsAreThereEvenOfWhatCantBeRun(t *testing.T) {
	bad := func(g *v1alpha1.GcloudRun) { g.Spec.Project = "my-project" }
	intent := kind().Intent(gcloudRun(bad), nil)
	if intent.Fields["project"] != "my-project" || intent.Plan.Argv != nil {
		t.Errorf("got %+v", intent)
	}
	if want := `spec.project: "my-project" is not of the form projects/PROJECT_ID. Write projects/my-project. (ProjectFormat)`; intent.Refusal == nil || *intent.Refusal != (decide.Refusal{Reason: v1alpha1.ReasonInvalidSpec, Message: want}) {
		t.Errorf("got %+v, want %q", intent.Refusal, want)
	}
	if refusal := kind().Intent(gcloudRun(), nil).Refusal; refusal != nil {
		t.Errorf("the spec of all other tests can't be run: %+v", refusal)
	}
}

func TestSuspensionIsTold(t *testing.T) {
	if !kind().Intent(gcloudRun(func(g *v1alpha1.GcloudRun) { g.Spec.Suspend = true }), nil).Suspended || kind().Intent(gcloudRun(), nil).Suspended {
		t.Error("it isn't what spec.suspend says")
	}
}

func TestPlanIsWhatTheSpecAndTheConfigurationSay(t *testing.T) {
	k := kind()
	got := k.Intent(gcloudRun(account("deployer"), timeout(time.Minute), inputs(v1alpha1.InputFile{Path: "a.txt", Contents: "a"}),
		func(g *v1alpha1.GcloudRun) { g.Spec.OutputFiles = []string{"*.json"} }), nil).Plan
	got.Env = nil
	want := jobspec.Plan{
		Image: "gcloud:528", RunnerImage: "runner:1",
		Argv:               []string{"gcloud", "compute", "instances", "list", "--project=my-project", "--format=value(name)"},
		Inputs:             []jobspec.InputFile{{Path: "a.txt", Contents: "a"}},
		OutputFiles:        []string{"*.json"},
		Timeout:            time.Minute,
		ServiceAccountName: "deployer",
		Resources:          k.Config.Gcloud.Resources,
		CaptureBytes:       2000,
		TTL:                time.Hour,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestSettingsOfThePodReachItAndRunNothingAgain(t *testing.T) {
	k := kind()
	k.Config.Network = configv1alpha1.Network{HTTPSProxy: "http://proxy:3128", CABundle: "PEM"}
	settings := v1alpha1.PodSettings{
		Resources:    v1alpha1.PodResources{Limits: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("4Gi")}},
		NodeSelector: map[string]v1alpha1.LabelValue{"pool": "batch"},
	}
	before, after := k.Intent(gcloudRun(), nil), k.Intent(gcloudRun(func(g *v1alpha1.GcloudRun) { g.Spec.Pod = settings }), nil)
	if !reflect.DeepEqual(before.Fields, after.Fields) {
		t.Errorf("the key would change from that of %v to that of %v", before.Fields, after.Fields)
	}
	p := after.Plan
	if p.Resources.Limits.Memory().String() != "4Gi" || !reflect.DeepEqual(p.Pod, settings) || p.CABundle != "PEM" {
		t.Errorf("got %+v", p)
	}
	if k.Config.Gcloud.Resources.Limits.Memory().String() != "1Gi" {
		t.Error("the defaults of all runs were changed")
	}
}

func TestMoreThanTheConfigurationAllowsIsRefused(t *testing.T) {
	k := kind()
	k.Config.Pods.AllowedPriorityClasses = []string{"low"}
	refusal := k.Intent(gcloudRun(func(g *v1alpha1.GcloudRun) { g.Spec.Pod.PriorityClassName = "high" }), nil).Refusal
	if refusal == nil || refusal.Reason != v1alpha1.ReasonInvalidSpec || !strings.Contains(refusal.Message, `supported values: "low"`) {
		t.Errorf("got %+v", refusal)
	}
}

func TestTimeoutHasItsDefault(t *testing.T) {
	if got := kind().Intent(gcloudRun(), nil).Plan.Timeout; got != 10*time.Minute {
		t.Errorf("got %s", got)
	}
}

func TestEnvironmentOfTheCommand(t *testing.T) {
	bill := func(g *v1alpha1.GcloudRun) {
		g.Spec.Command = "gcloud compute instances list --billing-project=my-payer"
	}
	onGKE := func(k *Kind) { k.Config.Gcloud.WorkloadIdentity = true }
	anonymous := func(k *Kind) {
		k.Config.Gcloud.Env = []configv1alpha1.EnvVar{{Name: "CLOUDSDK_AUTH_DISABLE_CREDENTIALS", Value: "true"}}
	}
	const file, metadata, credentials = "CLOUDSDK_AUTH_CREDENTIAL_FILE_OVERRIDE", "CLOUDSDK_CORE_CHECK_GCE_METADATA", "CLOUDSDK_AUTH_DISABLE_CREDENTIALS"
	override := func(k *Kind) {
		k.Config.Gcloud.Env = []configv1alpha1.EnvVar{{Name: "COLUMNS", Value: "80"}}
	}
	for name, c := range map[string]struct {
		configure func(*Kind)
		g         *v1alpha1.GcloudRun
		variable  string
		want      string
	}{
		"it never asks":                              {nil, gcloudRun(), "CLOUDSDK_CORE_DISABLE_PROMPTS", "1"},
		"it enables no API by itself":                {nil, gcloudRun(), "CLOUDSDK_CORE_SHOULD_PROMPT_TO_ENABLE_API", "false"},
		"it writes no log files":                     {nil, gcloudRun(), "CLOUDSDK_CORE_DISABLE_FILE_LOGGING", "true"},
		"its configuration is in the pod's volume":   {nil, gcloudRun(), "CLOUDSDK_CONFIG", "/workspace/config"},
		"its home is, too":                           {nil, gcloudRun(), "HOME", "/workspace/home"},
		"and its temporary files":                    {nil, gcloudRun(), "TMPDIR", "/workspace/tmp"},
		"spec.project pays":                          {nil, gcloudRun(), "CLOUDSDK_BILLING_QUOTA_PROJECT", "my-project"},
		"by its number, too":                         {nil, gcloudRun(func(g *v1alpha1.GcloudRun) { g.Spec.Project = "projects/123" }), "CLOUDSDK_BILLING_QUOTA_PROJECT", "123"},
		"no project of resources is pre-configured":  {nil, gcloudRun(), "CLOUDSDK_CORE_PROJECT", ""},
		"who names only who pays, means its project": {nil, gcloudRun(bill), "CLOUDSDK_CORE_PROJECT", "my-payer"},
		"the administrator's variables are there":    {nil, gcloudRun(), "HTTPS_PROXY", "http://proxy:3128"},
		"and win":                                     {override, gcloudRun(), "COLUMNS", "80"},
		"nobody looks for a metadata server":          {nil, gcloudRun(account("deployer")), metadata, "false"},
		"on GKE gcloud does":                          {onGKE, gcloudRun(account("deployer")), metadata, ""},
		"there, who has a key doesn't":                {onGKE, gcloudRun(key), metadata, "false"},
		"nor does a federated identity":               {onGKE, gcloudRun(federated), metadata, "false"},
		"a key is told by its path":                   {nil, gcloudRun(key), file, "/identity/key.json"},
		"a federation is, too":                        {nil, gcloudRun(federated), file, "/workspace/identity/federation.json"},
		"the pod's own identity is told by no path":   {onGKE, gcloudRun(account("deployer")), file, ""},
		"an impersonation is told":                    {nil, gcloudRun(impersonating, key), "CLOUDSDK_AUTH_IMPERSONATE_SERVICE_ACCOUNT", deployer},
		"commands without credentials may do without": {anonymous, gcloudRun(account("deployer")), credentials, "true"},
		"those that name some don't":                  {anonymous, gcloudRun(key), credentials, "false"},
	} {
		k := kind()
		if c.configure != nil {
			c.configure(&k)
		}
		intent := k.Intent(c.g, nil)
		got := ""
		for _, v := range intent.Plan.Env { // the last of a name is what a container gets
			if v.Name == c.variable {
				got = v.Value
			}
		}
		if got != c.want || intent.Refusal != nil {
			t.Errorf("%s: %s is %q, want %q %+v", name, c.variable, got, c.want, intent.Refusal)
		}
	}
}

func TestCommandGetsNothingOfTheOperatorsOwn(t *testing.T) {
	t.Setenv("CLOUDSDK_CORE_ACCOUNT", "operator@my-project.iam.gserviceaccount.com")
	for _, v := range kind().Intent(gcloudRun(), nil).Plan.Env {
		if v.ValueFrom != nil || strings.Contains(v.Value, "operator@") {
			t.Errorf("got %+v", v)
		}
	}
}
