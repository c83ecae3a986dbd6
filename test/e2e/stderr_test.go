// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

// serveBytes serves contents by name.
func serveBytes(t *testing.T, contents map[string][]byte) (url string) {
	t.Helper()
	return serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(contents[r.URL.Path[1:]]))
	}))
}

// get is the command that prints what is served.
func get(url string) string { return "busybox wget -q -O - " + url }

func testStderr(t *testing.T) {
	contents := objects()
	contents["one byte over the cap"] = bytes.Repeat([]byte("123456789\n"), captureBytes/10+1)[:captureBytes+1]
	contents["50 MB"] = bytes.Repeat([]byte("123456789\n"), 5_000_000)
	names, named, runs := slices.Sorted(maps.Keys(contents)), map[string][]byte{}, map[string]builder{}
	for i, name := range names {
		named[fmt.Sprintf("o%d", i)] = contents[name]
	}
	url := serveBytes(t, named)
	for i, name := range names {
		runs[name] = script(fmt.Sprintf("stderr-%d", i), get(fmt.Sprintf("%s/o%d", url, i))+" >&2").apply(t)
	}
	for name, r := range runs {
		t.Run(name, func(t *testing.T) {
			g := r.finished(t)
			expectEnd(t, g, v1alpha1.ReasonSucceeded, 0)
			expectBytes(t, g.Status.Response.Stderr, g.Status.Response.StderrInfo, contents[name])
			expectBytes(t, g.Status.Response.Stdout, g.Status.Response.StdoutInfo, nil)
		})
	}
	expectRoomInTheLog(t, runs["50 MB"].finished(t))
}

// expectBytes checks a stream against what was printed: all of it up to the cap, and beyond it the
// beginning and the end, with size and hash of all.
func expectBytes(t *testing.T, text string, info v1alpha1.Stored, printed []byte) {
	t.Helper()
	if len(printed) <= captureBytes {
		if got := whole(t, text, info); !bytes.Equal(got, printed) {
			t.Errorf("%d bytes came back, which aren't the %d that were printed", len(got), len(printed))
		}
		return
	}
	if !info.Truncated || info.Bytes != int64(len(printed)) || info.SHA256 != sha256Of(printed) {
		t.Fatalf("the status says %+v of %d bytes", info, len(printed))
	}
	kept := parts(t, info)
	head, tail := kept[:info.HeadBytes], kept[info.HeadBytes:]
	if len(kept) > captureBytes || !bytes.HasPrefix(printed, head) || !bytes.HasSuffix(printed, tail) {
		t.Errorf("the %d bytes that were kept are not the beginning and the end", len(kept))
	}
	expectContains(t, "the text in the status", text, "bytes are not shown here")
}

// expectRoomInTheLog checks that the kubelet had no reason to rotate the log of a run that printed
// more than a log may have.
func expectRoomInTheLog(t *testing.T, g *v1alpha1.GcloudRun) {
	t.Helper()
	log := kubectl(t, "logs", g.Status.Run.PodName)
	if size := len(log) + strings.Count(log, "\n")*result.RecordOverhead; size > result.DefaultLogBytes {
		t.Errorf("the log takes %d bytes", size)
	}
	if !strings.HasPrefix(log, "123456789\n") || !strings.Contains(log, "gcloud-operator: the live log ends here") {
		t.Errorf("the log begins with %.100q", log)
	}
}
