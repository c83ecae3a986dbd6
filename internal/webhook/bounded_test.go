// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/client-go/util/cert"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

const (
	patience = time.Second
	path     = "/validate"
	review   = `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"1","operation":"CREATE"}}`
	// A long answer, of more than connections hold.
	longReview = `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"2","operation":"CREATE"}}`
)

// server is a webhook server with one webhook, which admits all.
type server struct {
	address string
	trust   *tls.Config
	asked   atomic.Int32 // how many requests came as far as the webhook itself
}

func serve(t *testing.T) *server {
	t.Helper()
	chain, key, err := cert.GenerateSelfSignedCertKey("localhost", []net.IP{net.IPv4(127, 0, 0, 1)}, nil)
	must(t, err)
	pair, err := tls.X509KeyPair(chain, key)
	must(t, err)
	free, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	must(t, free.Close())
	s := &server{address: free.Addr().String(), trust: &tls.Config{RootCAs: x509.NewCertPool()}}
	s.trust.RootCAs.AppendCertsFromPEM(chain)
	inner := webhook.NewServer(webhook.Options{
		Host: "127.0.0.1", Port: free.Addr().(*net.TCPAddr).Port,
		TLSOpts: []func(*tls.Config){func(c *tls.Config) {
			c.GetCertificate = func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return &pair, nil }
		}},
	})
	Bounded(inner, patience).Register(path, &admission.Webhook{Handler: admission.HandlerFunc(func(_ context.Context, r admission.Request) admission.Response {
		s.asked.Add(1)
		if r.UID == "2" {
			return admission.Allowed(strings.Repeat("so be it", 2<<20))
		}
		return admission.Allowed("so be it")
	})})
	go func() { _ = inner.Start(t.Context()) }() // ends with the test
	for inner.StartedChecker()(nil) != nil {
		time.Sleep(5 * time.Millisecond)
	}
	return s
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// header begins a request with a body of that length.
func header(length int) string {
	return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", path, length)
}

// dial opens a connection of its own.
func (s *server) dial(t *testing.T) *tls.Conn {
	t.Helper()
	connection, err := tls.Dial("tcp", s.address, s.trust)
	must(t, err)
	t.Cleanup(func() { _ = connection.Close() })
	return connection
}

// review asks the webhook as the API server does, over HTTP/2, and says what it answered.
func (s *server) review(t *testing.T, body string) string {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: s.trust, ForceAttemptHTTP2: true}}
	defer client.CloseIdleConnections()
	answer, err := client.Post("https://"+s.address+path, "application/json", strings.NewReader(body))
	must(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	must(t, err)
	return string(text)
}

func TestWhoHoldsUpTheWebhookIsCutOffAndHoldsNobodyElse(t *testing.T) {
	const limit = 7 << 20
	for name, c := range map[string]struct {
		send  func(*tls.Conn) // what it sends, in the background
		reads bool            // it takes the answer
		says  string          // what the answer says, if there is one
		asked int32           // whether the webhook itself was asked
	}{
		"a body that never comes": {
			send:  func(c *tls.Conn) { _, _ = io.WriteString(c, header(100)) },
			reads: true, says: "timeout",
		},
		"a body that comes a byte at a time": {
			send: func(c *tls.Conn) {
				_, _ = io.WriteString(c, header(limit))
				for _, err := io.WriteString(c, " "); err == nil; _, err = io.WriteString(c, " ") {
					time.Sleep(patience / 20)
				}
			},
			reads: true, says: "timeout",
		},
		"a body beyond the limit": {
			send: func(c *tls.Conn) {
				_, _ = io.WriteString(c, header(10*limit))
				for _, err := c.Write(make([]byte, 1<<20)); err == nil; _, err = c.Write(make([]byte, 1<<20)) {
				}
			},
			reads: true, says: "request entity is too large",
		},
		"an answer that isn't taken": {
			send:  func(c *tls.Conn) { _, _ = io.WriteString(c, header(len(longReview))+longReview) },
			asked: 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t)
			connection := s.dial(t)
			go c.send(connection)
			if answer := s.review(t, review); !strings.Contains(answer, `"allowed":true`) {
				t.Errorf("another request got %.200s", answer)
			}
			if !c.reads {
				time.Sleep(3 * patience) // too late
			}
			must(t, connection.SetReadDeadline(time.Now().Add(10*patience)))
			answer, err := io.ReadAll(bufio.NewReader(connection))
			if timeout := net.Error(nil); errors.As(err, &timeout) && timeout.Timeout() {
				t.Fatal("the connection wasn't cut off")
			}
			if !bytes.Contains(answer, []byte(c.says)) {
				t.Errorf("it was told %.300s, want %s", answer, c.says)
			}
			if c.says == "" && bytes.HasSuffix(bytes.TrimSpace(answer), []byte("}}")) {
				t.Error("it got the whole answer")
			}
			if got := s.asked.Load() - 1; got != c.asked {
				t.Errorf("the webhook was asked %d times, want %d", got, c.asked)
			}
		})
	}
}
