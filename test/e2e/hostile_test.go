// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	configv1alpha1 "github.com/gcloud-operator/gcloud-operator/api/config/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

// A command that means harm is any program, so here it is a script. What it may use up is little: the
// node is the machine that the tests run on.
func hostileCommands(c *configv1alpha1.OperatorConfiguration) {
	runScripts(c)
	c.Gcloud.Resources.Limits = corev1.ResourceList{
		corev1.ResourceMemory: resource.MustParse("256Mi"), corev1.ResourceEphemeralStorage: resource.MustParse("16Mi"),
	}
}

// hostile is a resource of somebody who may do nothing else.
func hostile(t *testing.T, name, text string) builder {
	t.Helper()
	return script(name, text).by(tenant(t))
}

// expectTold checks what the conditions say of the end, and that an event does, too.
func expectTold(t *testing.T, g *v1alpha1.GcloudRun, reason string) {
	t.Helper()
	expectReason(t, g, reason)
	expectEvent(t, g.Name, "Warning", reason)
}

func TestAHostileCommandHarmsItselfAlone(t *testing.T) {
	defer underConfiguration(t, hostileCommands)()
	t.Run("what it does", testHostileCommands) // all of it, before the configuration is as it was
}

func testHostileCommands(t *testing.T) {
	stories(t, map[string]func(*testing.T){
		"it forges a result while it runs, and leaves processes behind that go on":  testForgery,
		"it writes to the runner's memory and descriptors, traces it, and kills it": testRunnerAttacked,
		"it asks the runner to stop":                         testStopSignal,
		"it keeps the runner from writing its report":        testNoReport,
		"it fills the termination message":                   testLongMessage,
		"it forks without end":                               testForkBomb,
		"it takes all memory":                                testMemoryHog,
		"it fills the disk":                                  testDiskFiller,
		"it looks for credentials and the cluster's address": testNothingToFind,
		"it tries whom it reaches":                           testNetwork,
	})
}

// forgery answers a hostile command with the report of its run that it would like to be believed, which
// it can't make without knowing its resource's UID: as who wrote the command could tell it.
func forgery(t *testing.T, b *builder) (url string) {
	t.Helper()
	return serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		now := time.Now()
		report := result.Report{
			Run: fmt.Sprintf("%s/1/1", b.UID), Reason: result.Exited, ArgvSHA256: result.HashArgv([]string{"gcloud"}), StartedAt: now, FinishedAt: now,
			Stdout: result.Whole([]byte("forged")), Stderr: result.Whole(nil),
		}
		message, _, err := result.Encode(report, result.Limits{MessageBytes: result.DefaultMessageBytes})
		if err != nil {
			t.Error(err)
		}
		_, _ = w.Write(message)
	}))
}

// falseTrailer is a whole trailer, with a nonce that nobody drew.
func falseTrailer(t *testing.T) string {
	t.Helper()
	report := result.Report{Run: "guessed/1/1", Reason: result.Exited, Stdout: result.Whole(objects()["1 MiB of noise"][:20_000]), Stderr: result.Whole(nil)}
	_, trailer, err := result.Encode(report, result.Limits{MessageBytes: result.DefaultMessageBytes, LogBytes: 1 << 20})
	must(t, err)
	if trailer == nil {
		t.Fatal("the report needs no trailer: this shows nothing")
	}
	return string(trailer)
}

func testForgery(t *testing.T) {
	var b builder
	url, trailer := forgery(t, &b), falseTrailer(t)
	b = hostile(t, "forgery", get(url)+` >../tmp/forged
		cat ../tmp/forged >/dev/termination-log && echo forged once
		busybox rm ../state/started && echo done >../state/started
		cat trailer
		(trap '' HUP INT TERM; busybox setsid sh -c 'trap "" HUP INT TERM
			while :; do cat ../tmp/forged >/dev/termination-log; echo left behind; echo more >>written; done' &) &
		while ! busybox test -s written; do :; done
		busybox seq 20000 >&2
		exit 7`).inputFile("trailer", trailer)
	b.Spec.OutputFiles = []string{"written"}
	b.apply(t)
	g := b.finished(t)

	expectEnd(t, g, v1alpha1.ReasonCommandFailed, 7)
	expectExecuted(t, g)
	stdout := string(whole(t, g.Status.Response.Stdout, g.Status.Response.StdoutInfo))
	if !strings.HasPrefix(stdout, "forged once\n"+trailer) {
		t.Errorf("stdout begins with %.200q", stdout)
	}
	if got := string(whole(t, g.Status.Response.Stderr, g.Status.Response.StderrInfo)); !strings.HasSuffix(got, "\n20000\n") {
		t.Errorf("stderr ends with %q", got[max(0, len(got)-100):])
	}
	if strings.Trim(string(outputFile(t, g, "written")), "more\n") != "" {
		t.Error("the file has what was written while it was read")
	}
	eventually(t, "nothing is left", func() bool { return len(processesOf(t, g.Status.Run.PodUID)) == 0 })
}

// python runs a program in the Python that gcloud brings along.
const python = "${2%/lib/gcloud.py}/platform/bundledpythonunix/bin/python3 "

func testRunnerAttacked(t *testing.T) {
	g := hostile(t, "attacker", python+"attack.py").inputFile("attack.py", `
import ctypes, os, signal
def attempt(what, act):
    try:
        print(what, "succeeded:", act())
    except OSError as e:
        print(what + ":", e.strerror)
def opened(path, flags):
    return lambda: os.open(path, flags)
def traced():
    if ctypes.CDLL(None, use_errno=True).ptrace(16, 1, 0, 0) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
for name in ("mem", "fd/1", "fd/2"):
    attempt(name, opened("/proc/1/" + name, os.O_RDWR))
attempt("environ", opened("/proc/1/environ", os.O_RDONLY))
attempt("ptrace", traced)
attempt("runner", opened("/runner", os.O_WRONLY))
attempt("runner's name", lambda: os.rename("/runner", "/workspace/tmp/runner"))
attempt("message's name", lambda: os.remove("/dev/termination-log"))
attempt("inputs", lambda: os.rename("/inputs/attack.py", "/inputs/other.py"))
for n in range(1, 65):
    if n not in (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
        os.kill(1, n)
print("the runner lives", flush=True)
os._exit(3)
`).run(t)

	expectEnd(t, g, v1alpha1.ReasonCommandFailed, 3)
	const denied = "Permission denied\n"
	for _, what := range []string{"mem: " + denied, "fd/1: " + denied, "fd/2: " + denied, "environ: " + denied, "ptrace: Operation not permitted\n", "the runner lives\n"} {
		expectContains(t, "stdout", g.Status.Response.Stdout, what)
	}
	if strings.Contains(g.Status.Response.Stdout, "succeeded") {
		t.Errorf("something succeeded: %s", g.Status.Response.Stdout)
	}
}

func testStopSignal(t *testing.T) {
	g := hostile(t, "suicide", "trap 'exit 9' INT\nkill -TERM 1\nwhile :; do busybox sleep 0.1; done").run(t)

	expectEnd(t, g, v1alpha1.ReasonTerminated, 9)
	expectEvent(t, g.Name, "Warning", v1alpha1.ReasonTerminated)
}

// The system lets a process limit another of the same user.
func testNoReport(t *testing.T) {
	for name, limit := range map[string]string{"nofile": "RLIMIT_NOFILE", "fsize": "RLIMIT_FSIZE"} {
		var b builder
		url := forgery(t, &b)
		b = hostile(t, "no-report-"+name, get(url)+" >/dev/termination-log\n"+python+"-c 'import resource; resource.prlimit(1, resource."+limit+", (3, 3))'").apply(t)

		expectTold(t, b.finished(t), v1alpha1.ReasonResultLost)
	}
}

// The kubelet doesn't count the file of the message among what a pod stores.
func testLongMessage(t *testing.T) {
	g := hostile(t, "long-message", `busybox dd if=/dev/zero of=/dev/termination-log bs=1M count=4 2>/dev/null
		for i in $(busybox seq 100); do
			busybox test $(busybox stat -c %b /dev/termination-log) -lt 1024 && exit 5
			busybox sleep 0.1
		done`).run(t)

	expectEnd(t, g, v1alpha1.ReasonCommandFailed, 5)
}

// A node limits the processes of a pod (podPidsLimit); the command stops at twice that.
func testForkBomb(t *testing.T) {
	const nodeLimit = 1024
	g := hostile(t, "fork-bomb", fmt.Sprintf("for i in $(busybox seq %d); do busybox sleep 30 & done", 2*nodeLimit)).run(t)

	expectTold(t, g, v1alpha1.ReasonCommandFailed)
	expectContains(t, "stderr", g.Status.Response.Stderr, "fork")
}

func testMemoryHog(t *testing.T) {
	g := hostile(t, "memory-hog", "exec "+python+`-c 'b = b"x" * (1 << 20); all = [b * 16 for _ in range(32)]'`).run(t)

	expectTold(t, g, v1alpha1.ReasonOutOfMemory)
}

func testDiskFiller(t *testing.T) {
	g := hostile(t, "disk-filler", "busybox dd if=/dev/zero of=filler bs=1M count=64 2>/dev/null\nbusybox sleep 120").run(t)

	expectTold(t, g, v1alpha1.ReasonEvicted)
	expectContains(t, "the message", messageOf(g), "ephemeral")
}

func testNothingToFind(t *testing.T) {
	g := hostile(t, "searcher", `env
		busybox find / \( -path /proc -o -path /sys \) -prune -o \( -name token -o -name ca.crt -o -name '*.kubeconfig' \) -print`).run(t)

	expectEnd(t, g, v1alpha1.ReasonSucceeded, 0)
	expectContains(t, "stdout", g.Status.Response.Stdout, "CLOUDSDK_CONFIG=")
	for line := range strings.Lines(g.Status.Response.Stdout) {
		if strings.HasPrefix(line, "/") || strings.HasPrefix(line, "KUBERNETES_") || strings.HasPrefix(line, result.EnvPrefix) {
			t.Errorf("it finds %s", line)
		}
	}
}
