// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"sigs.k8s.io/yaml"
)

// What kustomize makes of config/default, and what a release has in its place.
const (
	systemNamespace   = "gcloud-operator-system"
	devImage          = "gcloud-operator:dev"
	configurationName = "gcloud-operator-configuration"
)

// The files that don't come from the manifests.
var (
	//go:embed values.yaml
	valuesFile string
	//go:embed values.schema.json
	schemaFile string
	//go:embed configuration.tpl
	helpersFile string
)

// configMapTemplate stands in place of the ConfigMap with the operator's configuration.
const configMapTemplate = `apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ include "configurationName" . }}
  namespace: {{ .Release.Namespace }}
data:
  config.yaml: |
    {{- include "configuration" . | nindent 4 }}
`

// hashed is a name that changes with the contents of what it names.
var hashed = regexp.MustCompile(configurationName + `-\w+`)

// object is what has to be known of a manifest.
type object struct {
	Kind     string
	Metadata struct{ Name string }
}

// chartOf returns the files of the chart, by path. Image is what its values have by default.
func chartOf(manifest, version, image string) (map[string]string, error) {
	if strings.Contains(manifest, "{{") {
		return nil, errors.New("the manifests have {{ in them, which Helm would take for its own")
	}
	files := map[string]string{
		"Chart.yaml": fmt.Sprintf("apiVersion: v2\nname: gcloud-operator\ndescription: Google Cloud actions as Kubernetes resources\n"+
			"type: application\nversion: %s\nappVersion: %s\nkubeVersion: \">=1.30.0-0\"\n", version, version),
		"values.yaml":            strings.Replace(valuesFile, devImage, image, 1),
		"values.schema.json":     schemaFile,
		"templates/_helpers.tpl": helpersFile,
	}
	for document := range strings.SplitSeq(manifest, "\n---\n") {
		var o object
		if err := yaml.Unmarshal([]byte(document), &o); err != nil {
			return nil, fmt.Errorf("reading the manifests: %w", err)
		}
		text, err := templateOf(o, document)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", o.Kind, o.Metadata.Name, err)
		}
		o.Metadata.Name = hashed.ReplaceAllString(o.Metadata.Name, configurationName)
		if text != "" {
			files[fmt.Sprintf("templates/%s-%s.yaml", strings.ToLower(o.Kind), o.Metadata.Name)] = text
		}
	}
	return files, nil
}

// templateOf returns the template of one object, or nothing for one that a release doesn't have.
func templateOf(o object, text string) (string, error) {
	var err error
	switch o.Kind {
	case "Namespace": // it is there before Helm installs anything into it
		return "", nil
	case "ConfigMap":
		return configMapTemplate, nil
	case "CustomResourceDefinition": // with it, every resource and its result would go
		text, err = replaceOnce(text, `(?m)^  annotations:\n`, "$0    helm.sh/resource-policy: keep\n")
	case "Deployment":
		text, err = deployment(text)
	}
	return strings.ReplaceAll(text, systemNamespace, "{{ .Release.Namespace }}") + "\n", err
}

func deployment(text string) (string, error) {
	for _, r := range []struct{ pattern, with string }{
		{`(?m)^  replicas: \d+$`, "  replicas: {{ .Values.replicas }}"},
		{`image: ` + regexp.QuoteMeta(devImage) + `\n`, "image: {{ .Values.image }}\n"},
		{"name: " + hashed.String(), `name: {{ include "configurationName" . }}`},
		{`(?m)^        resources:\n(?:          .*\n)+`, "        resources:\n          {{- toYaml .Values.resources | nindent 10 }}\n"},
		{`(?m)^      serviceAccountName:`, "      {{- with .Values.imagePullSecrets }}\n      imagePullSecrets:\n        {{- toYaml . | nindent 8 }}\n      {{- end }}\n$0"},
	} {
		var err error
		if text, err = replaceOnce(text, r.pattern, r.with); err != nil {
			return "", err
		}
	}
	return text, nil
}

// replaceOnce replaces what has to be there exactly once.
func replaceOnce(text, pattern, with string) (string, error) {
	p := regexp.MustCompile(pattern)
	if n := len(p.FindAllString(text, -1)); n != 1 {
		return "", fmt.Errorf("%s is there %d times", pattern, n)
	}
	return p.ReplaceAllString(text, strings.ReplaceAll(with, "$0", "${0}")), nil
}

func write(folder string, files map[string]string) error {
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	for path, text := range files {
		path = filepath.Join(folder, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
