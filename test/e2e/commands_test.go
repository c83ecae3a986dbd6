// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

// silentPort is where config/devcluster sends `gcloud pubsub`: the tests answer nothing there.
const silentPort = "9031"

func TestGcloudPrintsItsVersion(t *testing.T) {
	g := gcloudRun("version", "gcloud version --project=my-project").succeed(t)

	expectContains(t, "stdout", g.Status.Response.Stdout, "Google Cloud SDK 528.0.0")
	if got := strings.Join(g.Status.Argv, " "); got != "gcloud version --project=my-project" {
		t.Errorf("argv is %q", got)
	}
	if g.Status.Run.Number != 1 || g.Status.Response.Run != 1 {
		t.Errorf("run is %d, the response's %d, want 1 and 1", g.Status.Run.Number, g.Status.Response.Run)
	}
}

func TestAFailingCommandKeepsItsWholeStderr(t *testing.T) {
	flags := database(t, "failing", "CREATE TABLE T (Id INT64) PRIMARY KEY (Id);")
	g := gcloudRun("failing", `gcloud spanner databases execute-sql db --sql="SELECT Nothing FROM T"`+flags).run(t)

	expectEnd(t, g, v1alpha1.ReasonCommandFailed, 1)
	expectContains(t, "stderr", g.Status.Response.Stderr, "ERROR: (gcloud.spanner.databases.execute-sql)", "Unrecognized name: Nothing")
	expectContains(t, "the run's message", g.Status.Run.Message, "exit code 1", "Unrecognized name: Nothing")
}

// Whether a file is there only gcloud itself finds out.
func TestAUsageErrorHasExitCode2(t *testing.T) {
	g := gcloudRun("usage", "gcloud logging metrics create m --config-from-file=forgotten.yaml --project=my-project").run(t)

	expectEnd(t, g, v1alpha1.ReasonCommandFailed, 2)
	expectContains(t, "stderr", g.Status.Response.Stderr,
		"ERROR: (gcloud.logging.metrics.create) argument --config-from-file: Unable to read file [forgotten.yaml]", "Usage: gcloud logging metrics create")
}

func TestAnInputFileInAFolderIsReadAndAnOutputFileComesBack(t *testing.T) {
	flags := database(t, "files", "CREATE TABLE T (Id INT64) PRIMARY KEY (Id);")
	ddl := gcloudRun("files-read", "gcloud spanner databases ddl update db --ddl-file=a/b/more.ddl"+flags).
		timeout(time.Minute).
		inputFile("a/b/more.ddl", "CREATE TABLE More (Id INT64) PRIMARY KEY (Id)").succeed(t)
	if len(ddl.Status.OutputFiles) != 0 {
		t.Errorf("an input file that was only read came back: %+v", ddl.Status.OutputFiles)
	}
	tables := gcloudRun("files-tables", "gcloud spanner databases ddl describe db"+flags).succeed(t)
	expectContains(t, "the tables", tables.Status.Response.Stdout, "CREATE TABLE More")

	// gcloud keeps a transaction on a zone in a file that it reads and writes.
	transaction := gcloudRun("files-write", "gcloud dns record-sets transaction add 192.0.2.1 --name=www.example.com. --type=A --ttl=300"+
		" --zone=z --transaction-file=changes/transaction.yaml --project=my-project").
		inputFile("changes/transaction.yaml", "additions: []\ndeletions: []\n").succeed(t)
	expectContains(t, "the file", string(outputFile(t, transaction, "changes/transaction.yaml")), "www.example.com.", "192.0.2.1")
}

func TestThreeMegabytesOfStdoutComeBackWhole(t *testing.T) {
	flags := database(t, "large", "CREATE TABLE T (Id INT64) PRIMARY KEY (Id);")
	g := gcloudRun("large", `gcloud spanner databases execute-sql db --format="csv[no-heading](rows)"`+
		` --sql="SELECT n, REPEAT('0123456789', 20) FROM UNNEST(GENERATE_ARRAY(1, 15000)) AS n ORDER BY n"`+flags).succeed(t)

	stdout := whole(t, g.Status.Response.Stdout, g.Status.Response.StdoutInfo)
	if len(stdout) < 3_000_000 {
		t.Fatalf("stdout has %d bytes, want 3 MB", len(stdout))
	}
	for _, n := range []int{1, 7500, 15000} {
		if !bytes.Contains(stdout, fmt.Appendf(nil, "%d", n)) {
			t.Errorf("row %d is missing", n)
		}
	}
	if len(g.Status.Response.Stdout) > 8192 {
		t.Errorf("the status holds %d bytes of a stdout that doesn't fit", len(g.Status.Response.Stdout))
	}
}

func TestStdoutAndStderrAreKeptApart(t *testing.T) {
	g := gcloudRun("apart", "gcloud spanner instances list --verbosity=debug --format=json --project=my-project").succeed(t)

	expectContains(t, "stderr", g.Status.Response.Stderr, "DEBUG: Running [gcloud.spanner.instances.list]", "INFO: Display format")
	if stdout := g.Status.Response.Stdout; !strings.HasPrefix(stdout, "[") || strings.Contains(stdout, "DEBUG") {
		t.Errorf("stdout is %q, want JSON alone", stdout)
	}
}

func TestACommandIsStoppedAfterItsTimeoutAndItsOutputKept(t *testing.T) {
	listener, err := net.Listen("tcp", net.JoinHostPort(nodeAddress, silentPort))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	g := gcloudRun("slow", "gcloud pubsub topics list --verbosity=debug --project=my-project").timeout(10 * time.Second).run(t)

	expectEnd(t, g, v1alpha1.ReasonTimedOut, 130)
	expectContains(t, "stderr", g.Status.Response.Stderr, "DEBUG: Running [gcloud.pubsub.topics.list]")
}
