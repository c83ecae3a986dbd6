// SPDX-License-Identifier: Apache-2.0

package jobspec

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
)

// Changed says what in a gated pod is not as its Job's template has it, or "" when all is. Whoever
// may edit pods can change some of it before the pod is let go, and the pod would then run something
// else with the rights of its ServiceAccount. What admission plugins add beside it is not looked at.
func Changed(template *corev1.PodTemplateSpec, pod *corev1.Pod) string {
	want, got := &template.Spec, &pod.Spec
	if account(want) != account(got) {
		return fmt.Sprintf("serviceAccountName is %q", got.ServiceAccountName)
	}
	if got.HostNetwork || got.HostPID || got.HostIPC {
		return "it uses the host's namespaces"
	}
	if got.ShareProcessNamespace != nil && *got.ShareProcessNamespace {
		return "its containers share their processes" // the runner could not kill what the command leaves behind
	}
	// A class that the cluster adds by itself isolates more; one that was asked for has to be there.
	if want.RuntimeClassName != nil && !equality.Semantic.DeepEqual(want.RuntimeClassName, got.RuntimeClassName) {
		return "runtimeClassName differs"
	}
	if !equality.Semantic.DeepEqual(want.SecurityContext, got.SecurityContext) {
		return "securityContext differs"
	}
	if what := changedVolumes(want.Volumes, got.Volumes); what != "" {
		return what
	}
	if what := changedContainers(want.InitContainers, got.InitContainers); what != "" {
		return what
	}
	return changedContainers(want.Containers, got.Containers)
}

func account(s *corev1.PodSpec) string {
	if s.ServiceAccountName == "" {
		return "default"
	}
	return s.ServiceAccountName
}

func changedVolumes(want, got []corev1.Volume) string {
	byName := map[string]corev1.Volume{}
	for _, v := range got {
		byName[v.Name] = v
	}
	for _, v := range want {
		if !equality.Semantic.DeepEqual(v, byName[v.Name]) {
			return fmt.Sprintf("volume %q differs", v.Name)
		}
	}
	return ""
}

func changedContainers(want, got []corev1.Container) string {
	byName := map[string]corev1.Container{}
	for _, c := range got {
		byName[c.Name] = c
	}
	for _, c := range want {
		if what := changedContainer(c, byName[c.Name]); what != "" {
			return fmt.Sprintf("container %q: %s", c.Name, what)
		}
	}
	return ""
}

func changedContainer(want, got corev1.Container) string {
	fields := []struct {
		name      string
		want, got any
	}{
		{"image", want.Image, got.Image},
		{"command", want.Command, got.Command},
		{"args", want.Args, got.Args},
		{"workingDir", want.WorkingDir, got.WorkingDir},
		{"env", want.Env, got.Env},
		{"envFrom", want.EnvFrom, got.EnvFrom},
		{"volumeMounts", want.VolumeMounts, got.VolumeMounts},
		{"securityContext", want.SecurityContext, got.SecurityContext},
		{"lifecycle", want.Lifecycle, got.Lifecycle},
	}
	for _, f := range fields {
		if !equality.Semantic.DeepEqual(f.want, f.got) {
			return f.name + " differs"
		}
	}
	return ""
}
