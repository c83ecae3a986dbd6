// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/result"
	"github.com/gcloud-operator/gcloud-operator/test/fakes"
)

// smuggled are texts that mean something to somebody on the way from a field to a process: to gcloud, a
// shell, Kubernetes, a file system, JSON, YAML, HTTP, or a reader.
var smuggled = []string{
	"$(" + result.TaskEnv + ")", "$$(HOME)", "--flags-file=f.yaml", `","sealTo":"age1`, v1alpha1.ManagedByLabel, "job-name",
	"a\nb", "a\x00b", "a\u2028b", "\u202etxt.exe", "\x1b[2J", "; id", "${HOME}", "--access-token-file=/proc/1/environ",
	"../../etc/passwd", "/etc/passwd", "%2e%2e%2fetc", `..\..\etc`, v1alpha1.OwnerUIDLabel, v1alpha1.OwnerUIDLabel + "=another",
	v1alpha1.ManagedByLabel + ": another", batchv1.JobNameLabel, "http://169.254.169.254/computeMetadata/v1/", "@169.254.169.254/",
}

// samples are resources that have a value for every field of text that there is. A field is tried out in
// the first that has it.
func samples(ns string) []*unstructured.Unstructured {
	const account, ref = `serviceAccountName: own`, `secretRef: {name: own, key: key}`
	run := "command: gcloud version --project=my-project\nproject: projects/my-project\n"
	read := "workspace: " + workspace + "\npath: definitions/a.sqlx\n"
	documents := "names: [documents/cloud.example.com/a]\n"
	again := "interval: 1h\ntimeout: 1m\nretry: {backoff: 1s%s}\n" + `pod:
  resources: {requests: {example.com/gpu: "1"}, limits: {example.com/gpu: "1"}}
  nodeSelector: {disk: ssd}
  tolerations: [{key: only, operator: Equal, value: team-a, effect: NoSchedule}]
  imagePullSecrets: [{name: own}]
  runtimeClassName: own
  priorityClassName: own
  labels: {team: a}
  annotations: {team: a}
`
	of := func(kind, spec string) *unstructured.Unstructured {
		o := &unstructured.Unstructured{Object: map[string]any{}}
		var fields map[string]any
		if err := yaml.Unmarshal([]byte(spec), &fields); err != nil {
			panic(err)
		}
		o.Object["spec"] = fields
		o.SetGroupVersionKind(v1alpha1.SchemeGroupVersion.WithKind(kind))
		o.SetNamespace(ns)
		return o
	}
	return []*unstructured.Unstructured{
		of("GcloudRun", run+fmt.Sprintf(again, ", reasons: [CommandFailed]")+`
inputFiles:
- {path: in/a.yaml, contents: contents}
- {path: c, contentsFrom: {secretKeyRef: {name: own, key: key}}}
outputFiles: ["*.json"]
identity:
  `+account+`
  impersonateServiceAccount: a@my-project.iam.gserviceaccount.com
  workloadIdentityFederation: {provider: `+provider+`}`),
		of("GcloudRun", run+"identity: {"+ref+"}\ninputFiles: [{path: b, contentsFrom: {configMapKeyRef: {name: own, key: key}}}]"),
		of("GcloudRun", run+"identity: {"+account+"}\noutput: {secretName: own-output}"),
		of("DocumentFetch", documents+"view: DOCUMENT_VIEW_FULL\n"+fmt.Sprintf(again, "")+"identity: {"+account+"}"),
		of("DocumentFetch", documents+"identity: {"+ref+"}"),
		of("DocumentFetch", documents+"identity: {apiKeySecretRef: {name: own, key: key}}"),
		of("DataformFileRead", read+"revision: main\noutput: {configMapName: own-copy}\n"+fmt.Sprintf(again, "")+"identity: {"+account+"}"),
		of("DataformFileRead", read+"identity: {"+ref+"}"),
	}
}

// attempt is a text in a field.
type attempt struct {
	sample *unstructured.Unstructured // without the text
	field  string
	text   string
	object *unstructured.Unstructured // with it
	whole  bool                       // nothing else stands in the field
	// renamed is what the field is called otherwise, where the text is its name.
	renamed string
}

// attempts has every text in every field: alone, and behind what stands there otherwise. In a field with names
// of the author's own, a text is tried as a name, too.
func attempts(samples []*unstructured.Unstructured, fields []string) []attempt {
	var all []attempt
	tried := map[string]bool{}
	for _, sample := range samples {
		for _, at := range leavesOf(sample.Object["spec"], nil) {
			field := sample.GetKind() + " " + at.name()
			if tried[field] {
				continue
			}
			tried[field] = true
			for _, text := range textsFor(sample.GetKind(), at.name()) {
				for _, value := range []string{text, at.value + " " + text} {
					o := sample.DeepCopy()
					set(o.Object["spec"], at.path, value)
					all = append(all, attempt{sample: sample, field: field, text: value, object: o, whole: value == text})
				}
				if parent, name := at.named(); slices.Contains(fields, sample.GetKind()+" "+parent+anyName) {
					o := sample.DeepCopy()
					rename(o.Object["spec"], at.path, text)
					all = append(all, attempt{sample: sample, field: field, text: text, object: o, whole: true, renamed: name})
				}
			}
		}
	}
	return all
}

// textsFor are all texts, but only some for the settings of the pod of the other kinds, which are of one type.
func textsFor(kind, field string) []string {
	if kind != "GcloudRun" && strings.HasPrefix(field, "spec.pod.") {
		return smuggled[:6]
	}
	return smuggled
}

// followed is how many texts in a field are followed to their Jobs.
const followed = 6

// anyName ends the name of a field whose own fields have names of the author's choice.
const anyName = ".*"

// leaf is a value in a tree, and the way to it by names and indices.
type leaf struct {
	path  []any
	value string
}

// name is the way without the indices.
func (l leaf) name() string {
	name := "spec"
	for _, step := range l.path {
		if n, ok := step.(string); ok {
			name += "." + n
		} else {
			name += "[]"
		}
	}
	return name
}

// named splits the name into that of the field that this is in, and its own.
func (l leaf) named() (parent, name string) {
	name, ok := l.path[len(l.path)-1].(string)
	if !ok {
		return l.name(), ""
	}
	return leaf{path: l.path[:len(l.path)-1]}.name(), name
}

func leavesOf(tree any, path []any) (leaves []leaf) {
	at := func(step any) []any { return append(slices.Clone(path), step) }
	switch v := tree.(type) {
	case []any:
		for i, element := range v {
			leaves = append(leaves, leavesOf(element, at(i))...)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			leaves = append(leaves, leavesOf(v[name], at(name))...)
		}
	default:
		leaves = []leaf{{path, fmt.Sprint(v)}}
	}
	return leaves
}

func set(tree any, path []any, value string) {
	tree, path = parentOf(tree, path)
	switch step := path[0].(type) {
	case string:
		tree.(map[string]any)[step] = value
	case int:
		tree.([]any)[step] = value
	}
}

func rename(tree any, path []any, name string) {
	tree, path = parentOf(tree, path)
	fields := tree.(map[string]any)
	fields[name] = fields[path[0].(string)]
	delete(fields, path[0].(string))
}

// parentOf returns what the leaf is in, and the last step to it.
func parentOf(tree any, path []any) (parent any, last []any) {
	for ; len(path) > 1; path = path[1:] {
		tree = child(tree, path[0])
	}
	return tree, path
}

func child(tree, step any) any {
	if name, ok := step.(string); ok {
		return tree.(map[string]any)[name]
	}
	return tree.([]any)[step.(int)]
}

// fieldsOfText are those that the definitions in config/crd have: kind and path of each.
func fieldsOfText(t *testing.T) (fields []string) {
	t.Helper()
	files, err := filepath.Glob("../../config/crd/gcloud-operator.dev_*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("found no definitions: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		must(t, err)
		var crd apiextensionsv1.CustomResourceDefinition
		must(t, yaml.Unmarshal(text, &crd))
		spec := crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
		fields = append(fields, textFields(crd.Spec.Names.Kind+" spec", spec)...)
	}
	return fields
}

func textFields(path string, schema apiextensionsv1.JSONSchemaProps) (fields []string) {
	if schema.Type == "string" || schema.XIntOrString {
		return []string{path}
	}
	if schema.AdditionalProperties != nil && schema.AdditionalProperties.Schema != nil {
		fields = append(fields, textFields(path+anyName, *schema.AdditionalProperties.Schema)...)
	}
	for name, property := range schema.Properties {
		fields = append(fields, textFields(path+"."+name, property)...)
	}
	if schema.Items != nil && schema.Items.Schema != nil {
		fields = append(fields, textFields(path+"[]", *schema.Items.Schema)...)
	}
	return fields
}

// A tenant tries every text in every field of text of every kind. The API server says which field is wrong;
// or the Job has the text, as it is, where the field belongs, and is otherwise that of the resource without
// it. The namespace's quota has no room for pods.
func TestWhateverStandsInAFieldIsRefusedOrGoesWhereItBelongs(t *testing.T) {
	ns := makeNamespace(t, nil)
	quotaOf(corev1.ResourcePods)(t, ns)
	temporary(t, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "own"}, Data: map[string]string{"key": "value"}})
	temporary(t, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "own"}})
	allowIn(t, ns, "smuggler", mayRun, mayMakePods, may("use", "serviceaccounts", "own"), may("use", "serviceaccounts", "default"),
		may("get", "secrets", "own"), may("get", "configmaps", "own"), may("create", "secrets", "own-output"), may("create", "configmaps", "own-copy"))
	smuggler := as(t, "smuggler")

	fields := fieldsOfText(t)
	all := attempts(samples(ns), fields)
	for _, field := range fields {
		part, open := strings.CutSuffix(field, anyName[1:])
		if !slices.ContainsFunc(all, func(a attempt) bool { return a.field == field || open && strings.HasPrefix(a.field, part) }) {
			t.Errorf("nothing is tried with the field %s: add it to the samples", field)
		}
	}
	var admitted []attempt
	refused, of := 0, map[string]int{}
	for i, err := range together(all, func(i int, a attempt) error { return smuggler.Create(t.Context(), a.named("dry", i), client.DryRunAll) }) {
		switch a := all[i]; {
		case err == nil && a.whole && of[a.field] < followed: // each is a Job
			of[a.field]++
			admitted = append(admitted, a)
		case err == nil:
		case apierrors.IsInvalid(err) && (strings.Contains(err.Error(), lastName(a.field)) || a.renamed != ""):
			refused++
		case apierrors.IsForbidden(err) && strings.Contains(err.Error(), a.text): // the name of something that isn't his
			refused++
		default:
			t.Errorf("%s = %q: got %v, want that the field is invalid", a.field, a.text, err)
		}
	}
	shapes := map[*unstructured.Unstructured]shape{}
	for i, a := range admitted {
		if shapes[a.sample] == nil {
			shapes[a.sample] = jobOf(t, smuggler, attempt{object: a.sample}.named("sample", i))
		}
	}
	t.Run("what is admitted", func(t *testing.T) {
		for i, a := range admitted {
			t.Run(fmt.Sprintf("%s = %q", a.field, a.text), func(t *testing.T) {
				t.Parallel()
				if got := jobOf(t, smuggler, a.named("smuggled", i)); got != nil {
					expectShape(t, a, got.called(a.text, a.renamed, shapes[a.sample]), shapes[a.sample])
				}
			})
		}
	})
	t.Logf("of %d attempts %d were refused, and %d of the others were followed to their Jobs", len(all), refused, len(admitted))
}

func (a attempt) named(name string, i int) *unstructured.Unstructured {
	o := a.object.DeepCopy()
	o.SetName(fmt.Sprintf("%s-%d", name, i))
	return o
}

// lastName is the name of the field in which an error says that it is wrong, be it by the schema or the webhook.
func lastName(field string) string {
	field = strings.TrimRight(field, "[]")
	return field[strings.LastIndex(field, ".")+1:]
}

// together calls f for each of the elements, some at a time, and returns what came of each.
func together[T any](elements []T, f func(int, T) error) []error {
	errs := make([]error, len(elements))
	turns := make(chan struct{}, 8)
	var all sync.WaitGroup
	for i, e := range elements {
		turns <- struct{}{}
		all.Go(func() {
			errs[i] = f(i, e)
			<-turns
		})
	}
	all.Wait()
	return errs
}

// The texts that are admitted come to the command, the files and the APIs' servers as they are.
func TestTextThatMeansSomethingOnTheWayArrivesAsItIs(t *testing.T) {
	tenant := tenant(t)
	b := gcloudRun("as-it-is", "gcloud version --project=my-project").by(tenant)
	want := map[string]string{}
	for i, text := range smuggled {
		want[fmt.Sprintf("contents-%d", i)] = text
		probe := gcloudRun("probe", b.Spec.Command).inputFile("in/"+text, text)
		if tenant.Create(t.Context(), probe.GcloudRun, client.DryRunAll) == nil {
			want["in/"+text] = text
		}
	}
	for path, contents := range want {
		b = b.inputFile(path, contents)
	}
	b.Spec.OutputFiles = []string{"**"}
	g := b.succeed(t)
	for path, contents := range want {
		if got := string(outputFile(t, g, path)); got != contents {
			t.Errorf("the file %q has %q, want %q", path, got, contents)
		}
	}
	t.Logf("%d files arrived", len(want))
	testDocumentsAsTheyAre(t, tenant)
	testPathsAsTheyAre(t, tenant)
}

func testDocumentsAsTheyAre(t *testing.T, tenant client.Client) {
	api, _ := serveDocuments(t, 0, 0)
	d := documentFetch("as-it-is", nil)
	for _, text := range smuggled {
		name := "documents/cloud.example.com/" + text
		if len(d.Spec.Names) < 20 && tenant.Create(t.Context(), documentFetch("probe", []string{name}), client.DryRunAll) == nil {
			d.Spec.Names = append(d.Spec.Names, name)
			api.Put(fakes.Document{Name: name, Content: text, UpdateTime: "2026-01-01T00:00:00Z"})
		}
	}
	runResourceAs(t, tenant, d)
	expectRun(t, d.RunStatus(), v1alpha1.ReasonSucceeded)
	for i, name := range d.Spec.Names {
		if got := d.Status.Documents[i].Content; "documents/cloud.example.com/"+got != name {
			t.Errorf("as %s came %q", name, got)
		}
	}
	t.Logf("%d documents arrived", len(d.Spec.Names))
}

func testPathsAsTheyAre(t *testing.T, tenant client.Client) {
	const path, revision = "$(HOME)/a&path=b#c?alt=media/--flags-file=f;@169.254.169.254/%s ${HOME}.sqlx", "refs/heads/$(HOME)&path=b"
	api := serveDataform(t)
	api.Put(workspace, path, revision, []byte("as it is"))
	f := fileRead("as-it-is", path)
	f.Spec.Revision = revision
	runResourceAs(t, tenant, f)
	expectRun(t, f.RunStatus(), v1alpha1.ReasonSucceeded)
	if string(f.Status.FileContents) != "as it is" {
		t.Errorf("what came is %q", f.Status.FileContents)
	}
}
