// SPDX-License-Identifier: Apache-2.0

package gcloudrun

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/controllers/run"
	"github.com/gcloud-operator/gcloud-operator/internal/jobspec"
)

// resolved are a spec's input files by where their contents are.
type resolved struct {
	files   []jobspec.InputFile
	secrets []jobspec.SecretInput
}

// ConfigMaps are the names of the ConfigMaps that input files come from.
func (Kind) ConfigMaps(g *v1alpha1.GcloudRun) []string {
	var names []string
	for _, f := range g.Spec.InputFiles {
		if f.ContentsFrom != nil && f.ContentsFrom.ConfigMapKeyRef != nil {
			names = append(names, f.ContentsFrom.ConfigMapKeyRef.Name)
		}
	}
	return names
}

// resolve looks up the contents, and says what is missing. Secrets are left to the pod.
func resolve(specs []v1alpha1.InputFile, sources run.Sources) (in resolved, missing string) {
	for _, f := range specs {
		contents := f.Contents
		if from := f.ContentsFrom; from != nil && from.SecretKeyRef != nil {
			in.secrets = append(in.secrets, jobspec.SecretInput{Path: f.Path, Secret: from.SecretKeyRef.Name, Key: from.SecretKeyRef.Key})
			continue
		} else if from != nil {
			value, ok := lookUp(sources[from.ConfigMapKeyRef.Name], from.ConfigMapKeyRef.Key)
			if !ok {
				missing = fmt.Sprintf("the input file %s is to come from the key %q of the ConfigMap %q, which isn't there: make it, and the command runs",
					f.Path, from.ConfigMapKeyRef.Key, from.ConfigMapKeyRef.Name)
			}
			contents = value
		}
		in.files = append(in.files, jobspec.InputFile{Path: f.Path, Contents: contents})
	}
	return in, missing
}

func lookUp(m *corev1.ConfigMap, key string) (string, bool) {
	if m == nil {
		return "", false
	}
	if text, ok := m.Data[key]; ok {
		return text, true
	}
	data, ok := m.BinaryData[key]
	return string(data), ok
}
