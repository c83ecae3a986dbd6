// SPDX-License-Identifier: Apache-2.0

package v1alpha1_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdvalidation "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"sigs.k8s.io/yaml"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

// crd is a CustomResourceDefinition as the API server has it.
type crd struct {
	apiextensions.CustomResourceDefinition
	structural *schema.Structural
	schema     validation.SchemaValidator
	rules      *cel.Validator
}

func readCRD(t *testing.T, path string) crd {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var v1 apiextensionsv1.CustomResourceDefinition
	if err := yaml.UnmarshalStrict(text, &v1); err != nil {
		t.Fatal(err)
	}
	apiextensionsv1.SetDefaults_CustomResourceDefinition(&v1)
	apiextensionsv1.SetDefaults_CustomResourceDefinitionSpec(&v1.Spec)
	v1.Status.StoredVersions = []string{v1.Spec.Versions[0].Name}
	var c crd
	if err := apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(&v1, &c.CustomResourceDefinition, nil); err != nil {
		t.Fatal(err)
	}
	properties := versionSchema(c.CustomResourceDefinition)
	if c.structural, err = schema.NewStructural(properties); err != nil {
		t.Fatal(err)
	}
	if c.schema, _, err = validation.NewSchemaValidator(properties); err != nil {
		t.Fatal(err)
	}
	c.rules = cel.NewValidator(c.structural, true, celconfig.PerCallLimit)
	return c
}

func versionSchema(c apiextensions.CustomResourceDefinition) *apiextensions.JSONSchemaProps {
	if c.Spec.Validation != nil {
		return c.Spec.Validation.OpenAPIV3Schema
	}
	return c.Spec.Versions[0].Schema.OpenAPIV3Schema
}

// check does what the API server does with an object: defaults, schema, sets, rules.
func (c crd) check(t *testing.T, object map[string]any) field.ErrorList {
	t.Helper()
	defaulting.Default(object, c.structural)
	errs := validation.ValidateCustomResource(nil, object, c.schema)
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, c.structural, object)...)
	broken, _ := c.rules.Validate(t.Context(), nil, c.structural, object, nil, celconfig.RuntimeCELCostBudget)
	return append(errs, broken...)
}

const gcloudRunCRD = "../../config/crd/gcloud-operator.dev_gcloudruns.yaml"

func TestDefinitionsAreValidAndTheirRulesAffordable(t *testing.T) {
	paths, err := filepath.Glob("../../config/crd/gcloud-operator.dev_*.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatalf("found no definitions: %v", err)
	}
	for _, path := range paths {
		c := readCRD(t, path)
		for _, e := range crdvalidation.ValidateCustomResourceDefinition(t.Context(), &c.CustomResourceDefinition) {
			t.Errorf("%s: %v", path, e)
		}
	}
}

// gcloudRun returns a resource that is accepted, with a field of the spec set.
func gcloudRun(name string, value any) map[string]any {
	spec := map[string]any{"project": "projects/my-project", "command": "gcloud projects list"}
	if name != "" {
		spec[name] = value
	}
	return map[string]any{
		"apiVersion": "gcloud-operator.dev/v1alpha1", "kind": "GcloudRun", "metadata": map[string]any{"name": "a"}, "spec": spec,
	}
}

func inputFile(path string) []any {
	return []any{map[string]any{"path": path, "contents": ""}}
}

var keyRef = map[string]any{"name": "a", "key": "b"}

// inputFrom is an input file whose contents come from each of the sources.
func inputFrom(sources ...string) []any {
	from := map[string]any{}
	for _, s := range sources {
		from[s] = keyRef
	}
	return []any{map[string]any{"path": "a", "contentsFrom": from}}
}

func provider(name string) map[string]any { return map[string]any{"provider": name} }

func TestValuesOfTheSpec(t *testing.T) {
	c := readCRD(t, gcloudRunCRD)
	for name, test := range map[string]struct {
		field string
		value any
		want  string // of the error, or "" where it is accepted
	}{
		"nothing but what is required": {"", nil, ""},

		"a project by its id":                  {"project", "projects/my-project", ""},
		"a project by its number":              {"project", "projects/123456789012", ""},
		"a project of a domain":                {"project", "projects/example.com:my-project", ""},
		"a project id of six characters":       {"project", "projects/abcdef", ""},
		"a project without projects/":          {"project", "my-project", "must be projects/PROJECT_ID or projects/PROJECT_NUMBER: write projects/my-project"},
		"a project id that is too short":       {"project", "projects/abcde", "must be projects/PROJECT_ID or projects/PROJECT_NUMBER"},
		"a project id in capitals":             {"project", "projects/My-Project", "must be projects/PROJECT_ID or projects/PROJECT_NUMBER"},
		"a project id that ends with a hyphen": {"project", "projects/my-project-", "must be projects/PROJECT_ID or projects/PROJECT_NUMBER"},
		"a project and a resource below it":    {"project", "projects/my-project/zones/a", "must be projects/PROJECT_ID or projects/PROJECT_NUMBER"},
		"a project and a line more":            {"project", "projects/my-project\n", "must be projects/PROJECT_ID or projects/PROJECT_NUMBER"},
		"no project":                           {"project", "", "should be at least 1 chars long"},
		"a project that is too long":           {"project", "projects/" + strings.Repeat("a", 120), "may not be more than 128"},
		"a number for a project":               {"project", int64(123), `must be of type string: "integer"`},

		"no command":                 {"command", "", "should be at least 1 chars long"},
		"the longest command":        {"command", strings.Repeat("x", 16_384), ""},
		"a command that is too long": {"command", strings.Repeat("x", 16_385), "may not be more than 16384"},

		"an input file":                                           {"inputFiles", inputFile("a.txt"), ""},
		"an input file in a folder":                               {"inputFiles", inputFile("a/b.c/d_e"), ""},
		"a hidden input file":                                     {"inputFiles", inputFile(".gcloudignore"), ""},
		"an input file of dots":                                   {"inputFiles", inputFile("a/...b"), ""},
		"an absolute path":                                        {"inputFiles", inputFile("/etc/passwd"), "must be a path relative to the working directory"},
		"a path that climbs":                                      {"inputFiles", inputFile("../a"), "must be a path relative to the working directory"},
		"a path that climbs in between":                           {"inputFiles", inputFile("a/../../b"), "must be a path relative to the working directory"},
		"a path that begins with two dots":                        {"inputFiles", inputFile("..a"), "must be a path relative to the working directory"},
		"a path that ends climbing":                               {"inputFiles", inputFile("a/.."), "must be a path relative to the working directory"},
		"a path with a dot alone":                                 {"inputFiles", inputFile("./a"), "must be a path relative to the working directory"},
		"a path with an empty element":                            {"inputFiles", inputFile("a//b"), "must be a path relative to the working directory"},
		"a path of a folder":                                      {"inputFiles", inputFile("a/"), "must be a path relative to the working directory"},
		"no path":                                                 {"inputFiles", inputFile(""), "should be at least 1 chars long"},
		"a path that is too long":                                 {"inputFiles", inputFile(strings.Repeat("a", 513)), "may not be more than 512"},
		"an empty input file":                                     {"inputFiles", []any{map[string]any{"path": "a"}}, ""},
		"an input file out of a ConfigMap":                        {"inputFiles", inputFrom("configMapKeyRef"), ""},
		"an input file out of a Secret":                           {"inputFiles", inputFrom("secretKeyRef"), ""},
		"an input file out of both":                               {"inputFiles", inputFrom("configMapKeyRef", "secretKeyRef"), "exactly one of the fields in [configMapKeyRef secretKeyRef] must be set"},
		"an input file out of neither":                            {"inputFiles", inputFrom(), "exactly one of the fields in [configMapKeyRef secretKeyRef] must be set"},
		"an input file with its contents written and referred to": {"inputFiles", []any{map[string]any{"path": "a", "contents": "a", "contentsFrom": map[string]any{"secretKeyRef": keyRef}}}, "at most one of the fields in [contents contentsFrom] may be set"},
		"an input file out of a key that no ConfigMap can have":   {"inputFiles", []any{map[string]any{"path": "a", "contentsFrom": map[string]any{"secretKeyRef": map[string]any{"name": "a", "key": "b/c"}}}}, "should match"},
		"output into a Secret":                                    {"output", map[string]any{"secretName": "result"}, ""},
		"output into a Secret of no name":                         {"output", map[string]any{"secretName": ""}, "should be at least 1 chars long"},
		"output into another namespace":                           {"output", map[string]any{"secretName": "other/result"}, "should match"},
		"two input files of one path":                             {"inputFiles", append(inputFile("a"), inputFile("a")...), "Duplicate value"},
		"as many input files as may be":                           {"inputFiles", many(64, func(i int) any { return inputFile(strings.Repeat("a", i+1))[0] }), ""},
		"more input files than there may":                         {"inputFiles", many(65, func(i int) any { return inputFile(strings.Repeat("a", i+1))[0] }), "must have at most 64 items"},

		"globs of output files":        {"outputFiles", []any{"*.json", "out/**"}, ""},
		"an empty glob":                {"outputFiles", []any{""}, "should be at least 1 chars long"},
		"more globs than there may be": {"outputFiles", many(33, func(int) any { return "a" }), "must have at most 32 items"},

		"the shortest timeout":        {"timeout", "1s", ""},
		"the longest timeout":         {"timeout", "24h", ""},
		"a timeout of parts":          {"timeout", "1h30m", ""},
		"a timeout of a fraction":     {"timeout", "1.5h", ""},
		"a timeout that is too short": {"timeout", "999ms", "must be between 1s and 24h"},
		"no timeout at all":           {"timeout", "0s", "must be between 1s and 24h"},
		"a timeout that is too long":  {"timeout", "24h1s", "must be between 1s and 24h"},
		"a timeout without its unit":  {"timeout", "60", "should match"},
		"a timeout of days":           {"timeout", "1d", "should match"},
		"a timeout that has passed":   {"timeout", "-1h", "should match"},
		"a timeout that is a number":  {"timeout", int64(60), "must be of type string"},
		"a timeout of words":          {"timeout", "an hour", "should match"},
		"a timeout that no clock has": {"timeout", strings.Repeat("9", 30) + "h", "spec.timeout"},

		"an identity":                       {"identity", map[string]any{"serviceAccountName": "deployer"}, ""},
		"an identity of a name with dots":   {"identity", map[string]any{"serviceAccountName": "a.b-c"}, ""},
		"an identity of no name":            {"identity", map[string]any{"serviceAccountName": ""}, "should be at least 1 chars long"},
		"an identity that is no valid name": {"identity", map[string]any{"serviceAccountName": "a_b"}, "should match"},
		"an identity of another namespace":  {"identity", map[string]any{"serviceAccountName": "kube-system/admin"}, "should match"},

		"an identity with all but a Secret": {"identity", map[string]any{"serviceAccountName": "deployer", "workloadIdentityFederation": provider("projects/1/locations/global/workloadIdentityPools/clusters/providers/prod-eu"), "impersonateServiceAccount": "a@my-project.iam.gserviceaccount.com"}, ""},
		"an identity out of a Secret":       {"identity", map[string]any{"secretRef": keyRef, "impersonateServiceAccount": "a@my-project.iam.gserviceaccount.com"}, ""},
		"a Secret and a ServiceAccount":     {"identity", map[string]any{"secretRef": keyRef, "serviceAccountName": "deployer"}, "write either secretRef alone, or serviceAccountName and workloadIdentityFederation without it"},
		"a Secret and federation":           {"identity", map[string]any{"secretRef": keyRef, "workloadIdentityFederation": provider("projects/1/locations/global/workloadIdentityPools/clusters/providers/prod-eu")}, "write either secretRef alone"},
		"federation with a project's id":    {"identity", map[string]any{"workloadIdentityFederation": provider("projects/my-project/locations/global/workloadIdentityPools/clusters/providers/prod-eu")}, "write projects/NUMBER/locations/global/workloadIdentityPools/POOL/providers/PROVIDER"},
		"federation with its audience":      {"identity", map[string]any{"workloadIdentityFederation": provider("//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/clusters/providers/prod-eu")}, "write projects/NUMBER/locations/global/workloadIdentityPools/POOL/providers/PROVIDER"},
		"federation with nobody":            {"identity", map[string]any{"workloadIdentityFederation": map[string]any{}}, "Required value"},
		"a person to impersonate":           {"identity", map[string]any{"impersonateServiceAccount": "somebody@example.com"}, "write NAME@PROJECT_ID.iam.gserviceaccount.com"},
		"a chain of impersonations":         {"identity", map[string]any{"impersonateServiceAccount": "a@p.iam.gserviceaccount.com,b@p.iam.gserviceaccount.com"}, "must be the email of one service account"},

		"a pod with all settings": {"pod", map[string]any{
			"resources":    map[string]any{"requests": map[string]any{"cpu": "1", "memory": "2Gi"}, "limits": map[string]any{"nvidia.com/gpu": int64(1)}},
			"nodeSelector": map[string]any{"pool": "batch"}, "tolerations": []any{map[string]any{"key": "batch", "operator": "Exists"}},
			"imagePullSecrets": []any{map[string]any{"name": "registry"}}, "runtimeClassName": "gvisor", "priorityClassName": "batch",
			"labels": map[string]any{"team": "shop"}, "annotations": map[string]any{"example.com/note": "any text: 1, 2"},
		}, ""},
		"a pod with an amount that is none":        {"pod", map[string]any{"resources": map[string]any{"limits": map[string]any{"memory": "lots"}}}, "should match"},
		"a pod with a label's value that is none":  {"pod", map[string]any{"labels": map[string]any{"a": "b c"}}, "should match"},
		"a pod with a label's value that is long":  {"pod", map[string]any{"labels": map[string]any{"a": strings.Repeat("a", 64)}}, "may not be more than 63"},
		"a pod with a longest annotation":          {"pod", map[string]any{"annotations": map[string]any{"a": strings.Repeat("a", 4096)}}, ""},
		"a pod with a longer annotation":           {"pod", map[string]any{"annotations": map[string]any{"a": strings.Repeat("a", 4097)}}, "may not be more than 4096"},
		"a pod with too many labels":               {"pod", map[string]any{"labels": manyKeys(33)}, "must have at most 32 items"},
		"a pod with too many tolerations":          {"pod", map[string]any{"tolerations": many(17, func(int) any { return map[string]any{"operator": "Exists"} })}, "must have at most 16 items"},
		"a pod with a Secret twice":                {"pod", map[string]any{"imagePullSecrets": []any{map[string]any{"name": "a"}, map[string]any{"name": "a"}}}, "Duplicate value"},
		"a pod with a Secret of another namespace": {"pod", map[string]any{"imagePullSecrets": []any{map[string]any{"name": "a/b"}}}, "should match"},
		"a pod of a runtime class of no name":      {"pod", map[string]any{"runtimeClassName": "a/b"}, "should match"},
		"a pod of a priority class of Kubernetes":  {"pod", map[string]any{"priorityClassName": "system-cluster-critical"}, "must be none of Kubernetes' own classes"},

		"suspended":           {"suspend", true, ""},
		"suspended, in words": {"suspend", "yes", "must be of type boolean"},
	} {
		t.Run(name, func(t *testing.T) {
			errs := c.check(t, gcloudRun(test.field, test.value))
			if accepted := len(errs) == 0; accepted != (test.want == "") || !strings.Contains(fmt.Sprint(errs), test.want) {
				t.Errorf("got %v, want %q", errs, test.want)
			}
		})
	}
}

func many(n int, item func(int) any) []any {
	items := make([]any, n)
	for i := range items {
		items[i] = item(i)
	}
	return items
}

func manyKeys(n int) map[string]any {
	values := map[string]any{}
	for i := range n {
		values[fmt.Sprintf("k%d", i)] = "a"
	}
	return values
}

func TestRequiredFieldsAreRequired(t *testing.T) {
	c := readCRD(t, gcloudRunCRD)
	for _, path := range []string{"project", "command"} {
		object := gcloudRun("", nil)
		delete(object["spec"].(map[string]any), path)
		if errs := c.check(t, object); len(errs) == 0 || errs[0].Type != field.ErrorTypeRequired || errs[0].Field != "spec."+path {
			t.Errorf("without %s: got %v", path, errs)
		}
	}
	object := gcloudRun("", nil)
	delete(object, "spec")
	if errs := c.check(t, object); len(errs) == 0 {
		t.Error("a resource without a spec is accepted")
	}
}

// What was never looked at must not pass for what was: tools compare observedGeneration with 1.
func TestStatusOfANewResourceSaysThatNobodyHasLookedAtIt(t *testing.T) {
	c := readCRD(t, gcloudRunCRD)
	for name, status := range map[string]any{"no status": nil, "an empty status": map[string]any{}} {
		object := gcloudRun("", nil)
		if status != nil {
			object["status"] = status
		}
		defaulting.Default(object, c.structural)
		if got := object["status"].(map[string]any)["observedGeneration"]; got != int64(-1) {
			t.Errorf("%s: got the observed generation %v", name, got)
		}
	}
}

// A status that the controller writes, empty texts and exit code 0 included, is one that the API server takes.
func TestWrittenStatusIsAccepted(t *testing.T) {
	c := readCRD(t, gcloudRunCRD)
	g := v1alpha1.GcloudRun{Spec: v1alpha1.GcloudRunSpec{Project: "projects/my-project", Command: "gcloud projects list"}}
	g.APIVersion, g.Kind, g.Name = "gcloud-operator.dev/v1alpha1", "GcloudRun", "a"
	g.Status.ObservedGeneration = 1
	g.Status.Run = &v1alpha1.Run{Number: 1, Key: "k", Attempt: 1, JobName: "j", QueuedTime: metav1.Now()}
	g.Status.Response = &v1alpha1.Response{Run: 1, ExitCode: new(int64(0)), StderrInfo: v1alpha1.Stored{Bytes: 1, SHA256: "s", Base64: []byte{0}}}
	g.Status.OutputFiles = []v1alpha1.OutputFile{{Path: "a"}}
	text, err := json.Marshal(g)
	if err != nil {
		t.Fatal(err)
	}
	var object map[string]any
	if err := utiljson.Unmarshal(text, &object); err != nil { // integers stay integers
		t.Fatal(err)
	}
	if got := object["status"].(map[string]any)["response"].(map[string]any)["exitCode"]; got == nil {
		t.Error("exit code 0 does not show")
	}
	if errs := c.check(t, object); len(errs) > 0 {
		t.Error(errs)
	}
}
