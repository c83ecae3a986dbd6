// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"

	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

const report4People = "gcloud-operator: the report of this run follows, for the operator to read: 1 lines\n" +
	"gcloud-operator-report/1 AAAA 0 12345678 AAAA\ngcloud-operator-report/1 AAAA end 12345678 1 4 00\n"

// However the log is cut into pieces, what the command has printed is passed on, and the report isn't.
func TestTheLiveLogLeavesTheReportOut(t *testing.T) {
	for name, c := range map[string]struct{ log, want string }{
		"a report at the end":                {"a\nb\n" + report4People, "a\nb\n"},
		"no report":                          {"a\nno end of the line", "a\nno end of the line"},
		"nothing":                            {"", ""},
		"a report alone":                     {report4People, ""},
		"lines that begin like it":           {"gcloud-operator: the live log ends here\ngcloud\ng\n\ngcloud-operator", "gcloud-operator: the live log ends here\ngcloud\ng\n\ngcloud-operator"},
		"a line that has it in its middle":   {"x gcloud-operator-report/1 a\n", "x gcloud-operator-report/1 a\n"},
		"a report whose first line was lost": {"a\n" + report4People[strings.Index(report4People, "\n")+1:], "a\n"},
	} {
		t.Run(name, func(t *testing.T) {
			for size := 1; size <= len(c.log)+1; size++ {
				var out bytes.Buffer
				f := &logFilter{to: &out}
				buffer := make([]byte, size) // one for all pieces, as readers have it
				for rest := c.log; rest != ""; {
					n := copy(buffer, rest)
					if _, err := f.Write(buffer[:n]); err != nil {
						t.Fatal(err)
					}
					rest = rest[n:]
				}
				if err := f.flush(); err != nil || out.String() != c.want || f.written != int64(len(c.want)) {
					t.Fatalf("in pieces of %d bytes it is %q, want %q", size, out.String(), c.want)
				}
			}
		})
	}
}

// A piece of a line is shown at once, unless it may be the report's.
func TestTheLiveLogHoldsBackNoMoreThanItMust(t *testing.T) {
	var out bytes.Buffer
	f := &logFilter{to: &out}
	for _, step := range []struct{ piece, want string }{
		{"Waiting", "Waiting"}, {"...", "Waiting..."}, {"\ngcloud-op", "Waiting...\n"}, {"tions", "Waiting...\ngcloud-options"},
	} {
		if _, err := f.Write([]byte(step.piece)); err != nil || out.String() != step.want {
			t.Errorf("after %q it shows %q, want %q", step.piece, out.String(), step.want)
		}
	}
}

func TestTheReportsLinesAreKnown(t *testing.T) {
	for _, line := range bytes.Split([]byte(strings.TrimSpace(report4People)), []byte("\n")) {
		if !result.BeginsReport(line) {
			t.Errorf("%s isn't known", line)
		}
	}
}

func TestTheScreenShowsTheProgressBelowTheLog(t *testing.T) {
	var terminal bytes.Buffer
	s := newScreen(Streams{Out: &terminal, Err: &terminal, OutTerminal: true, ErrTerminal: true})
	s.show("running (1s)")
	s.show("running (1s)")
	_, _ = s.Write([]byte("one\ntwo"))
	s.show("running (2s)") // the line isn't complete: it would be overwritten
	_, _ = s.Write([]byte(" and more\n"))
	s.show("running (3s)")
	s.say("%s", "cancelling")
	s.clear()
	want := clearLine + "running (1s)" + clearLine + "one\ntwo and more\n" + clearLine + "running (3s)" + clearLine + "kubectl gcloud: cancelling\n"
	if terminal.String() != want {
		t.Errorf("it shows\n%q, want\n%q", terminal.String(), want)
	}
}

func TestElsewhereThanOnATerminalNothingIsShown(t *testing.T) {
	var out, err bytes.Buffer
	s := newScreen(Streams{Out: &out, Err: &err})
	s.show("running")
	s.tell("kept")
	s.clear()
	if out.Len()+err.Len() > 0 {
		t.Errorf("it shows %q and %q", out.String(), err.String())
	}
}

func TestALogThatCannotBeReadIsToldByItsResult(t *testing.T) {
	const elsewhere = "kubectl gcloud result a"
	for name, status := range map[string]metav1.Status{
		"its pod is gone":               apierrors.NewNotFound(schema.GroupResource{Resource: "pods"}, "pod").Status(),
		"whoever asks may read no logs": apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "pod", errors.New("ask for it")).Status(),
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(int(status.Code))
				_ = json.NewEncoder(w).Encode(status) // the test sees what comes of it
			}))
			defer server.Close()
			w := newWorld(t, made("a").run(2, "pod").running().DeepCopy())
			w.pods = typedcorev1.NewForConfigOrDie(&rest.Config{Host: server.URL})
			if _, err := printLog(w.ctx, w.session, options{run: "a"}); err == nil || !strings.Contains(err.Error(), elsewhere) {
				t.Errorf("it says %v, want %q", err, elsewhere)
			}
		})
	}
}
