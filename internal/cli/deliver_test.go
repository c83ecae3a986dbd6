// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

func TestOutputIsReadFromWhereverItIs(t *testing.T) {
	meta := metav1.ObjectMeta{Namespace: "team", Name: "kept"}
	w := newWorld(t,
		&corev1.ConfigMap{ObjectMeta: meta, BinaryData: map[string][]byte{"1": []byte("one\xff"), "2": []byte("two")}},
		&corev1.Secret{ObjectMeta: meta, Data: map[string][]byte{"stdout": []byte("secret")}})
	part := func(key string) v1alpha1.StoredPart { return v1alpha1.StoredPart{Name: "kept", Key: key} }
	whole := func(s v1alpha1.Stored, data string) v1alpha1.Stored {
		s.Bytes, s.SHA256 = int64(len(data)), sha256Of([]byte(data))
		return s
	}
	for name, c := range map[string]struct {
		text   string
		stored v1alpha1.Stored
		want   string
		whole  bool
		fails  string
	}{
		"in the status":                   {"text", stored("text"), "text", true, ""},
		"nowhere, for there was no run":   {"", v1alpha1.Stored{}, "", true, ""},
		"in the status, as base64":        {"", whole(v1alpha1.Stored{Base64: []byte("\x00\xff")}, "\x00\xff"), "\x00\xff", true, ""},
		"in ConfigMaps":                   {"one…", whole(v1alpha1.Stored{ConfigMaps: []v1alpha1.StoredPart{part("1"), part("2")}}, "one\xfftwo"), "one\xfftwo", true, ""},
		"in a Secret":                     {"", whole(v1alpha1.Stored{Secret: new(part("stdout"))}, "secret"), "secret", true, ""},
		"in ConfigMaps, but the middle":   {"one…", v1alpha1.Stored{ConfigMaps: []v1alpha1.StoredPart{part("2")}, Truncated: true, Bytes: 99}, "two", false, ""},
		"in the wrong order":              {"", whole(v1alpha1.Stored{ConfigMaps: []v1alpha1.StoredPart{part("2"), part("1")}}, "one\xfftwo"), "", false, "aren't the 7"},
		"in a ConfigMap that isn't there": {"", whole(v1alpha1.Stored{ConfigMaps: []v1alpha1.StoredPart{{Name: "gone", Key: "1"}}}, "x"), "", false, `"gone" not found`},
	} {
		t.Run(name, func(t *testing.T) {
			got, isWhole, err := w.content(t.Context(), c.text, c.stored)
			if string(got) != c.want || isWhole != c.whole || (err == nil) != (c.fails == "") || err != nil && !strings.Contains(err.Error(), c.fails) {
				t.Errorf("it is %q, whole: %v, %v", got, isWhole, err)
			}
		})
	}
}

func TestFilesAreWrittenIntoTheFolderAndNowhereElse(t *testing.T) {
	parent := t.TempDir()
	folder := filepath.Join(parent, "new", "folder")
	file := func(path, text string) v1alpha1.OutputFile {
		return v1alpha1.OutputFile{Path: path, Contents: text, Stored: stored(text)}
	}
	g := made("a").run(1, "pod").ended(v1alpha1.ReasonSucceeded, 0).printed("", "")
	g.Status.OutputFiles = []v1alpha1.OutputFile{file("plain", "1"), file("in/a/folder", "2"), file("../outside", "3")}
	g.Status.LeftOutFiles = []v1alpha1.LeftOutFile{{Path: "large", Reason: "it is too large"}}
	v := &watching{session: newWorld(t).session, wanted: wanted{name: "a"}, latest: g.GcloudRun}

	_, read, err := v.deliver(t.Context(), folder)
	if err == nil || read || !strings.Contains(err.Error(), "making the folder of ../outside") || !strings.Contains(err.Error(), "not kept large: it is too large") {
		t.Errorf("read: %v, and it says %v", read, err)
	}
	for path, want := range map[string]string{"plain": "1", "in/a/folder": "2"} {
		if got, err := os.ReadFile(filepath.Join(folder, path)); err != nil || string(got) != want {
			t.Errorf("%s is %q, %v", path, got, err)
		}
	}
	if _, err := os.Stat(filepath.Join(parent, "new", "outside")); !errors.Is(err, os.ErrNotExist) {
		t.Error("a file was written outside")
	}
}

// What the live log has shown is not shown again, unless it wasn't all.
func TestATerminalShowsTheOutputOnce(t *testing.T) {
	const whole = "kubectl gcloud: the live view was not complete; this is the whole:\n"
	for name, c := range map[string]struct {
		shown    int64
		out, err string
	}{
		"the log had everything":    {7, "", ""},
		"and ended the last line":   {8, "", ""},
		"the log was cut":           {3, "out", whole + "err!"},
		"the log could not be read": {0, "out", "err!"},
		"the log had more":          {20, "out", whole + "err!"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			g := made("a").run(1, "pod").ended(v1alpha1.ReasonSucceeded, 0).printed("out", "err!")
			done := make(chan struct{})
			close(done)
			v := &watching{session: w.session, wanted: wanted{name: "a"}, latest: g.GcloudRun, live: &live{shown: c.shown, done: done, stop: func() {}}}
			if _, _, err := v.deliver(t.Context(), ""); err != nil || w.out.String() != c.out || w.err.String() != c.err {
				t.Errorf("%v, and it shows %q and %q", err, w.out.String(), w.err.String())
			}
		})
	}
}
