// SPDX-License-Identifier: Apache-2.0

package v1alpha1_test

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
)

// What a tenant writes stands in the operator's memory, and in every request about it.
func TestEverythingInASpecHasALimit(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("..", "..", "config", "crd", "gcloud-operator.dev_*.yaml"))
	if err != nil || len(paths) != 3 {
		t.Fatalf("found %q, %v", paths, err)
	}
	for _, path := range paths {
		spec := versionSchema(readCRD(t, path).CustomResourceDefinition).Properties["spec"]
		for _, unlimited := range unlimitedIn("spec", &spec) {
			// Kubernetes' own type: internal/validation says how long its fields may be.
			if strings.HasPrefix(unlimited, "spec.pod.tolerations[].") {
				continue
			}
			t.Errorf("%s: %s has no limit", filepath.Base(path), unlimited)
		}
	}
}

// unlimitedIn are the fields at a path and below it that may be as long as one likes.
func unlimitedIn(path string, s *apiextensions.JSONSchemaProps) []string {
	var found []string
	switch {
	case s.Type == "string" && s.MaxLength == nil && len(s.Enum) == 0,
		s.Type == "array" && s.MaxItems == nil,
		s.Type == "object" && s.AdditionalProperties != nil && s.MaxProperties == nil,
		s.XPreserveUnknownFields != nil && *s.XPreserveUnknownFields:
		found = append(found, path)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		field := s.Properties[name]
		found = append(found, unlimitedIn(path+"."+name, &field)...)
	}
	if s.Items != nil && s.Items.Schema != nil {
		found = append(found, unlimitedIn(path+"[]", s.Items.Schema)...)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		found = append(found, unlimitedIn(path+"{}", s.AdditionalProperties.Schema)...)
	}
	return found
}
