// SPDX-License-Identifier: Apache-2.0

// Package config reads the operator's configuration file.
package config

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	configv1alpha1 "github.com/gcloud-operator/gcloud-operator/api/config/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/command"
	"github.com/gcloud-operator/gcloud-operator/internal/jobspec"
	"github.com/gcloud-operator/gcloud-operator/internal/output"
	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

const (
	// defaultImage is Google's published image of the version that the command tree was made from.
	defaultImage = "gcr.io/google.com/cloudsdktool/google-cloud-cli:528.0.0-slim"

	defaultSTSEndpoint = "https://sts.googleapis.com/"

	defaultTTL = time.Hour
	// maxTTL is what a Job's seconds hold.
	maxTTL = math.MaxInt32 * time.Second

	defaultImagePullPatience = time.Minute

	// maxInlineBytes keeps a status, which also has the spec beside it, well below what etcd takes.
	maxInlineBytes = 256 << 10
	// maxCaptureBytes keeps the pass-through and the report together below the 10 MiB at which the
	// kubelet rotates a log.
	maxCaptureBytes = 6 << 20
)

// Load reads the file and fills in what it leaves out. A field that the operator doesn't know is an
// error: a misspelt rule must not go unnoticed.
func Load(path string) (configv1alpha1.OperatorConfiguration, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return configv1alpha1.OperatorConfiguration{}, fmt.Errorf("reading the configuration: %w", err)
	}
	c, err := parse(data)
	if err != nil {
		return configv1alpha1.OperatorConfiguration{}, fmt.Errorf("reading the configuration %s: %w", path, err)
	}
	return c, nil
}

func parse(data []byte) (configv1alpha1.OperatorConfiguration, error) {
	var c configv1alpha1.OperatorConfiguration
	if err := yaml.UnmarshalStrict(data, &c); err != nil {
		return c, err
	}
	want := configv1alpha1.SchemeGroupVersion.String()
	if c.APIVersion != want || c.Kind != configv1alpha1.Kind {
		return c, fmt.Errorf("it is %s %s: write apiVersion: %s, kind: %s", c.APIVersion, c.Kind, want, configv1alpha1.Kind)
	}
	setDefaults(&c)
	return c, check(c)
}

// Policy is the configuration of the rules for commands.
func Policy(c configv1alpha1.Commands) command.Policy {
	p := command.Policy{
		Forbidden:       c.Forbidden,
		AllowedCommands: c.AllowedCommands,
		DeniedCommands:  c.DeniedCommands,
		AllowedProjects: c.AllowedProjects,

		AllowedImpersonations: c.AllowedImpersonations,
	}
	for rule, mode := range c.Modes {
		if p.Modes == nil {
			p.Modes = map[command.Rule]command.Mode{}
		}
		p.Modes[command.Rule(rule)] = command.Mode(mode)
	}
	return p
}

func setDefaults(c *configv1alpha1.OperatorConfiguration) {
	if c.Gcloud.Image == "" {
		c.Gcloud.Image = defaultImage
	}
	c.Gcloud.STSEndpoint = cmp.Or(c.Gcloud.STSEndpoint, defaultSTSEndpoint)
	if c.Gcloud.Resources.Requests == nil && c.Gcloud.Resources.Limits == nil {
		c.Gcloud.Resources = defaultResources()
	}
	c.Reads.Image = cmp.Or(c.Reads.Image, c.Gcloud.RunnerImage, c.Gcloud.Image)
	if c.Reads.Resources.Requests == nil && c.Reads.Resources.Limits == nil {
		c.Reads.Resources = defaultReadResources()
	}
	if c.Results.InlineBytes == 0 {
		c.Results.InlineBytes = output.DefaultInlineBytes
	}
	if c.Results.CaptureBytes == 0 {
		c.Results.CaptureBytes = result.DefaultCaptureBytes
	}
	c.NewObjects = cmp.Or(c.NewObjects, configv1alpha1.Run)
	if c.ImagePullPatience == nil {
		c.ImagePullPatience = &metav1.Duration{Duration: defaultImagePullPatience}
	}
	if c.TTLAfterFinished == nil {
		c.TTLAfterFinished = &metav1.Duration{Duration: defaultTTL}
	}
}

func defaultResources() corev1.ResourceRequirements {
	return corev1.ResourceRequirements{
		Requests: corev1.ResourceList{
			corev1.ResourceCPU:    resource.MustParse("100m"),
			corev1.ResourceMemory: resource.MustParse("256Mi"),
		},
		Limits: corev1.ResourceList{
			corev1.ResourceMemory:           resource.MustParse("1Gi"),
			corev1.ResourceEphemeralStorage: resource.MustParse("2Gi"),
		},
	}
}

func defaultReadResources() corev1.ResourceRequirements {
	return corev1.ResourceRequirements{
		Requests: corev1.ResourceList{
			corev1.ResourceCPU:    resource.MustParse("50m"),
			corev1.ResourceMemory: resource.MustParse("64Mi"),
		},
		Limits: corev1.ResourceList{
			corev1.ResourceMemory:           resource.MustParse("256Mi"),
			corev1.ResourceEphemeralStorage: resource.MustParse("256Mi"),
		},
	}
}

func check(c configv1alpha1.OperatorConfiguration) error {
	if err := checkNumbers(c); err != nil {
		return err
	}
	switch {
	case c.TTLAfterFinished.Duration < 0 || c.TTLAfterFinished.Duration > maxTTL:
		return fmt.Errorf("ttlAfterFinished is %s: write a duration from 0s to %s", c.TTLAfterFinished.Duration, maxTTL)
	case c.ImagePullPatience.Duration < 0 || c.ImagePullPatience.Duration > jobspec.StartWindow:
		return fmt.Errorf("imagePullPatience is %s: write a duration from 0s to %s", c.ImagePullPatience.Duration, jobspec.StartWindow)
	case !strings.HasSuffix(c.Gcloud.STSEndpoint, "/"):
		return fmt.Errorf("gcloud.stsEndpoint is %q: write a URL with a slash at the end, such as %s", c.Gcloud.STSEndpoint, defaultSTSEndpoint)
	case c.NewObjects != configv1alpha1.Run && c.NewObjects != configv1alpha1.Hold:
		return fmt.Errorf("newObjects is %q: write Run or Hold", c.NewObjects)
	}
	if err := checkNetwork(c.Network); err != nil {
		return fmt.Errorf("network.%w", err)
	}
	if i := slices.IndexFunc(c.Gcloud.Env, func(v configv1alpha1.EnvVar) bool { return v.Name == "" }); i >= 0 {
		return fmt.Errorf("gcloud.env[%d] has no name", i)
	}
	if err := Policy(c.Commands).Validate(); err != nil {
		return fmt.Errorf("commands: %w", err)
	}
	return nil
}

func checkNumbers(c configv1alpha1.OperatorConfiguration) error {
	switch {
	case c.Results.InlineBytes < 0 || c.Results.InlineBytes > maxInlineBytes:
		return fmt.Errorf("results.inlineBytes is %d: write a number from 0 to %d", c.Results.InlineBytes, maxInlineBytes)
	case c.Results.CaptureBytes < 0 || c.Results.CaptureBytes > maxCaptureBytes:
		return fmt.Errorf("results.captureBytes is %d: write a number from 0 to %d", c.Results.CaptureBytes, maxCaptureBytes)
	case c.MaxRunsPerNamespace < 0:
		return fmt.Errorf("maxRunsPerNamespace is %d: write a number, or 0 for as many as there are", c.MaxRunsPerNamespace)
	}
	return nil
}
