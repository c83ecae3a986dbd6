// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os/exec"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

// patience is how long a test waits for what must come.
const patience = 3 * time.Minute

// builder makes GcloudRuns.
type builder struct {
	*v1alpha1.GcloudRun
	user client.Client // who makes and edits it
}

// gcloudRun returns a resource that runs the command.
func gcloudRun(name, command string) builder {
	return builder{&v1alpha1.GcloudRun{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec:       v1alpha1.GcloudRunSpec{Project: "projects/my-project", Command: command},
	}, cluster}
}

// by has a user make and edit the resource who isn't the cluster's administrator.
func (b builder) by(user client.Client) builder {
	b.user = user
	return b
}

func (b builder) inputFile(path, contents string) builder {
	b.Spec.InputFiles = append(b.Spec.InputFiles, v1alpha1.InputFile{Path: path, Contents: contents})
	return b
}

func (b builder) inputFrom(path string, from v1alpha1.ContentsSource) builder {
	b.Spec.InputFiles = append(b.Spec.InputFiles, v1alpha1.InputFile{Path: path, ContentsFrom: &from})
	return b
}

func (b builder) outputSecret(name string) builder {
	b.Spec.Output.SecretName = name
	return b
}

func (b builder) inPod(settings v1alpha1.PodSettings) builder {
	b.Spec.Pod = settings
	return b
}

func (b builder) timeout(d time.Duration) builder {
	b.Spec.Timeout = &metav1.Duration{Duration: d}
	return b
}

// apply makes the resource, which must be admitted, and deletes it when the test ends.
func (b builder) apply(t *testing.T) builder {
	t.Helper()
	if err := b.user.Create(t.Context(), b.GcloudRun); err != nil {
		t.Fatalf("%s was refused: %v", b.Spec.Command, err)
	}
	t.Cleanup(func() { _ = cluster.Delete(context.WithoutCancel(t.Context()), b.GcloudRun) })
	return b
}

// finished waits until the resource's run has ended, and returns it.
func (b builder) finished(t *testing.T) *v1alpha1.GcloudRun {
	t.Helper()
	g := b.GcloudRun.DeepCopy()
	eventually(t, "the run ends", func() bool {
		if err := cluster.Get(t.Context(), client.ObjectKeyFromObject(g), g); err != nil {
			t.Fatal(err)
		}
		return meta.IsStatusConditionTrue(g.Status.Conditions, v1alpha1.ConditionFinished) && g.Status.ObservedGeneration == g.Generation
	})
	return g
}

// current returns the resource as it is now.
func (b builder) current(t *testing.T) *v1alpha1.GcloudRun {
	t.Helper()
	g := b.GcloudRun.DeepCopy()
	must(t, cluster.Get(t.Context(), client.ObjectKeyFromObject(g), g))
	return g
}

// pod returns the pod that may execute the resource's command, or nil while there is none.
func (b builder) pod(t *testing.T) *corev1.Pod {
	t.Helper()
	run := b.current(t).Status.Run
	if run == nil || run.PodName == "" {
		return nil
	}
	pod := &corev1.Pod{}
	err := cluster.Get(t.Context(), types.NamespacedName{Namespace: b.Namespace, Name: run.PodName}, pod)
	if apierrors.IsNotFound(err) {
		return nil
	}
	must(t, err)
	return pod
}

// run applies the resource and waits for its end.
func (b builder) run(t *testing.T) *v1alpha1.GcloudRun {
	t.Helper()
	return b.apply(t).finished(t)
}

// succeed is run for what must succeed.
func (b builder) succeed(t *testing.T) *v1alpha1.GcloudRun {
	t.Helper()
	g := b.run(t)
	expectEnd(t, g, v1alpha1.ReasonSucceeded, 0)
	expectExecuted(t, g)
	return g
}

// expectExecuted checks that what the runner executed in the pod, by the hash in its report, is what
// the status says.
func expectExecuted(t *testing.T, g *v1alpha1.GcloudRun) {
	t.Helper()
	m, err := result.DecodeMessage(podOf(t, g).Status.ContainerStatuses[0].State.Terminated.Message)
	if err != nil {
		t.Fatal(err)
	}
	if m.Body == result.Complete && m.Report.ArgvSHA256 != result.HashArgv(g.Status.Argv) {
		t.Errorf("the words that were executed aren't %q", g.Status.Argv)
	}
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatalf("waited %s in vain: %s", patience, what)
}

// expectEnd checks how the run ended, and that the conditions say so.
func expectEnd(t *testing.T, g *v1alpha1.GcloudRun, reason string, exitCode int64) {
	t.Helper()
	expectReason(t, g, reason)
	if g.Status.Response == nil || g.Status.Response.ExitCode == nil || *g.Status.Response.ExitCode != exitCode {
		t.Fatalf("the response is %+v, want exit code %d", g.Status.Response, exitCode)
	}
}

// expectReason checks what the conditions say of the end.
func expectReason(t *testing.T, g *v1alpha1.GcloudRun, reason string) {
	t.Helper()
	ready := meta.FindStatusCondition(g.Status.Conditions, v1alpha1.ConditionReady)
	if ready.Reason != reason {
		t.Fatalf("%s ended with %s, want %s: %s", g.Name, ready.Reason, reason, ready.Message)
	}
	if want := reason == v1alpha1.ReasonSucceeded; (ready.Status == metav1.ConditionTrue) != want {
		t.Errorf("Ready is %s after %s", ready.Status, reason)
	}
}

// podOf returns the pod of the resource's run.
func podOf(t *testing.T, g *v1alpha1.GcloudRun) *corev1.Pod {
	t.Helper()
	pod := &corev1.Pod{}
	if err := cluster.Get(t.Context(), types.NamespacedName{Namespace: g.Namespace, Name: g.Status.Run.PodName}, pod); err != nil {
		t.Fatal(err)
	}
	return pod
}

// whole returns the bytes of a stream or a file, from wherever they are, checked against their hash.
func whole(t *testing.T, text string, stored v1alpha1.Stored) []byte {
	t.Helper()
	data := []byte(text)
	if stored.Base64 != nil {
		data = stored.Base64
	}
	if len(stored.ConfigMaps) > 0 {
		data = parts(t, stored)
	}
	if sha256Of(data) != stored.SHA256 || int64(len(data)) != stored.Bytes {
		t.Fatalf("%d bytes came back, whose hash differs from that of the %d that there were", len(data), stored.Bytes)
	}
	return data
}

// parts returns what is in the ConfigMaps.
func parts(t *testing.T, stored v1alpha1.Stored) []byte {
	t.Helper()
	var data []byte
	for _, part := range stored.ConfigMaps {
		m := &corev1.ConfigMap{}
		if err := cluster.Get(t.Context(), types.NamespacedName{Namespace: namespace, Name: part.Name}, m); err != nil {
			t.Fatal(err)
		}
		data = append(data, m.BinaryData[part.Key]...)
	}
	return data
}

func sha256Of(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func secretData(t *testing.T, part v1alpha1.StoredPart) []byte {
	t.Helper()
	secret := &corev1.Secret{}
	if err := cluster.Get(t.Context(), types.NamespacedName{Namespace: namespace, Name: part.Name}, secret); err != nil {
		t.Fatal(err)
	}
	return secret.Data[part.Key]
}

// makeSecret makes a Secret, in each value of which a credential stands.
func makeSecret(t *testing.T, name string, data map[string]string) string {
	t.Helper()
	for key, value := range data {
		if len(credentials.Find([]byte(value))) == 0 {
			t.Fatalf("nothing in %s/%s is a credential that is looked for after the tests", name, key)
		}
	}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, StringData: data}
	if err := cluster.Create(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	return name
}

func makeConfigMap(t *testing.T, name string, data map[string]string) {
	t.Helper()
	m := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Data: data}
	if err := cluster.Create(t.Context(), m); err != nil {
		t.Fatal(err)
	}
}

// kubectl returns what kubectl prints in the tests' namespace.
func kubectl(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "kubectl", append([]string{"--namespace=" + namespace}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("kubectl %v: %v: %s", args, err, out)
	}
	return string(out)
}

// outputFile returns the bytes of a file that the command wrote.
func outputFile(t *testing.T, g *v1alpha1.GcloudRun, path string) []byte {
	t.Helper()
	for _, f := range g.Status.OutputFiles {
		if f.Path == path {
			return whole(t, f.Contents, f.Stored)
		}
	}
	t.Fatalf("%s wrote no %s, but %+v, and left out %+v", g.Name, path, g.Status.OutputFiles, g.Status.LeftOutFiles)
	return nil
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func expectContains(t *testing.T, what, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !bytes.Contains([]byte(text), []byte(part)) {
			t.Errorf("%s lacks %q: %s", what, part, text)
		}
	}
}
