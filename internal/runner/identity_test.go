// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

const metadataSecret = "ya29.metadata-secret-of-the-pod"

// metadataServer is a node's metadata server, which answers as it is told.
type metadataServer struct {
	address string
	asked   atomic.Int64
}

// serveMetadata begins after a while, and answers the first requests, and then the others, with these codes.
func serveMetadata(t *testing.T, after time.Duration, first int64, early, late int) *metadataServer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	s := &metadataServer{address: listener.Addr().String()}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		code := late
		if s.asked.Add(1) <= first {
			code = early
		}
		if r.Header.Get("Metadata-Flavor") != "Google" || !strings.HasPrefix(r.URL.Path, "/computeMetadata/v1/instance/service-accounts/default/token") {
			code = http.StatusTeapot
		}
		w.Header().Set("Metadata-Flavor", "Google")
		w.WriteHeader(code)
		if code == http.StatusOK {
			fmt.Fprintf(w, `{"access_token":%q,"expires_in":3600,"token_type":"Bearer"}`, metadataSecret)
			return
		}
		fmt.Fprintf(w, "IAM returned %d", code)
	})}
	t.Cleanup(func() { server.Close() })
	must(t, listener.Close())
	time.AfterFunc(after, func() {
		if listener, err := net.Listen("tcp", s.address); err == nil {
			_ = server.Serve(listener) // until it is closed
		}
	})
	return s
}

// withMetadata makes the runner ask this server, and lets it start within so long.
func (p *pod) withMetadata(s *metadataServer, window time.Duration) {
	p.env = append(p.env, "GCE_METADATA_HOST="+s.address)
	p.startBefore = time.Now().Add(window).Format(time.RFC3339Nano)
}

func asThePod(task result.Task) result.Task {
	task.Identity.Metadata = true
	return task
}

func TestTheCommandWaitsForTheMetadataServer(t *testing.T) {
	for name, server := range map[string]func(t *testing.T) *metadataServer{
		"it is up":                    func(t *testing.T) *metadataServer { return serveMetadata(t, 0, 0, 0, 200) },
		"it starts late":              func(t *testing.T) *metadataServer { return serveMetadata(t, time.Second, 0, 0, 200) },
		"it doesn't know the pod":     func(t *testing.T) *metadataServer { return serveMetadata(t, 0, 2, 404, 200) },
		"it fails at first":           func(t *testing.T) *metadataServer { return serveMetadata(t, 0, 2, 500, 200) },
		"a binding is made meanwhile": func(t *testing.T) *metadataServer { return serveMetadata(t, 0, 2, 403, 200) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPod(t)
			s := server(t)
			p.withMetadata(s, time.Minute)
			e := p.run(asThePod(shell("touch ran; echo done")))
			if e.report.Reason != result.Exited || string(e.report.Stdout.Data) != "done\n" || s.asked.Load() == 0 {
				t.Errorf("got %s %q after %d requests: %s", e.report.Reason, e.report.Stdout.Data, s.asked.Load(), e.report.Message)
			}
			if strings.Contains(e.fullLog, metadataSecret) {
				t.Error("the token is in the log")
			}
		})
	}
}

func TestWithoutAnIdentityNothingIsStarted(t *testing.T) {
	for name, c := range map[string]struct {
		server func(t *testing.T) *metadataServer
		why    string
	}{
		"it never comes up":        {func(t *testing.T) *metadataServer { return serveMetadata(t, time.Hour, 0, 0, 200) }, "connection refused"},
		"the pod has no binding":   {func(t *testing.T) *metadataServer { return serveMetadata(t, 0, 0, 0, 403) }, "IAM returned 403"},
		"the pod has no identity":  {func(t *testing.T) *metadataServer { return serveMetadata(t, 0, 0, 0, 404) }, "not defined"},
		"it fails again and again": {func(t *testing.T) *metadataServer { return serveMetadata(t, 0, 0, 0, 503) }, "503"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPod(t)
			// The window is shorter than the runner's patience, and it doesn't start anything after it.
			p.withMetadata(c.server(t), 3*time.Second)
			e := p.run(asThePod(shell("touch ran")))
			refused(t, p, e, result.NoIdentity)
			if !e.report.Reason.NeverRan() || !strings.Contains(e.report.Message, c.why) || !strings.Contains(e.report.Message, "name another in spec.identity") {
				t.Errorf("got %q, which lacks %q", e.report.Message, c.why)
			}
		})
	}
}

func TestNobodyIsAskedForAnIdentityThatIsNotNeeded(t *testing.T) {
	p := newPod(t)
	s := serveMetadata(t, 0, 0, 0, 200)
	p.withMetadata(s, time.Minute)
	if e := p.run(shell("true")); e.report.Reason != result.Exited || s.asked.Load() > 0 {
		t.Errorf("got %s after %d requests", e.report.Reason, s.asked.Load())
	}
}

func TestASignalEndsTheWaitForAnIdentity(t *testing.T) {
	p := newPod(t)
	s := serveMetadata(t, 0, 0, 0, 503)
	p.withMetadata(s, time.Minute)
	cmd, log := p.start(asThePod(shell("touch ran")))
	eventually(t, "the server is asked", func() bool { return s.asked.Load() > 0 })
	must(t, cmd.Process.Signal(syscall.SIGTERM))
	refused(t, p, p.finish(cmd, log), result.StoppedBeforeStart)
}

func TestAKeyIsLeftWhereItIs(t *testing.T) {
	p := newPod(t)
	p.write("identity/"+result.KeyName, `{"type":"service_account"}`, 0o444)
	task := shell("find .. -name '*.json'; ls -A")
	task.Identity.Key = true
	e := p.run(task)
	if got := string(e.report.Stdout.Data); got != "../identity/key.json\n" || len(e.report.Files) > 0 {
		t.Errorf("got %q, and the files %v: %s", got, e.report.Files, e.report.Message)
	}
}

func TestAMissingKeyIsToldBeforeTheCommandIsStarted(t *testing.T) {
	p := newPod(t)
	task := shell("touch ran")
	task.Identity.Key = true
	e := p.run(task)
	refused(t, p, e, result.InputsMissing)
	if want := "the credentials are missing: the Secret of spec.identity.secretRef, or the key in it, does not exist"; e.report.Message != want {
		t.Errorf("got %q", e.report.Message)
	}
}

func TestAFederationIsWrittenOutsideTheWorkingDirectory(t *testing.T) {
	p := newPod(t)
	task := shell("ls -A; cat ../federation/config.json")
	task.Identity.Federation = `{"type":"external_account"}`
	e := p.run(task)
	if got := string(e.report.Stdout.Data); got != task.Identity.Federation || len(e.report.Files) > 0 {
		t.Errorf("got %q, and the files %v: %s", got, e.report.Files, e.report.Message)
	}
	info, err := os.Stat(filepath.Join(p.dir, "federation/config.json"))
	must(t, err)
	if info.Mode().Perm() != 0o444 {
		t.Errorf("its mode is %s", info.Mode())
	}
}
