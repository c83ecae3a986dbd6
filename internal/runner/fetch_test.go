// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

// testFetch is what the runner under test fetches by: the name says what comes.
func testFetch(ctx context.Context, task result.Fetch, log io.Writer) result.Report {
	var r result.Report
	switch name := task.Documents.Names[0]; name {
	case "documents/large":
		content := result.Whole([]byte(noise(200 << 10)))
		var documents []result.FetchedDocument
		for i := range 20 {
			documents = append(documents, result.FetchedDocument{Name: fmt.Sprint(name, i), Content: &content})
		}
		r.PackDocuments(documents)
		r.Reason, r.Message = result.Fetched, "20 of 20"
	case "documents/secret":
		content := result.Whole([]byte("a " + aToken))
		r.PackDocuments([]result.FetchedDocument{{Name: name, Content: &content}})
		r.Reason = result.Fetched
	case "documents/none":
		r.PackDocuments([]result.FetchedDocument{{Name: name, Error: &result.FetchError{Reason: result.NotFound, Message: "none"}}})
		r.Reason, r.Message = result.NotFound, strings.Repeat("none ", 1000)
	case "documents/slow":
		fmt.Fprintln(log, "waiting")
		<-ctx.Done()
		r.Reason, r.Message = result.FetchTimedOut, ctx.Err().Error()
		if ctx.Err() == context.Canceled {
			r.Reason = result.FetchStopped
		}
	default:
		panic("no such document")
	}
	return r
}

// noise is text that hardly deflates.
func noise(n int) string {
	var b strings.Builder
	for x := uint32(1); b.Len() < n; {
		x = x*1664525 + 1013904223
		fmt.Fprintf(&b, "%08x\n", x)
	}
	return b.String()[:n]
}

func fetchTask(name string) result.Task {
	t := task()
	t.Fetch = &result.Fetch{Documents: &result.FetchDocuments{Names: []string{name}}}
	return t
}

func TestAFetchIsReportedAsARunIs(t *testing.T) {
	e := newPod(t).run(fetchTask("documents/large"))
	documents, err := e.report.UnpackDocuments()
	if err != nil || len(documents) != 20 {
		t.Fatal(err, len(documents))
	}
	for _, d := range documents {
		if d.Content == nil || d.Content.Truncated() || string(d.Content.Data) != noise(200<<10) {
			t.Errorf("%s did not come whole", d.Name)
		}
	}
	if e.exitCode != 0 || e.report.Reason != result.Fetched || e.report.Message != "20 of 20" || e.report.StartedAt.IsZero() || e.report.FinishedAt.IsZero() {
		t.Errorf("exit code %d, %s, %s", e.exitCode, e.report.Reason, e.report.Message)
	}
}

func TestAFetchThatBringsNothingFails(t *testing.T) {
	e := newPod(t).run(fetchTask("documents/none"))
	if documents, err := e.report.UnpackDocuments(); err != nil || documents[0].Error.Reason != result.NotFound {
		t.Error(err, documents)
	}
	if e.exitCode != 1 || e.report.Reason != result.NotFound || !strings.HasPrefix(e.report.Message, "none none") || !strings.Contains(e.log, "gcloud-operator: NotFound: none") {
		t.Errorf("exit code %d, %s, %s; log: %s", e.exitCode, e.report.Reason, e.report.Message, e.log)
	}
}

func TestAFetchEndsWithItsTime(t *testing.T) {
	slow := fetchTask("documents/slow")
	slow.Timeout = 50 * time.Millisecond
	if e := newPod(t).run(slow); e.report.Reason != result.FetchTimedOut {
		t.Errorf("%s: %s", e.report.Reason, e.report.Message)
	}
	p := newPod(t)
	cmd, log := p.start(fetchTask("documents/slow"))
	eventually(t, "it waits for the document", func() bool { return strings.Contains(log.String(), "waiting") })
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if e := p.finish(cmd, log); e.report.Reason != result.FetchStopped {
		t.Errorf("%s: %s", e.report.Reason, e.report.Message)
	}
}

func TestAFetchStartsOnceToo(t *testing.T) {
	p := newPod(t)
	p.run(fetchTask("documents/none"))
	if e := p.run(fetchTask("documents/none")); e.report.Reason != result.AlreadyStarted {
		t.Errorf("the second time: %s", e.report.Reason)
	}
}

func TestAFetchThatPanicsIsReported(t *testing.T) {
	e := newPod(t).run(fetchTask("documents/other"))
	if e.report.Reason != result.SetupFailed || !bytes.Contains([]byte(e.report.Message), []byte("no such document")) {
		t.Errorf("%s: %s", e.report.Reason, e.report.Message)
	}
}
