// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"encoding/json"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

const spannerPort = "9020"

// spannerEmulator is Google's own emulator, out of the Google Cloud SDK.
type spannerEmulator struct{ process *exec.Cmd }

func startSpanner() (*spannerEmulator, error) {
	sdk, err := sdkFolder()
	if err != nil {
		return nil, err
	}
	folder := filepath.Join(sdk, "bin", "cloud_spanner_emulator")
	process := exec.Command(filepath.Join(folder, "gateway_main"),
		"--hostname", nodeAddress, "--grpc_port", "9010", "--http_port", spannerPort,
		"--override_max_databases_per_instance", "1000",
		"--grpc_binary", filepath.Join(folder, "emulator_main"))
	process.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := process.Start(); err != nil {
		return nil, fmt.Errorf("starting the Spanner emulator: %w", err)
	}
	e := &spannerEmulator{process}
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if c, err := net.Dial("tcp", net.JoinHostPort(nodeAddress, spannerPort)); err == nil {
			return e, c.Close()
		}
	}
	e.stop()
	return nil, fmt.Errorf("the Spanner emulator does not listen at %s:%s", nodeAddress, spannerPort)
}

// stop ends the gateway and the emulator that it started.
func (e *spannerEmulator) stop() {
	_ = syscall.Kill(-e.process.Process.Pid, syscall.SIGKILL)
	_ = e.process.Wait()
}

// sdkFolder is where the Google Cloud SDK is installed.
func sdkFolder() (string, error) {
	gcloud, err := exec.LookPath("gcloud")
	if err != nil {
		return "", fmt.Errorf("these tests need the Google Cloud SDK with its Spanner emulator: %w", err)
	}
	if gcloud, err = filepath.EvalSymlinks(gcloud); err != nil {
		return "", err
	}
	return filepath.Dir(filepath.Dir(gcloud)), nil
}

// database makes an instance and a database of the emulator, by GcloudRuns, and returns the flags
// that name them.
func database(t *testing.T, instance, ddl string) (flags string) {
	t.Helper()
	gcloudRun(instance+"-instance", "gcloud spanner instances create "+instance+
		" --config=emulator-config --description=Test --nodes=1 --project=my-project").timeout(time.Minute).succeed(t)
	gcloudRun(instance+"-database", "gcloud spanner databases create db --instance="+instance+
		" --ddl-file=schema/tables.ddl --project=my-project").
		timeout(time.Minute).inputFile("schema/tables.ddl", ddl).succeed(t)
	return " --instance=" + instance + " --project=my-project"
}

func TestADatabaseIsMadeFilledAndQueried(t *testing.T) {
	flags := database(t, "story", "CREATE TABLE Singers (Id INT64, Name STRING(100)) PRIMARY KEY (Id);")
	gcloudRun("story-insert", "gcloud spanner rows insert --database=db --table=Singers --data=Id=1,Name=Zoë"+flags).succeed(t)
	query := gcloudRun("story-query",
		`gcloud spanner databases execute-sql db --sql="SELECT Id, Name FROM Singers" --format=json`+flags).succeed(t)

	var answer struct{ Rows [][]string }
	if err := json.Unmarshal([]byte(query.Status.Response.Stdout), &answer); err != nil {
		t.Fatalf("reading %q: %v", query.Status.Response.Stdout, err)
	}
	if len(answer.Rows) != 1 || strings.Join(answer.Rows[0], " ") != "1 Zoë" {
		t.Errorf("the rows are %v, want one: 1 Zoë", answer.Rows)
	}
}
