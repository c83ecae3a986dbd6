// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
)

// render does what helm template does.
func render(folder, namespace string, values []byte) (string, error) {
	chart, err := loader.Load(folder)
	if err != nil {
		return "", fmt.Errorf("reading the chart: %w", err)
	}
	given, err := chartutil.ReadValues(values)
	if err != nil {
		return "", fmt.Errorf("reading the values: %w", err)
	}
	release := chartutil.ReleaseOptions{Name: "gcloud-operator", Namespace: namespace, Revision: 1, IsInstall: true}
	all, err := chartutil.ToRenderValues(chart, given, release, chartutil.DefaultCapabilities)
	if err != nil {
		return "", err
	}
	files, err := engine.Render(chart, all)
	if err != nil {
		return "", err
	}
	var documents []string
	for _, path := range slices.Sorted(maps.Keys(files)) {
		if strings.HasSuffix(path, ".yaml") {
			documents = append(documents, strings.TrimSpace(files[path])+"\n")
		}
	}
	return strings.Join(documents, "---\n"), nil
}
