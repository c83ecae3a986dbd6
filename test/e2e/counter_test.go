// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"testing"
)

const (
	spannerURL       = "http://" + nodeAddress + ":" + spannerPort + "/v1/"
	counterInstance  = "projects/my-project/instances/counters"
	counterStatement = `INSERT INTO Starts (Id) VALUES (GENERATE_UUID())`
)

// counter is a database outside of the cluster that holds a row for each time its command was executed.
// Each run has its own, because Google's emulator aborts all but one of a database's transactions.
type counter string

// counterInstanceMade makes what the counters are made in.
var counterInstanceMade = sync.OnceValue(func() error {
	return askSpanner("projects/my-project/instances", map[string]any{"instanceId": "counters", "instance": map[string]any{
		"config": "projects/my-project/instanceConfigs/emulator-config", "displayName": "Counters", "nodeCount": 1,
	}}, nil)
})

func makeCounter(name string) (counter, error) {
	if err := counterInstanceMade(); err != nil {
		return "", err
	}
	return counter(name), askSpanner(counterInstance+"/databases", map[string]any{
		"createStatement": "CREATE DATABASE `" + name + "`",
		"extraStatements": []string{"CREATE TABLE Starts (Id STRING(36)) PRIMARY KEY (Id)"},
	}, nil)
}

// counted returns a resource whose command counts its executions.
func counted(t *testing.T, name string) (builder, counter) {
	t.Helper()
	c, err := makeCounter(name)
	if err != nil {
		t.Fatal(err)
	}
	return gcloudRun(name, c.command()), c
}

// expectExecutions checks how many times the command has been executed.
func (c counter) expectExecutions(t *testing.T, want int) {
	t.Helper()
	if got := c.executions(t); got != want {
		t.Errorf("%s was executed %d times, want %d", c, got, want)
	}
}

// command is what adds a row.
func (c counter) command() string {
	return fmt.Sprintf("gcloud spanner databases execute-sql %s --instance=counters --project=my-project --sql=%q", c, counterStatement)
}

// executions is how many times the command was executed.
func (c counter) executions(t *testing.T) int {
	t.Helper()
	var session struct{ Name string }
	var answer struct{ Rows [][]string }
	err := askSpanner(fmt.Sprintf("%s/databases/%s/sessions", counterInstance, c), map[string]any{}, &session)
	if err == nil {
		err = askSpanner(session.Name+":executeSql", map[string]any{"sql": "SELECT COUNT(*) FROM Starts"}, &answer)
	}
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(answer.Rows[0][0])
	if err != nil {
		t.Fatalf("counting the rows of %s: %v", c, err)
	}
	return n
}

func askSpanner(path string, body, into any) error {
	encoded, err := json.Marshal(body)
	if err != nil {
		return err
	}
	response, err := http.Post(spannerURL+path, "application/json", bytes.NewReader(encoded))
	if err != nil {
		return fmt.Errorf("asking the Spanner emulator: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return fmt.Errorf("reading the Spanner emulator's answer: %w", err)
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the Spanner emulator answers to %s: %s: %s", path, response.Status, answer)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(answer, into)
}
