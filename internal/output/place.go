// SPDX-License-Identifier: Apache-2.0

// Package output lays out what a command printed and wrote: what stands in the status, and which
// ConfigMaps hold the rest. It is pure.
package output

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"sort"
	"unicode"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

const (
	// DefaultInlineBytes is how much of a run's output stands in its status, as it is encoded there.
	DefaultInlineBytes = 64 << 10

	// excerptBytes bounds the beginning, and the end, of a stream that doesn't fit into the status.
	excerptBytes = 2 << 10
)

// Content is a stream or a file as a status shows it.
type Content struct {
	// Text is the whole, if it is text and fits; or the beginning and the end.
	Text   string
	Stored v1alpha1.Stored
}

// Placed is a report's output as a status shows it.
type Placed struct {
	Stdout, Stderr Content
	Files          []v1alpha1.OutputFile
	LeftOut        []v1alpha1.LeftOutFile
}

// Place lays the output of a report out: up to inlineBytes of it, as they are encoded, stand in the
// status; the rest goes into ConfigMaps, which meta makes the metadata of, by their index. Without meta
// there are none, and of the rest only the beginnings and the ends are kept.
func Place(r result.Report, inlineBytes int64, meta func(index int) metav1.ObjectMeta) (Placed, []*corev1.ConfigMap) {
	pieces := []piece{{key: "stdout", stream: r.Stdout, excerpt: true}, {key: "stderr", stream: r.Stderr, excerpt: true}}
	for i, f := range r.Files {
		pieces = append(pieces, piece{key: fmt.Sprintf("file-%04d", i), stream: f.Stream})
	}
	chooseInline(pieces, inlineBytes)
	s := store{meta: meta}
	contents := make([]Content, len(pieces))
	for i, p := range pieces {
		contents[i] = p.content(&s)
	}
	placed := Placed{Stdout: contents[0], Stderr: contents[1], LeftOut: leftOut(r)}
	for i, f := range r.Files {
		c := contents[i+2]
		placed.Files = append(placed.Files, v1alpha1.OutputFile{Path: f.Path, Contents: c.Text, Stored: c.Stored})
	}
	return placed, s.maps
}

func leftOut(r result.Report) []v1alpha1.LeftOutFile {
	var files []v1alpha1.LeftOutFile
	for _, l := range r.LeftOut {
		files = append(files, v1alpha1.LeftOutFile{Path: l.Path, Bytes: l.Bytes, Reason: l.Why})
	}
	return files
}

// Digest is for the names of the ConfigMaps: other contents, or another layout of the same, have another.
// So one that is there already under such a name is right.
func Digest(r result.Report, inlineBytes int64) string {
	h := sha256.New()
	_, _ = fmt.Fprintln(h, inlineBytes)
	for _, s := range append([]result.Stream{r.Stdout, r.Stderr}, streams(r.Files)...) {
		_, _ = fmt.Fprintln(h, s.SHA256, s.Bytes, s.Head, len(s.Data))
	}
	return hex.EncodeToString(h.Sum(nil)[:4])
}

func streams(files []result.File) []result.Stream {
	var all []result.Stream
	for _, f := range files {
		all = append(all, f.Stream)
	}
	return all
}

// piece is a stream or a file on its way to its place.
type piece struct {
	key     string
	stream  result.Stream
	excerpt bool // show the beginning and the end when the whole doesn't fit
	inline  bool
}

// chooseInline spends the room in the status on the small pieces first, so that most are readable there.
func chooseInline(pieces []piece, room int64) {
	order := make([]int, len(pieces))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool { return pieces[order[a]].encodedBytes() < pieces[order[b]].encodedBytes() })
	for _, i := range order {
		size := pieces[i].encodedBytes()
		if size > room {
			return
		}
		pieces[i].inline = true
		room -= size
	}
}

// encodedBytes is what the piece takes in JSON: control characters and < > & take six bytes there.
func (p piece) encodedBytes() int64 {
	if !IsText(p.stream.Data) {
		return base64Bytes(p.stream.Data)
	}
	text, err := json.Marshal(string(p.stream.Data))
	if err != nil {
		panic("encoding a string: " + err.Error())
	}
	return int64(len(text)) - 2
}

func (p piece) content(s *store) Content {
	c := Content{Stored: v1alpha1.Stored{Bytes: p.stream.Bytes, SHA256: p.stream.SHA256}}
	if p.stream.Truncated() {
		c.Stored.Truncated, c.Stored.HeadBytes = true, int64(p.stream.Head)
	}
	switch text := IsText(p.stream.Data); {
	case p.inline && text && !p.stream.Truncated():
		c.Text = string(p.stream.Data)
	case p.inline && text:
		head, tail := p.stream.HeadTail()
		c.Text = join(head, tail, p.stream.Bytes-int64(len(p.stream.Data)))
	case p.inline:
		c.Stored.Base64 = p.stream.Data
	default:
		var head, tail []byte
		if p.excerpt && text {
			head, tail = p.ends()
			c.Text = join(head, tail, p.stream.Bytes-int64(len(head)+len(tail)))
		}
		if s.meta == nil {
			c.Stored.Truncated, c.Stored.HeadBytes = true, int64(len(head))
		}
		c.Stored.ConfigMaps = s.add(p.key, p.stream.Data)
	}
	return c
}

// ends are the beginning and the end that are shown of what doesn't fit.
func (p piece) ends() (head, tail []byte) {
	data := p.stream.Data
	size := min(excerptBytes, len(data)/2)
	head, tail = data[:cut(data, size)], data[len(data)-size:]
	for len(tail) > 0 && !utf8.RuneStart(tail[0]) {
		tail = tail[1:]
	}
	return head, tail
}

func join(head, tail []byte, missing int64) string {
	return fmt.Sprintf("%s\n[gcloud-operator: %d bytes are not shown here]\n%s", head, missing, tail)
}

// cut returns the largest length up to limit that ends with a whole character.
func cut(b []byte, limit int) int {
	for limit > 0 && !utf8.RuneStart(b[limit]) {
		limit--
	}
	return limit
}

// IsText says whether the bytes can stand in JSON and YAML as they are: valid UTF-8 without control
// characters other than those of layout.
func IsText(b []byte) bool {
	if !utf8.Valid(b) {
		return false
	}
	for _, r := range string(b) {
		if unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t' || result.NotInYAML(r) {
			return false
		}
	}
	return true
}
