// SPDX-License-Identifier: Apache-2.0

package config

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	configv1alpha1 "github.com/gcloud-operator/gcloud-operator/api/config/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/command"
)

const head = "apiVersion: config.gcloud-operator.dev/v1alpha1\nkind: OperatorConfiguration\n"

func load(t *testing.T, text string) (configv1alpha1.OperatorConfiguration, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return Load(path)
}

func mustLoad(t *testing.T, text string) configv1alpha1.OperatorConfiguration {
	t.Helper()
	c, err := load(t, text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestWhatIsLeftOutHasItsDefault(t *testing.T) {
	c := mustLoad(t, head)
	if c.Gcloud.Image != "gcr.io/google.com/cloudsdktool/google-cloud-cli:528.0.0-slim" || c.Gcloud.RunnerImage != "" {
		t.Errorf("got the images %q and %q", c.Gcloud.Image, c.Gcloud.RunnerImage)
	}
	if c.Results.InlineBytes != 65_536 || c.Results.CaptureBytes != 4_194_304 || c.TTLAfterFinished.Duration != time.Hour {
		t.Errorf("got %+v, and a TTL of %s", c.Results, c.TTLAfterFinished.Duration)
	}
	r := c.Gcloud.Resources
	for name, got := range map[string]string{
		"100m":  r.Requests.Cpu().String(),
		"256Mi": r.Requests.Memory().String(),
		"1Gi":   r.Limits.Memory().String(),
		"2Gi":   r.Limits.StorageEphemeral().String(),
	} {
		if got != name {
			t.Errorf("got %s, want %s", got, name)
		}
	}
	if reads := c.Reads.Resources.Limits; reads.Memory().String() != "256Mi" || reads.StorageEphemeral().String() != "256Mi" {
		t.Errorf("reads are limited to %v", reads)
	}
	if c.Gcloud.WorkloadIdentity || c.Gcloud.STSEndpoint != "https://sts.googleapis.com/" {
		t.Errorf("got %+v", c.Gcloud)
	}
	if p := Policy(c.Commands); !reflect.DeepEqual(p, command.Policy{}) {
		t.Errorf("got the rules %+v", p)
	}
}

func TestWhatIsWrittenHolds(t *testing.T) {
	c := mustLoad(t, head+`
gcloud:
  image: registry.example.com/gcloud@sha256:0123
  runnerImage: registry.example.com/runner:1
  workloadIdentity: true
  stsEndpoint: https://sts.example.com/
  env:
  - name: HTTPS_PROXY
    value: http://proxy:3128/$(x)
  resources:
    limits:
      memory: 4Gi
pods:
  maxResources:
    memory: 8Gi
  allowedPriorityClasses: [batch]
network:
  httpsProxy: http://proxy:3128
  noProxy: .internal
results:
  inlineBytes: 262144
  captureBytes: 6291456
ttlAfterFinished: 0s
imagePullPatience: 5m
newObjects: Hold
maxRunsPerNamespace: 20
commands:
  modes:
    LoggingLimit: Warn
  forbidden: [projects delete]
  allowedCommands: [projects *]
  deniedCommands: [projects create]
  allowedProjects:
    team: [my-*]
  allowedImpersonations:
    team: [reader@*]
`)
	if c.Gcloud.Image != "registry.example.com/gcloud@sha256:0123" || c.Gcloud.RunnerImage != "registry.example.com/runner:1" {
		t.Errorf("got the images %q and %q", c.Gcloud.Image, c.Gcloud.RunnerImage)
	}
	if !c.Gcloud.WorkloadIdentity || c.Gcloud.STSEndpoint != "https://sts.example.com/" {
		t.Errorf("got %+v", c.Gcloud)
	}
	if want := []configv1alpha1.EnvVar{{Name: "HTTPS_PROXY", Value: "http://proxy:3128/$(x)"}}; !reflect.DeepEqual(c.Gcloud.Env, want) {
		t.Errorf("got the environment %v", c.Gcloud.Env)
	}
	// Requests that were left out on purpose are not filled in: they would be more than some limits.
	if r := c.Gcloud.Resources; len(r.Requests) != 0 || len(r.Limits) != 1 || r.Limits.Memory().String() != "4Gi" {
		t.Errorf("got the resources %+v", r)
	}
	if m := c.Pods.MaxResources; m.Memory().String() != "8Gi" || !slices.Equal(c.Pods.AllowedPriorityClasses, []string{"batch"}) {
		t.Errorf("got of pods %+v", c.Pods)
	}
	if c.Network != (configv1alpha1.Network{HTTPSProxy: "http://proxy:3128", NoProxy: ".internal"}) {
		t.Errorf("got the network %+v", c.Network)
	}
	if c.Results.InlineBytes != 262_144 || c.Results.CaptureBytes != 6_291_456 || c.TTLAfterFinished.Duration != 0 {
		t.Errorf("got %+v, and a TTL of %s", c.Results, c.TTLAfterFinished.Duration)
	}
	if c.NewObjects != configv1alpha1.Hold || c.ImagePullPatience.Duration != 5*time.Minute {
		t.Errorf("got %s of new objects, and a patience of %s", c.NewObjects, c.ImagePullPatience.Duration)
	}
	want := command.Policy{
		Modes:     map[command.Rule]command.Mode{command.LoggingLimit: command.Warn},
		Forbidden: []string{"projects delete"}, AllowedCommands: []string{"projects *"}, DeniedCommands: []string{"projects create"},
		AllowedProjects:       map[string][]string{"team": {"my-*"}},
		AllowedImpersonations: map[string][]string{"team": {"reader@*"}},
	}
	if got := Policy(c.Commands); !reflect.DeepEqual(got, want) {
		t.Errorf("got the rules %+v", got)
	}
}

func TestWhatIsWrongIsRefused(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"an empty file":                {"", "it is  : write apiVersion: config.gcloud-operator.dev/v1alpha1, kind: OperatorConfiguration"},
		"another kind":                 {"apiVersion: v1\nkind: ConfigMap\n", "it is v1 ConfigMap: write apiVersion: config.gcloud-operator.dev/v1alpha1, kind: OperatorConfiguration"},
		"another version":              {strings.Replace(head, "v1alpha1", "v1", 1), "it is config.gcloud-operator.dev/v1 OperatorConfiguration: write"},
		"no YAML":                      {head + "gcloud: [", "did not find expected node content"},
		"a misspelt field":             {head + "gcloud:\n  imagee: a\n", `unknown field "imagee"`},
		"a field in another place":     {head + "image: a\n", `unknown field "image"`},
		"a field twice":                {head + "ttlAfterFinished: 1h\nttlAfterFinished: 2h\n", `"ttlAfterFinished" already set`},
		"text for a number":            {head + "results:\n  inlineBytes: 64Ki\n", "inlineBytes"},
		"too much in the status":       {head + "results:\n  inlineBytes: 262145\n", "results.inlineBytes is 262145: write a number from 0 to 262144"},
		"less than nothing there":      {head + "results:\n  inlineBytes: -1\n", "results.inlineBytes is -1: write a number from 0 to 262144"},
		"more than a log holds":        {head + "results:\n  captureBytes: 6291457\n", "results.captureBytes is 6291457: write a number from 0 to 6291456"},
		"less than nothing of it":      {head + "results:\n  captureBytes: -1\n", "results.captureBytes is -1: write a number from 0 to 6291456"},
		"a time that has passed":       {head + "ttlAfterFinished: -1s\n", "ttlAfterFinished is -1s: write a duration from 0s to 596523h14m7s"},
		"more than a Job holds":        {head + "ttlAfterFinished: 600000h\n", "ttlAfterFinished is 600000h0m0s: write a duration from 0s to 596523h14m7s"},
		"a patience without end":       {head + "imagePullPatience: 1h\n", "imagePullPatience is 1h0m0s: write a duration from 0s to 5m0s"},
		"an unknown way with the new":  {head + "newObjects: Ask\n", `newObjects is "Ask": write Run or Hold`},
		"a duration without its unit":  {head + "ttlAfterFinished: \"60\"\n", "missing unit in duration"},
		"a path that isn't joined":     {head + "gcloud:\n  stsEndpoint: https://sts.example.com\n", `gcloud.stsEndpoint is "https://sts.example.com": write a URL with a slash at the end, such as https://sts.googleapis.com/`},
		"less than no runs":            {head + "maxRunsPerNamespace: -1\n", "maxRunsPerNamespace is -1: write a number, or 0 for as many as there are"},
		"a variable without a name":    {head + "gcloud:\n  env:\n  - name: A\n    value: b\n  - value: c\n", "gcloud.env[1] has no name"},
		"a rule that there isn't":      {head + "commands:\n  modes:\n    LogLimit: Off\n", `commands: modes: there is no rule "LogLimit"`},
		"a mode that there isn't":      {head + "commands:\n  modes:\n    LoggingLimit: Audit\n", `commands: modes: LoggingLimit: mode "Audit" is none of Enforce, Warn, Off`},
		"a rule that can't be put off": {head + "commands:\n  modes:\n    ForbiddenCommand: Warn\n", "commands: modes: ForbiddenCommand is always enforced"},
		"a proxy that is no URL":       {head + "network:\n  httpsProxy: proxy:3128\n", `network.httpsProxy is "proxy:3128": write a URL such as http://proxy.example.com:3128`},
		"certificates that are none":   {head + "network:\n  caBundle: x\n", "network.caBundle: write certificates in PEM, and nothing else"},
		"a certificate that is broken": {head + "network:\n  caBundle: |\n    -----BEGIN CERTIFICATE-----\n    AAAA\n    -----END CERTIFICATE-----\n", "network.caBundle: x509: "},
		"a key among certificates":     {head + "network:\n  caBundle: |\n    -----BEGIN PRIVATE KEY-----\n    AAAA\n    -----END PRIVATE KEY-----\n", "network.caBundle: write certificates in PEM, and nothing else"},
		"too many certificates":        {head + "network:\n  caBundle: " + strings.Repeat("x", 32_769) + "\n", "network.caBundle: it has 32769 bytes: write at most 32768"},
		"a quantity that is none":      {head + "gcloud:\n  resources:\n    limits:\n      memory: lots\n", "quantities must match"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := load(t, c.text)
			if err == nil || !strings.HasPrefix(err.Error(), "reading the configuration ") || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestFileThatIsNotThereIsNamed(t *testing.T) {
	if _, err := Load("/does/not/exist.yaml"); err == nil || !strings.Contains(err.Error(), "/does/not/exist.yaml") {
		t.Errorf("got %v", err)
	}
}

func TestShippedConfigurationsAreRead(t *testing.T) {
	paths, err := filepath.Glob("../../config/*/config.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatalf("found none: %v", err)
	}
	for _, path := range paths {
		c, err := Load(path)
		if err != nil {
			t.Error(err)
		}
		if _, there := c.Gcloud.Resources.Limits[corev1.ResourceMemory]; !there {
			t.Errorf("%s: a command could take all of a node's memory", path)
		}
	}
}
