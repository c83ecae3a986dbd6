// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"encoding/json"
	"net/http"
	"sync"
	"testing"
)

// topics answers `gcloud pubsub topics describe` in place of Pub/Sub. It counts how often it was asked
// for each topic, which is how often the command was executed, and can let the command wait.
type topics struct {
	mutex   sync.Mutex
	asked   map[string]int
	missing map[string]int           // how many questions come before the topic is there
	keys    map[string]string        // what the answer says beside the name
	gates   map[string]chan struct{} // what an answer waits for
}

// describe is the command that asks for the topic, once.
func describe(topic string) string {
	return "gcloud pubsub topics describe " + topic + " --project=my-project"
}

func serveTopics(t *testing.T) *topics {
	t.Helper()
	p := &topics{asked: map[string]int{}, missing: map[string]int{}, keys: map[string]string{}, gates: map[string]chan struct{}{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/projects/my-project/topics/{topic}", p.answer)
	serveAt(t, silentPort, mux)
	return p
}

func (p *topics) answer(w http.ResponseWriter, r *http.Request) {
	topic := r.PathValue("topic")
	status, key, gate := p.note(topic)
	if gate != nil {
		select {
		case <-gate:
		case <-r.Context().Done(): // the command was stopped
		}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	body := map[string]any{"name": "projects/my-project/topics/" + topic, "kmsKeyName": key}
	if status == http.StatusNotFound {
		body = map[string]any{"error": map[string]any{"code": status, "status": "NOT_FOUND", "message": "Resource not found (resource=" + topic + ")."}}
	}
	_ = json.NewEncoder(w).Encode(body)
}

func (p *topics) note(topic string) (status int, key string, gate chan struct{}) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.asked[topic]++
	if p.asked[topic] <= p.missing[topic] {
		return http.StatusNotFound, "", nil
	}
	return http.StatusOK, p.keys[topic], p.gates[topic]
}

// hold has whoever asks for the topic wait until it is let go.
func (p *topics) hold(topic string) (letGo func()) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	gate := make(chan struct{})
	p.gates[topic] = gate
	return sync.OnceFunc(func() { close(gate) })
}

// miss answers that the topic isn't there, so many times.
func (p *topics) miss(topic string, times int) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.missing[topic] = times
}

// set changes the answer.
func (p *topics) set(topic, key string) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.keys[topic] = key
}

func (p *topics) times(topic string) int {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.asked[topic]
}

// awaitRunning waits until the command that asks for the topic runs.
func (p *topics) awaitRunning(t *testing.T, topic string) {
	t.Helper()
	eventually(t, "gcloud asks for "+topic, func() bool { return p.times(topic) > 0 })
}

// expectExecutions checks how often the command that asks for the topic was executed.
func (p *topics) expectExecutions(t *testing.T, topic string, want int) {
	t.Helper()
	if got := p.times(topic); got != want {
		t.Errorf("the command that asks for %s was executed %d times, want %d", topic, got, want)
	}
}
