// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// installed is what kustomize makes of a folder below config.
func installed(t *testing.T, folder string) string {
	t.Helper()
	build := exec.Command("go", "tool", "-modfile=hack/tools/go.mod", "kustomize", "build", "config/"+folder)
	build.Dir = "../.."
	out, err := build.Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func chartFolder(t *testing.T, manifest string) string {
	t.Helper()
	files, err := chartOf(manifest, "1.2.3", image)
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "chart")
	if err := write(folder, files); err != nil {
		t.Fatal(err)
	}
	return folder
}

// objects are the objects of a manifest, by kind and name, without what only one of kustomize and Helm can have.
func objects(t *testing.T, manifest string) map[string]any {
	t.Helper()
	all := map[string]any{}
	for document := range strings.SplitSeq(hashed.ReplaceAllString(manifest, configurationName), "\n---\n") {
		var o map[string]any
		if err := yaml.Unmarshal([]byte(document), &o); err != nil {
			t.Fatal(err)
		}
		metadata := o["metadata"].(map[string]any)
		if annotations, ok := metadata["annotations"].(map[string]any); ok {
			delete(annotations, "helm.sh/resource-policy")
		}
		if data, ok := o["data"].(map[string]any); ok {
			var parsed any
			if err := yaml.Unmarshal([]byte(data["config.yaml"].(string)), &parsed); err != nil {
				t.Fatal(err)
			}
			data["config.yaml"] = parsed
		}
		all[o["kind"].(string)+" "+metadata["name"].(string)] = o
	}
	delete(all, "Namespace "+systemNamespace)
	return all
}

// image is one that the chart has in the place of the manifests' own.
const image = devImage

func TestChartInstallsWhatKustomizeDoes(t *testing.T) {
	manifest := installed(t, "default")
	rendered, err := render(chartFolder(t, manifest), systemNamespace, nil)
	if err != nil {
		t.Fatal(err)
	}
	want, got := objects(t, manifest), objects(t, rendered)
	if len(want) < 20 || cmp.Diff(want, got) != "" {
		t.Errorf("of %d objects these differ: %s", len(want), cmp.Diff(want, got))
	}
}

func TestValuesChangeWhatTheySay(t *testing.T) {
	folder := chartFolder(t, installed(t, "default"))
	manifest, err := render(folder, "tools", []byte(`
image: registry.example.com/gcloud-operator:v1
replicas: 3
imagePullSecrets: [{name: registry}]
resources: {limits: {memory: 1Gi}}
configuration:
  newObjects: Hold
  gcloud: {image: registry.example.com/gcloud:528}
`))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"image: registry.example.com/gcloud-operator:v1\n", "replicas: 3\n", "memory: 1Gi\n", "- name: registry\n",
		"runnerImage: registry.example.com/gcloud-operator:v1\n", "newObjects: Hold\n", "image: registry.example.com/gcloud:528\n",
		"system:serviceaccount:tools:gcloud-operator-manager",
	} {
		if !strings.Contains(manifest, want) {
			t.Errorf("it lacks %q", want)
		}
	}
	for _, not := range []string{systemNamespace, image} {
		if strings.Contains(manifest, not) {
			t.Errorf("it still has %q", not)
		}
	}
	name := hashed.FindAllString(manifest, -1)
	other, err := render(folder, "tools", []byte("configuration: {newObjects: Run}"))
	if err != nil || len(name) != 2 || name[0] != name[1] || strings.Contains(other, name[0]) {
		t.Errorf("the configuration is named %v whatever is in it, %v", name, err)
	}
}

func TestAMisspeltValueIsRefused(t *testing.T) {
	_, err := render(chartFolder(t, installed(t, "default")), "tools", []byte("replica: 3\n"))
	if err == nil || !strings.Contains(err.Error(), "replica") {
		t.Errorf("got %v", err)
	}
}

func TestWhatTheChartCannotChangeIsAnError(t *testing.T) {
	manifest := installed(t, "default")
	for name, change := range map[string]func(string) string{
		"an image of another name": func(m string) string { return strings.ReplaceAll(m, "image: "+image, "image: other:dev") },
		"a template in a manifest": func(m string) string { return m + "# {{ .Values }}\n" },
	} {
		if _, err := chartOf(change(manifest), "1.2.3", image); err == nil {
			t.Errorf("%s: it is taken", name)
		}
	}
}
