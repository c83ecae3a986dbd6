// SPDX-License-Identifier: Apache-2.0

// Package webhook keeps the webhook server from being held up.
package webhook

import (
	"net/http"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/webhook"
)

// Bounded returns the server with an end to the time that the body of a request may take, and its answer as
// long again. controller-runtime bounds the header (32 seconds, 1 MiB) and the size of a body (7 MiB),
// but not how slowly a body comes, or an answer is taken.
func Bounded(server webhook.Server, patience time.Duration) webhook.Server {
	return bounded{server, patience}
}

type bounded struct {
	webhook.Server
	patience time.Duration
}

// Register adds a webhook.
func (b bounded) Register(path string, hook http.Handler) {
	b.Server.Register(path, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		connection, end := http.NewResponseController(w), time.Now().Add(b.patience)
		if connection.SetReadDeadline(end) != nil || connection.SetWriteDeadline(end.Add(b.patience)) != nil {
			http.Error(w, "the connection can't be bounded", http.StatusInternalServerError)
			return
		}
		hook.ServeHTTP(w, r)
	}))
}
