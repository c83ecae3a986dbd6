// SPDX-License-Identifier: Apache-2.0

// Package config reads the operator's configuration file.
package config

import (
	"cmp"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	configv1alpha1 "github.com/gcloud-operator/gcloud-operator/api/config/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/command"
	"github.com/gcloud-operator/gcloud-operator/internal/output"
	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

const (
	// defaultImage is Google's published image of the version that the command tree was made from.
	defaultImage = "gcr.io/google.com/cloudsdktool/google-cloud-cli:528.0.0-slim"

	defaultTTL = time.Hour

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
		Limits: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("256Mi")},
	}
}

func check(c configv1alpha1.OperatorConfiguration) error {
	switch {
	case c.Results.InlineBytes < 0 || c.Results.InlineBytes > maxInlineBytes:
		return fmt.Errorf("results.inlineBytes is %d: write a number from 0 to %d", c.Results.InlineBytes, maxInlineBytes)
	case c.Results.CaptureBytes < 0 || c.Results.CaptureBytes > maxCaptureBytes:
		return fmt.Errorf("results.captureBytes is %d: write a number from 0 to %d", c.Results.CaptureBytes, maxCaptureBytes)
	case c.TTLAfterFinished.Duration < 0:
		return fmt.Errorf("ttlAfterFinished is %s: write a duration of 0s or more", c.TTLAfterFinished.Duration)
	}
	for i, v := range c.Gcloud.Env {
		if v.Name == "" {
			return fmt.Errorf("gcloud.env[%d] has no name", i)
		}
	}
	if err := Policy(c.Commands).Validate(); err != nil {
		return fmt.Errorf("commands: %w", err)
	}
	return nil
}
