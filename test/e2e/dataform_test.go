// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"net"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/test/fakes"
)

const (
	dataformPort = "9041"
	workspace    = "projects/my-project/locations/us-central1/repositories/r/workspaces/w"
)

func serveDataform(t *testing.T) *fakes.Dataform {
	t.Helper()
	api := fakes.NewDataform()
	_, stop, err := fakes.Serve(net.JoinHostPort(nodeAddress, dataformPort), api)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	return api
}

func fileRead(name, path string) *v1alpha1.DataformFileRead {
	return &v1alpha1.DataformFileRead{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec:       v1alpha1.DataformFileReadSpec{Workspace: workspace, Path: path},
	}
}

func TestFilesOfAWorkspaceAreReadWhateverIsInThem(t *testing.T) {
	api := serveDataform(t)
	for name, c := range map[string]struct {
		path, revision string
		contents       []byte
	}{
		"text":       {"definitions/a.sqlx", "", []byte("SELECT 1\n")},
		"binary":     {"logo.png", "", []byte{0x89, 'P', 'N', 'G', 0, 0xff}},
		"empty":      {"empty.txt", "", nil},
		"unicode":    {"définitions/mit Leerzeichen +%.sqlx", "", []byte("ü")},
		"a-revision": {"definitions/a.sqlx", "main~1", []byte("SELECT 0\n")},
		"large":      {"large.csv", "", bytes.Repeat([]byte("0123456789abcde\n"), 3<<16)},
	} {
		t.Run(name, func(t *testing.T) {
			api.Put(workspace, c.path, c.revision, c.contents)
			f := fileRead("file-"+name, c.path)
			f.Spec.Revision = c.revision
			runResource(t, f)
			expectRun(t, f.RunStatus(), v1alpha1.ReasonSucceeded)
			info := f.Status.FileInfo
			got := f.Status.FileContents
			if len(info.ConfigMaps) > 0 {
				got = parts(t, v1alpha1.Stored{ConfigMaps: info.ConfigMaps})
			}
			if !bytes.Equal(got, c.contents) || info.Bytes != int64(len(c.contents)) || info.SHA256 != sha256Of(c.contents) {
				t.Errorf("%d bytes came back of %d: %+v", len(got), len(c.contents), info)
			}
		})
	}
}

func TestWhatCannotBeReadSaysWhy(t *testing.T) {
	api := serveDataform(t)
	api.Put(workspace, "there.txt", "", []byte("x"))
	denied := strings.Replace(workspace, "workspaces/w", "workspaces/denied", 1)
	api.Deny(denied)
	for name, c := range map[string]struct{ workspace, path, reason string }{
		"missing-file":      {workspace, "gone.txt", "NotFound"},
		"missing-workspace": {strings.Replace(workspace, "workspaces/w", "workspaces/gone", 1), "there.txt", "NotFound"},
		"denied":            {denied, "there.txt", "PermissionDenied"},
	} {
		t.Run(name, func(t *testing.T) {
			f := fileRead("cannot-"+name, c.path)
			f.Spec.Workspace = c.workspace
			runResource(t, f)
			expectRun(t, f.RunStatus(), c.reason)
		})
	}
}

func TestTheCopyOfAFileIsMountedByAPod(t *testing.T) {
	api := serveDataform(t)
	contents := []byte("SELECT 1\x00\xff\n")
	api.Put(workspace, "mounted.sqlx", "", contents)
	f := fileRead("mounted", "mounted.sqlx")
	f.Spec.Output = &v1alpha1.FileOutput{ConfigMapName: "mounted-copy"}
	runResource(t, f)
	expectRun(t, f.RunStatus(), v1alpha1.ReasonSucceeded)

	m := &corev1.ConfigMap{}
	if err := cluster.Get(t.Context(), types.NamespacedName{Namespace: namespace, Name: "mounted-copy"}, m); err != nil {
		t.Fatal(err)
	}
	var key string
	for key = range m.BinaryData {
	}
	if got := hashOfMounted(t, "mounted-copy", key); got != sha256Of(contents) {
		t.Errorf("a pod that mounts the copy sees the hash %q, want %s", got, sha256Of(contents))
	}
}

// hashOfMounted has a pod mount a ConfigMap and say the hash of a file in it.
func hashOfMounted(t *testing.T, configMap, key string) string {
	t.Helper()
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, GenerateName: "mounting-"},
		Spec: corev1.PodSpec{
			RestartPolicy:   corev1.RestartPolicyNever,
			SecurityContext: &corev1.PodSecurityContext{RunAsNonRoot: new(true), SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault}},
			Containers: []corev1.Container{{
				Name: "c", Image: "gcloud:528.0.0", Command: []string{"/bin/sh", "-c", "busybox sha256sum /copy/" + key},
				SecurityContext: &corev1.SecurityContext{AllowPrivilegeEscalation: new(false), Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}},
				VolumeMounts:    []corev1.VolumeMount{{Name: "copy", MountPath: "/copy"}},
			}},
			Volumes: []corev1.Volume{{Name: "copy", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: configMap}}}}},
		},
	}
	if err := cluster.Create(t.Context(), pod); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the pod ends", func() bool {
		if err := cluster.Get(t.Context(), types.NamespacedName{Namespace: namespace, Name: pod.Name}, pod); err != nil {
			t.Fatal(err)
		}
		return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
	})
	hash, _, _ := strings.Cut(kubectl(t, "logs", pod.Name), " ")
	return hash
}
