// SPDX-License-Identifier: Apache-2.0

package output

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

// stream is what the runner keeps of the bytes, all of them.
func stream(data string) result.Stream { return capped(data, int64(len(data))) }

// capped is what the runner keeps of the bytes, limit of them.
func capped(data string, limit int64) result.Stream {
	c := result.NewCapture(limit)
	_, _ = c.Write([]byte(data)) // never fails
	return c.Stream()
}

func file(path, data string) result.File { return result.File{Path: path, Stream: stream(data)} }

func report(stdout, stderr string, files ...result.File) result.Report {
	return result.Report{Stdout: stream(stdout), Stderr: stream(stderr), Files: files}
}

func meta(index int) metav1.ObjectMeta { return metav1.ObjectMeta{Name: fmt.Sprintf("out-%d", index)} }

// noise is bytes that are no text; seed makes them others.
func noise(n int, seed uint64) string {
	random := rand.New(rand.NewPCG(seed, 0))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(random.Uint32())
	}
	if n > 0 {
		b[0] = 0
	}
	return string(b)
}

// kept returns the bytes that a status and its ConfigMaps have of a stream or file.
func kept(t *testing.T, text string, s v1alpha1.Stored, maps []*corev1.ConfigMap) []byte {
	t.Helper()
	switch {
	case s.ConfigMaps != nil:
		byName := map[string]*corev1.ConfigMap{}
		for _, m := range maps {
			byName[m.Name] = m
		}
		var data []byte
		for _, part := range s.ConfigMaps {
			value, there := byName[part.Name].BinaryData[part.Key]
			if !there {
				t.Fatalf("ConfigMap %s has no key %s", part.Name, part.Key)
			}
			data = append(data, value...)
		}
		return data
	case s.Base64 != nil:
		return s.Base64
	}
	return []byte(text)
}

// checkWhole checks that the bytes can be had again as they were.
func checkWhole(t *testing.T, what, want, text string, s v1alpha1.Stored, maps []*corev1.ConfigMap) {
	t.Helper()
	sum := sha256.Sum256([]byte(want))
	if got := kept(t, text, s, maps); !bytes.Equal(got, []byte(want)) {
		t.Errorf("%s: got %d bytes, want the %d that were written", what, len(got), len(want))
	}
	if s.Bytes != int64(len(want)) || s.SHA256 != hex.EncodeToString(sum[:]) || s.Truncated {
		t.Errorf("%s: got %d bytes, hash %s, truncated: %t", what, s.Bytes, s.SHA256, s.Truncated)
	}
}
