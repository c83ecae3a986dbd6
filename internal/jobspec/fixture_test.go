// SPDX-License-Identifier: Apache-2.0

package jobspec

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/yaml"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

var update = flag.Bool("update", false, "write the golden files anew")

// plan returns a plan with as little in it as there can be, changed.
func plan(changes ...func(*Plan)) Plan {
	p := Plan{
		Image:   "gcloud:528",
		Argv:    []string{"gcloud", "projects", "list", "--format=value(name)"},
		Env:     []corev1.EnvVar{{Name: "HOME", Value: "/workspace/home"}},
		Timeout: 10 * time.Minute,
		TTL:     time.Hour,
		Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("100m")},
			Limits:   corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("1Gi")},
		},
	}
	for _, change := range changes {
		change(&p)
	}
	return p
}

func withInput(path, contents string) func(*Plan) {
	return func(p *Plan) { p.Inputs = append(p.Inputs, InputFile{Path: path, Contents: contents}) }
}

func withRunnerImage(p *Plan) { p.RunnerImage = "gcloud-operator:1" }

// withPodSettings sets all that can be set of a pod, and tries to pass it for another's.
func withPodSettings(p *Plan) {
	p.CABundle = "PEM $(HOME)"
	p.Pod = v1alpha1.PodSettings{
		NodeSelector:      map[string]v1alpha1.LabelValue{"pool": "batch"},
		Tolerations:       []corev1.Toleration{{Key: "batch", Operator: corev1.TolerationOpExists}},
		ImagePullSecrets:  []v1alpha1.SecretName{{Name: "registry"}},
		RuntimeClassName:  "gvisor",
		PriorityClassName: "low",
		Labels:            map[string]v1alpha1.LabelValue{"team": "shop", "sidecar.istio.io/inject": "true", v1alpha1.OwnerUIDLabel: "another"},
		Annotations:       map[string]v1alpha1.AnnotationValue{"example.com/note": "n", v1alpha1.RunAnnotation: "7"},
	}
}

func withKey(p *Plan) {
	p.Identity.Key = &v1alpha1.KeyRef{Name: "credentials", Key: "service-account"}
}

func withFederation(p *Plan) {
	p.Identity.Federation = &Federation{Audience: "https://iam.googleapis.com/projects/1/providers/p", Config: `{"type":"external_account"}`}
}

// attempt returns the first attempt at the first run of a resource, changed.
func attempt(changes ...func(*Attempt)) Attempt {
	a := Attempt{
		Owner:   Owner{Kind: "GcloudRun", Namespace: "team", Name: "list-projects", UID: "6c1a7b2e-5d0f-4f7e-9d52-1f1f3c0a9b11"},
		Number:  1,
		Attempt: 1,
		Key:     "00112233445566778899aabbccddeeff",
	}
	for _, change := range changes {
		change(&a)
	}
	return a
}

func named(name string) func(*Attempt) { return func(a *Attempt) { a.Owner.Name = name } }

// podOf returns a pod as the Job controller makes it from a template, and the API server defaults it.
func podOf(template corev1.PodTemplateSpec) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: *template.ObjectMeta.DeepCopy(), Spec: *template.Spec.DeepCopy()}
	if pod.Spec.ServiceAccountName == "" {
		pod.Spec.ServiceAccountName = "default"
	}
	pod.Spec.DeprecatedServiceAccount = pod.Spec.ServiceAccountName
	pod.Spec.DNSPolicy = corev1.DNSClusterFirst
	pod.Spec.SchedulerName = corev1.DefaultSchedulerName
	pod.Spec.Priority = new(int32(0))
	pod.Spec.PreemptionPolicy = new(corev1.PreemptLowerPriority)
	return pod
}

// golden compares the objects, as a stream of YAML, with a file under testdata.
func golden(t *testing.T, name string, objects ...any) {
	t.Helper()
	documents := make([]string, len(objects))
	for i, o := range objects {
		text, err := yaml.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		documents[i] = string(text)
	}
	got := strings.Join(documents, "---\n")
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v: write it with -update, and read what it says", err)
	}
	if got != string(want) {
		t.Errorf("%s is not what is made now; write it anew with -update, and see what has changed. Made now:\n%s", path, got)
	}
}
