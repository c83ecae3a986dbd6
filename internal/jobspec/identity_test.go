// SPDX-License-Identifier: Apache-2.0

package jobspec

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

func TestTokenLastsAsLongAsThePodDoesWhereItMay(t *testing.T) {
	for timeout, want := range map[time.Duration]time.Duration{
		time.Second:      10 * time.Minute,
		10 * time.Minute: 16*time.Minute + 30*time.Second,
		24 * time.Hour:   24 * time.Hour,
	} {
		token := identityVolume(plan(withFederation, func(p *Plan) { p.Timeout = timeout })).Projected.Sources[0].ServiceAccountToken
		if got := time.Duration(*token.ExpirationSeconds) * time.Second; got != want {
			t.Errorf("timeout %s: the token lasts %s, want %s", timeout, got, want)
		}
	}
}

func TestOnlyTheCommandGetsCredentialsAndOnlyThoseThatItNeeds(t *testing.T) {
	metadata := func(p *Plan) { p.Identity.Metadata = true }
	for name, c := range map[string]struct {
		identity func(*Plan)
		mounted  int
	}{
		"none":                {func(*Plan) {}, 0},
		"the metadata server": {metadata, 0},
		"a key":               {withKey, 1},
		"a federation":        {withFederation, 1},
	} {
		t.Run(name, func(t *testing.T) {
			spec := Job(plan(withRunnerImage, withInput("a", "1"), c.identity), attempt()).Spec.Template.Spec
			volumes := 0
			for _, v := range spec.Volumes {
				if holdsCredentials(v) {
					volumes++
				}
			}
			if got := len(mountsOf(spec.Containers[0])); volumes != c.mounted || got != c.mounted {
				t.Errorf("%d volumes and %d mounts, want %d", volumes, got, c.mounted)
			}
			if got := mountsOf(spec.InitContainers[0]); len(got) > 0 || *spec.AutomountServiceAccountToken {
				t.Errorf("the init container mounts %v; the API server's own token is mounted: %t", got, *spec.AutomountServiceAccountToken)
			}
		})
	}
}

func holdsCredentials(v corev1.Volume) bool {
	if v.Projected == nil {
		return v.Secret != nil
	}
	for _, s := range v.Projected.Sources {
		if s.Secret != nil || s.ServiceAccountToken != nil {
			return true
		}
	}
	return false
}

func mountsOf(c corev1.Container) (found []corev1.VolumeMount) {
	for _, m := range c.VolumeMounts {
		if strings.HasPrefix(m.MountPath, result.IdentityDir) && m.ReadOnly {
			found = append(found, m)
		}
	}
	return found
}

func TestPodWithOtherCredentialsIsTold(t *testing.T) {
	source := func(s *corev1.PodSpec) *corev1.VolumeProjection { return &s.Volumes[1].Projected.Sources[0] }
	for name, c := range map[string]struct {
		identity func(*Plan)
		change   func(*corev1.PodSpec)
	}{
		"another Secret":        {withKey, func(s *corev1.PodSpec) { source(s).Secret.Name = "other" }},
		"another key of it":     {withKey, func(s *corev1.PodSpec) { source(s).Secret.Items[0].Key = "other" }},
		"a token for another":   {withFederation, func(s *corev1.PodSpec) { source(s).ServiceAccountToken.Audience = "https://kubernetes.default.svc" }},
		"a token that lives on": {withFederation, func(s *corev1.PodSpec) { *source(s).ServiceAccountToken.ExpirationSeconds *= 2 }},
	} {
		template := Job(plan(c.identity), attempt()).Spec.Template
		if what := Changed(&template, podOf(template)); what != "" {
			t.Errorf("%s: before the change, %s", name, what)
		}
		pod := podOf(template)
		c.change(&pod.Spec)
		if got, want := Changed(&template, pod), `volume "identity" differs`; got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}
