// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/command"
	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

// shape is what a Job has, leaf by leaf.
type shape map[string]string

// jobOf makes the resource, and returns the Job that the operator makes for it, or nil if the operator says
// that an input is missing. The resource is gone afterwards.
func jobOf(t *testing.T, tenant client.Client, o *unstructured.Unstructured) shape {
	t.Helper()
	must(t, tenant.Create(t.Context(), o))
	defer remove(t, o)
	var jobs batchv1.JobList
	missing := false
	eventually(t, fmt.Sprintf("the Job of %s is made: %v", o.GetName(), o.Object["spec"]), func() bool {
		must(t, cluster.List(t.Context(), &jobs, client.InNamespace(o.GetNamespace()), client.MatchingLabels{v1alpha1.OwnerUIDLabel: string(o.GetUID())}))
		missing = saysMissing(t, o)
		return len(jobs.Items) > 0 || missing
	})
	if missing {
		return nil
	}
	return shapeOf(t, o, &jobs.Items[0])
}

func saysMissing(t *testing.T, o *unstructured.Unstructured) bool {
	t.Helper()
	now := o.DeepCopy()
	must(t, cluster.Get(t.Context(), client.ObjectKeyFromObject(o), now))
	var status v1alpha1.RunStatus
	fields, _, err := unstructured.NestedMap(now.Object, "status")
	must(t, err)
	must(t, runtime.DefaultUnstructuredConverter.FromUnstructured(fields, &status))
	ready := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionReady)
	return ready != nil && ready.Reason == v1alpha1.ReasonInputMissing
}

// shapeOf lays out what of the Job comes from the resource. The task in the environment is laid out, too,
// as the runner gets it: the kubelet expands $(NAME), so there must be none.
func shapeOf(t *testing.T, o *unstructured.Unstructured, job *batchv1.Job) shape {
	t.Helper()
	tree, err := runtime.DefaultUnstructuredConverter.ToUnstructured(job)
	must(t, err)
	for _, path := range []string{"status", "metadata.managedFields", "metadata.creationTimestamp", "metadata.resourceVersion"} {
		unstructured.RemoveNestedField(tree, strings.Split(path, ".")...)
	}
	s := shape{}
	for _, l := range leavesOf(tree, nil) {
		name, value := fmt.Sprint(l.path), l.value
		if strings.Contains(name, " containers ") {
			if strings.Contains(strings.ReplaceAll(value, "$$", ""), "$(") {
				t.Errorf("the kubelet expands %s: %s", name, value)
			}
			value = strings.ReplaceAll(value, "$$", "$")
		}
		if name == taskPath(job) {
			var task any
			must(t, json.Unmarshal([]byte(value), &task))
			for _, inner := range leavesOf(task, nil) {
				s["task "+fmt.Sprint(inner.path)] = inner.value
			}
			continue
		}
		s[name] = value
	}
	return s.without(string(job.UID), string(o.GetUID()), job.Name, o.GetName())
}

// without blots out what is different in any two resources.
func (s shape) without(names ...string) shape {
	for path, value := range s {
		for _, name := range names {
			value = strings.ReplaceAll(value, name, "…")
		}
		s[path] = value
	}
	return s
}

// called has what is only in this, by a name of the author's choice, be named as in the resource without it.
func (s shape) called(text, name string, without shape) shape {
	named := shape{}
	for path, value := range s {
		if _, there := without[path]; !there && name != "" {
			path = strings.ReplaceAll(path, text, name)
		}
		named[path] = value
	}
	return named
}

func taskPath(job *batchv1.Job) string {
	for i, v := range job.Spec.Template.Spec.Containers[0].Env {
		if v.Name == result.TaskEnv {
			return fmt.Sprint([]any{"spec", "template", "spec", "containers", 0, "env", i, "value"})
		}
	}
	return ""
}

// expectShape checks that the Job has the same leaves as that without the text, and that in those that
// differ stands the text, or a hash.
func expectShape(t *testing.T, a attempt, got, without shape) {
	t.Helper()
	for _, path := range slices.Sorted(maps.Keys(got)) {
		before, there := without[path]
		switch value := got[path]; {
		case strings.HasPrefix(path, "task [argv"): // compared as a whole
		case !there:
			t.Errorf("it adds %s = %q to the Job", path, value)
		case value == before || isHash(path):
		case !strings.Contains(value, a.text) || !isPlaceOfTexts(path):
			t.Errorf("it has the Job's %s say %q in place of %q", path, value, before)
		}
	}
	for path := range without {
		if _, there := got[path]; !there && !strings.HasPrefix(path, "task [argv") {
			t.Errorf("it takes %s out of the Job", path)
		}
	}
	line, _, _ := unstructured.NestedString(a.object.Object, "spec", "command")
	parsed, _ := command.Parse(line)
	for i, word := range parsed.Argv {
		if path := fmt.Sprint("task ", []any{"argv", i}); got[path] != word {
			t.Errorf("word %d is %q, want %q", i, got[path], word)
		}
	}
	if path := fmt.Sprint("task ", []any{"argv", len(parsed.Argv)}); got[path] != "" {
		t.Errorf("there is a word more, %q", got[path])
	}
}

// isPlaceOfTexts says whether what a spec says can stand there: in the task, in gcloud's own variables, as the key
// and the path of a file that is mounted, and where the pod's own settings belong.
func isPlaceOfTexts(path string) bool {
	const template, pod = "[spec template ", "[spec template spec "
	return slices.ContainsFunc([]string{
		"task [", pod + "containers 0 env ", pod + "containers 0 resources ", pod + "nodeSelector ", pod + "tolerations ",
		pod + "imagePullSecrets ", pod + "runtimeClassName]", pod + "priorityClassName]",
		template + "metadata labels ", template + "metadata annotations ",
	}, func(place string) bool { return strings.HasPrefix(path, place) }) ||
		strings.HasPrefix(path, pod+"volumes ") && (strings.HasSuffix(path, " path]") || strings.HasSuffix(path, " key]"))
}

// isHash says whether it is a hash of what is executed, or a name with one in it.
func isHash(path string) bool {
	return strings.Contains(path, v1alpha1.KeyAnnotation) || path == "task [inputs]" || strings.HasSuffix(path, " configMap name]")
}
