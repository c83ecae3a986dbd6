// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"fmt"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

// The kubelet gives no part of a log that it has rotated away, and looks for logs to rotate every few
// seconds while a container runs. The runner takes care that a log of the default size isn't; this
// kubelet's are smaller, until it has rotated one.
func testRotation(t *testing.T) {
	restore := underKubeletOption(t, "containerLogMaxSize: 1Mi")
	defer restore()
	first := append([]byte("the first line\n"), bytes.Repeat([]byte(strings.Repeat("x", 9_999)+"\n"), 150)...)
	last := bytes.Repeat(objects()["1 MiB of noise"], 2)
	rotated := make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("/first", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(first) })
	mux.HandleFunc("/last", func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-rotated:
			_, _ = w.Write(last)
		case <-r.Context().Done():
		}
	})
	url := serve(t, mux)
	g := script("rotated", get(url+"/first")+"\n(while sleep 0.1; do echo busy; done) &\n"+get(url+"/last")+" >&2\nexit 3").apply(t)
	eventually(t, "the log is rotated", func() bool { return strings.HasPrefix(logBeginning(t, g), "busy") })
	restore()
	eventually(t, "the kubelet is back", func() bool { return logBeginning(t, g) != "" })
	close(rotated)

	end := g.finished(t)
	expectEnd(t, end, v1alpha1.ReasonCommandFailed, 3)
	expectBytes(t, end.Status.Response.Stderr, end.Status.Response.StderrInfo, last)
	out := whole(t, end.Status.Response.Stdout, end.Status.Response.StdoutInfo)
	if rest, ok := bytes.CutPrefix(out, first); !ok || len(rest) == 0 || strings.Trim(string(rest), "busy\n") != "" {
		t.Errorf("stdout has %d bytes, and should begin with the %d that were printed first", len(out), len(first))
	}
	kubectl(t, "get", "gcloudrun", end.Name, "-o", "yaml") // its message quotes noise, and YAML can't hold every character
}

// The kubelet counts records where it is asked for lines, and a record has 16 KiB at most.
func testEndlessLine(t *testing.T) {
	dense := objects()["3 MB on one line"][:400_000]
	printed := slices.Concat(bytes.Repeat([]byte("0123456\r\n"), 10_000), bytes.Repeat([]byte("x"), 2_500_000), dense)
	url := serveBytes(t, map[string][]byte{"printed": printed})
	g := script("endless", get(url+"/printed")+" >&2").succeed(t)

	expectBytes(t, g.Status.Response.Stderr, g.Status.Response.StderrInfo, printed)
	m, err := result.DecodeMessage(podOf(t, g).Status.ContainerStatuses[0].State.Terminated.Message)
	if err != nil || m.Trailer == nil {
		t.Fatalf("the report isn't in the log: %+v, %v", m, err)
	}
	tail := kubectl(t, "logs", fmt.Sprintf("--tail=%d", m.Trailer.TailLines()), g.Status.Run.PodName)
	if line, _, _ := strings.Cut(tail, "\n"); !strings.HasSuffix(line, string(dense)) || len(line) >= 2_500_000+len(dense) {
		t.Errorf("the tail of the log begins with %d bytes, %.50q, not in the middle of the line", len(line), line)
	}
}

// logBeginning returns the first bytes of what there is of a running command's log.
func logBeginning(t *testing.T, b builder) string {
	t.Helper()
	g := b.GcloudRun.DeepCopy()
	if err := cluster.Get(t.Context(), client.ObjectKeyFromObject(g), g); err != nil {
		t.Fatal(err)
	}
	if g.Status.Run == nil || g.Status.Run.PodName == "" {
		return ""
	}
	log, err := exec.CommandContext(t.Context(), "kubectl", "--namespace="+namespace, "logs", "--limit-bytes=20", g.Status.Run.PodName).Output()
	if err != nil {
		return "" // the container isn't there yet
	}
	return string(log)
}
