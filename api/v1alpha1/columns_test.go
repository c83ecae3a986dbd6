// SPDX-License-Identifier: Apache-2.0

package v1alpha1_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource/tableconvertor"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// table returns what `kubectl get` prints of a resource, and what it adds with -o wide: "NAME=a READY=True".
func table(t *testing.T, path, resource string) (narrow, wide string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var definition apiextensionsv1.CustomResourceDefinition
	if err := yaml.Unmarshal(text, &definition); err != nil {
		t.Fatal(err)
	}
	convertor, err := tableconvertor.New(definition.Spec.Versions[0].AdditionalPrinterColumns)
	if err != nil {
		t.Fatal(err)
	}
	object := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(resource), &object.Object); err != nil {
		t.Fatal(err)
	}
	converted, err := convertor.ConvertToTable(t.Context(), object, &metav1.TableOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var cells [2][]string
	for i, column := range converted.ColumnDefinitions {
		cells[column.Priority] = append(cells[column.Priority], fmt.Sprintf("%s=%v", strings.ToUpper(column.Name), converted.Rows[0].Cells[i]))
	}
	return strings.Join(cells[0], " "), strings.Join(cells[1], " ")
}

func TestColumns(t *testing.T) {
	// A time to come has an age that doesn't change: <invalid>.
	const run = `
kind: Any
metadata: {name: a, creationTimestamp: "9999-01-01T00:00:00Z"}
status:
  conditions:
    - {type: Finished, status: "True", reason: Wrong}
    - {type: Ready, status: "False", reason: CommandFailed}
  run: {duration: 1.1s}
`
	for name, c := range map[string]struct{ path, resource, narrow, wide string }{
		"GcloudRun": {
			"../../config/crd/gcloud-operator.dev_gcloudruns.yaml", run + `
  response: {exitCode: 2}
spec: {project: projects/p, command: gcloud version}`,
			"NAME=a READY=False REASON=CommandFailed EXIT=2 AGE=<invalid> DURATION=1.1s PROJECT=projects/p", "COMMAND=gcloud version",
		},
		"GcloudRun that the operator has not seen": {
			"../../config/crd/gcloud-operator.dev_gcloudruns.yaml", `{kind: Any, metadata: {name: a}, spec: {project: projects/p, command: gcloud version}}`,
			"NAME=a READY=<nil> REASON=<nil> EXIT=<nil> AGE=<nil> DURATION=<nil> PROJECT=projects/p", "COMMAND=gcloud version",
		},
		"DocumentFetch": {
			documentFetchCRD, run + `
  fetched: 1/2
spec: {names: [documents/a.dev]}`,
			"NAME=a READY=False REASON=CommandFailed FETCHED=1/2 AGE=<invalid> DURATION=1.1s", `NAMES=["documents/a.dev"]`,
		},
		"DataformFileRead": {
			dataformFileReadCRD, run + `
  fileInfo: {bytes: 412}
spec: {path: definitions/orders.sqlx, workspace: ` + workspace + `}`,
			"NAME=a READY=False REASON=CommandFailed BYTES=412 CHANGED=<nil> AGE=<invalid> PATH=definitions/orders.sqlx", "WORKSPACE=" + workspace,
		},
	} {
		t.Run(name, func(t *testing.T) {
			narrow, wide := table(t, c.path, c.resource)
			if narrow != c.narrow || wide != c.wide {
				t.Errorf("got  %s | %s\nwant %s | %s", narrow, wide, c.narrow, c.wide)
			}
		})
	}
}
