// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

// answer is what a program left behind.
type answer struct {
	stdout, stderr []byte
	code           int
}

// program is a program that a test runs, and what it has printed.
type program struct {
	*exec.Cmd
	stdout, stderr bytes.Buffer
}

func newProgram(t *testing.T, env []string, dir, name string, args ...string) *program {
	p := &program{Cmd: exec.CommandContext(t.Context(), name, args...)}
	p.Env, p.Dir, p.Stdout, p.Stderr = env, dir, &p.stdout, &p.stderr
	return p
}

// end waits for the program.
func (p *program) end(t *testing.T) answer {
	t.Helper()
	err := p.Wait()
	if exit := (&exec.ExitError{}); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return answer{p.stdout.Bytes(), p.stderr.Bytes(), p.ProcessState.ExitCode()}
}

func (p *program) run(t *testing.T) answer {
	t.Helper()
	must(t, p.Start())
	return p.end(t)
}

// plugin is kubectl gcloud in the tests' namespace.
func plugin(t *testing.T, args ...string) *program {
	t.Helper()
	bin, err := filepath.Abs("../../bin")
	must(t, err)
	if _, err := os.Stat(filepath.Join(bin, "kubectl-gcloud")); err != nil {
		t.Fatalf("the plugin is to be built before, by make build: %v", err)
	}
	env := append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
	return newProgram(t, env, t.TempDir(), "kubectl", append([]string{"gcloud", "--namespace=" + namespace}, args...)...)
}

// comparison is a command that is run by the plugin, and by gcloud itself.
type comparison struct {
	words  string
	code   int      // that gcloud is expected to end with
	flags  []string // of the plugin
	writes string   // a file
	before func()   // each of both
}

func TestThePluginAnswersAsGcloudDoes(t *testing.T) {
	p, served := serveTopics(t), serveObjects(t, map[string][]byte{"text": []byte("Zoë\nno newline at the end"), "bytes": bytes.Repeat([]byte("\x00\xff\x80\r\n\x1b"), 10_000)})
	instance := database(t, "plugin", "CREATE TABLE T (Id INT64, Name STRING(MAX)) PRIMARY KEY (Id);")
	slow := func() { // three seconds
		letGo := p.hold("slow")
		time.AfterFunc(3*time.Second, letGo)
	}
	const project = " --project=my-project"
	env := environmentOfRuns(t)
	commands := map[string]comparison{
		"a version":                       {words: "version --format=value(core)" + project},
		"a table that is empty":           {words: "spanner instances list --filter=name:nothing" + project},
		"JSON":                            {words: "spanner instances describe plugin --format=json" + project},
		"YAML":                            {words: "spanner databases describe db" + instance},
		"a value":                         {words: "spanner instances list --format=value(name,nodeCount)" + project},
		"a table":                         {words: "spanner instance-configs list" + project},
		"a schema":                        {words: "spanner databases ddl describe db" + instance},
		"a query, whose words are quoted": {words: "spanner databases execute-sql db --sql=SELECT\u00a0'Zoë\\\"$x\\\\'\u00a0AS\u00a0a" + instance},
		"a megabyte": {words: "spanner databases execute-sql db --format=csv[no-heading](rows) " +
			"--sql=SELECT\u00a0n,REPEAT('0123456789',20)\u00a0FROM\u00a0UNNEST(GENERATE_ARRAY(1,5000))\u00a0AS\u00a0n\u00a0ORDER\u00a0BY\u00a0n" + instance},
		"a query that is refused":             {words: "spanner databases execute-sql db --sql=SELECT\u00a0Nothing\u00a0FROM\u00a0T" + instance, code: 1},
		"a flag with a file that isn't there": {words: "logging metrics create m --config-from-file=forgotten.yaml" + project, code: 2},
		"a topic":                             {words: "pubsub topics describe there" + project},
		"a topic that isn't there":            {words: "pubsub topics describe missing" + project, code: 1, before: func() { p.miss("missing", 1_000) }},
		"an answer that comes late":           {words: "pubsub topics describe slow" + project, before: slow},
		"another track":                       {words: "beta pubsub topics describe there --format=json" + project},
		"text without an end of its line":     {words: "storage cat " + served + "/text" + project},
		"bytes that are no text":              {words: "storage cat " + served + "/bytes" + project},
		"an object that isn't there":          {words: "storage cat " + served + "/nothing" + project, code: 1},
		"a file that is read":                 {words: "dns record-sets transaction describe --zone=z --transaction-file=in.yaml" + project, flags: []string{"--input-file=in.yaml"}},
		"a file that is written": {words: "dns record-sets transaction add 192.0.2.1 --name=www.example.com. --type=A --ttl=300 --zone=z --transaction-file=in.yaml" + project,
			flags: []string{"--input-file=in.yaml", "--output-dir=."}, writes: "in.yaml"},
	}
	tests := map[string]func(*testing.T){}
	for name, c := range commands {
		tests[name] = func(t *testing.T) { c.compare(t, env) }
	}
	t.Run("each", func(t *testing.T) { stories(t, tests) })
	expectNoRunsOfThePlugin(t, commands)
}

// compare runs the command on this machine and by the plugin, and wants the same bytes, exit code and file.
func (c comparison) compare(t *testing.T, env []string) {
	words := strings.Split(c.words, " ")
	for i := range words {
		words[i] = strings.ReplaceAll(words[i], "\u00a0", " ")
	}
	home := t.TempDir()
	here := newProgram(t, append(env, "HOME="+home, "CLOUDSDK_CONFIG="+filepath.Join(home, "config"), "PATH="+os.Getenv("PATH")), t.TempDir(), "gcloud", words...)
	there := plugin(t, append(slices.Clone(c.flags), words...)...)
	var got [2]answer
	for i, p := range []*program{here, there} {
		must(t, os.WriteFile(filepath.Join(p.Dir, "in.yaml"), []byte("additions: []\ndeletions: []\n"), 0o600))
		if c.before != nil {
			c.before()
		}
		got[i] = p.run(t)
	}
	if got[0].code != c.code {
		t.Fatalf("gcloud itself ended with %d: %s", got[0].code, got[0].stderr)
	}
	if got[1].code != got[0].code || !bytes.Equal(got[0].stdout, got[1].stdout) || !bytes.Equal(got[0].stderr, got[1].stderr) {
		t.Errorf("gcloud ended with %d:\n%.2000q\n%.2000q\nthe plugin with %d:\n%.2000q\n%.2000q",
			got[0].code, got[0].stdout, got[0].stderr, got[1].code, got[1].stdout, got[1].stderr)
	}
	if c.writes == "" {
		return
	}
	want, err := os.ReadFile(filepath.Join(here.Dir, c.writes))
	must(t, err)
	if file, err := os.ReadFile(filepath.Join(there.Dir, c.writes)); err != nil || !bytes.Equal(file, want) {
		t.Errorf("%s is %.500q, %v, want %.500q", c.writes, file, err, want)
	}
}

// environmentOfRuns is what a command has in its pod, but for its folders and the runner's own.
func environmentOfRuns(t *testing.T) []string {
	t.Helper()
	g := gcloudRun("environment", "gcloud version --project=my-project").succeed(t)
	var env []string
	for _, v := range podOf(t, g).Spec.Containers[0].Env {
		if v.Value != "" && !strings.HasPrefix(v.Name, "GCLOUD_OPERATOR_") && v.Name != "TMPDIR" {
			env = append(env, v.Name+"="+v.Value)
		}
	}
	return env
}

// expectNoRunsOfThePlugin checks that of the runs that succeeded nothing is left, and of the others the resource.
func expectNoRunsOfThePlugin(t *testing.T, commands map[string]comparison) {
	failing := 0
	for _, c := range commands {
		failing += min(c.code, 1)
	}
	list := &v1alpha1.GcloudRunList{}
	must(t, cluster.List(t.Context(), list, client.InNamespace(namespace), client.MatchingLabels{v1alpha1.ManagedByLabel: "kubectl-gcloud"}))
	if len(list.Items) != failing {
		t.Errorf("%d runs of the plugin are there, of which %d failed", len(list.Items), failing)
	}
}

func TestAPluginThatIsInterrupted(t *testing.T) {
	p := serveTopics(t)
	start := func(t *testing.T, topic string) (*program, builder) {
		p.hold(topic)
		kubectlGcloud := plugin(t, strings.Split("pubsub topics describe "+topic+" --verbosity=debug --project=my-project", " ")...)
		must(t, kubectlGcloud.Start())
		p.awaitRunning(t, topic)
		return kubectlGcloud, runOf(t, topic)
	}
	stories(t, map[string]func(*testing.T){
		"cancels its run, prints what came, and leaves no process": func(t *testing.T) {
			kubectlGcloud, b := start(t, "interrupted")
			pod := b.pod(t)
			if len(processesOf(t, pod.UID)) == 0 {
				t.Fatal("no process of the pod was found: this shows nothing")
			}
			must(t, kubectlGcloud.Process.Signal(syscall.SIGINT))
			got := kubectlGcloud.end(t)
			if got.code != 130 || len(got.stdout) > 0 {
				t.Errorf("it ended with %d and printed %q", got.code, got.stdout)
			}
			expectContains(t, "stderr", string(got.stderr), "DEBUG: Running [gcloud.pubsub.topics.describe]", "ended with Cancelled", "kept as "+b.Name)
			expectReason(t, b.current(t), v1alpha1.ReasonCancelled)
			eventually(t, "no process is left", func() bool { return len(processesOf(t, pod.UID)) == 0 })
		},
		"is left at the second interrupt, and its run is cancelled all the same": func(t *testing.T) {
			kubectlGcloud, b := start(t, "left")
			must(t, kubectlGcloud.Process.Signal(syscall.SIGINT))
			time.Sleep(100 * time.Millisecond) // two signals at once are one
			must(t, kubectlGcloud.Process.Signal(syscall.SIGINT))
			got := kubectlGcloud.end(t)
			if got.code != 130 {
				t.Errorf("it ended with %d", got.code)
			}
			expectContains(t, "stderr", string(got.stderr), "left "+b.Name)
			b.says(t, v1alpha1.ReasonCancelled)
		},
		"comes back to a run that it did not wait for": func(t *testing.T) {
			p.hold("detached")
			name := strings.TrimSpace(string(plugin(t, strings.Split("--detach pubsub topics describe detached --verbosity=debug --project=my-project", " ")...).run(t).stdout))
			p.awaitRunning(t, "detached")
			expectContains(t, "the runs", string(plugin(t, "runs").run(t).stdout), name)
			expectContains(t, "the log", string(plugin(t, "logs", name).run(t).stdout), "DEBUG: Running")
			if cancel := plugin(t, "cancel", name).run(t); cancel.code != 0 {
				t.Errorf("cancelling it ended with %d: %s", cancel.code, cancel.stderr)
			}
			result := plugin(t, "result", name).run(t)
			if result.code != 130 {
				t.Errorf("the result ended with %d", result.code)
			}
			expectContains(t, "the result", string(result.stderr), "DEBUG: Running")

			p.hold("detached")()
			again := plugin(t, "rerun", name).run(t)
			if again.code != 0 {
				t.Errorf("the run once more ended with %d: %s", again.code, again.stderr)
			}
			expectContains(t, "what it printed", string(again.stdout), "topics/detached")
		},
		"needs few rights, and says what it can't do without the others": func(t *testing.T) {
			allow(t, "sparse",
				rbacv1.PolicyRule{APIGroups: []string{v1alpha1.SchemeGroupVersion.Group}, Resources: []string{"gcloudruns"}, Verbs: []string{"create", "get"}},
				rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"serviceaccounts"}, ResourceNames: []string{"default"}, Verbs: []string{"use"}})
			got := plugin(t, strings.Split("--as=sparse pubsub topics describe sparse --project=my-project", " ")...).run(t)
			if got.code != 0 || !strings.Contains(string(got.stdout), "topics/sparse") {
				t.Errorf("it ended with %d, and printed %q", got.code, got.stdout)
			}
			said := strings.Split(strings.TrimSpace(string(got.stderr)), "\n")
			if len(said) != 1 || !strings.Contains(said[0], runOf(t, "sparse").Name+" could not be deleted: ") {
				t.Errorf("it says %q", said)
			}
		},
		"at a terminal it shows the log as it grows, once": func(t *testing.T) {
			letGo := p.hold("terminal")
			kubectlGcloud := plugin(t)
			line := "kubectl gcloud --namespace=" + namespace + " pubsub topics describe terminal --verbosity=debug --project=my-project"
			terminal := newProgram(t, append(kubectlGcloud.Env, "TERM=xterm"), "", "script", "--quiet", "--return", "--command", line, "/dev/null")
			must(t, terminal.Start())
			p.awaitRunning(t, "terminal")
			runOf(t, "terminal").says(t, v1alpha1.ReasonRunning)
			time.Sleep(2 * time.Second) // it shows the time each second
			letGo()
			got := terminal.end(t)
			screen := string(got.stdout)
			if got.code != 0 || strings.Count(screen, "topics/terminal\r\n") != 1 || strings.Count(screen, "DEBUG: Running [") != 1 {
				t.Errorf("it ended with %d, and showed %q", got.code, screen)
			}
			progress, log := strings.Index(screen, ": running ("), strings.Index(screen, "topics/terminal")
			if progress < 0 || progress > log {
				t.Errorf("it showed no progress before the end: %q", screen)
			}
		},
	})
}

// runOf is the resource that the plugin has made for the command that describes the topic.
func runOf(t *testing.T, topic string) builder {
	t.Helper()
	list := &v1alpha1.GcloudRunList{}
	must(t, cluster.List(t.Context(), list, client.InNamespace(namespace)))
	i := slices.IndexFunc(list.Items, func(g v1alpha1.GcloudRun) bool { return strings.Contains(g.Spec.Command, " "+topic+" ") })
	if i < 0 {
		t.Fatalf("there is no run that describes %s", topic)
	}
	return builder{GcloudRun: &list.Items[i], user: cluster}
}

func TestKubectlCompletesGcloudsCommands(t *testing.T) {
	script := plugin(t, "completion")
	must(t, os.WriteFile(filepath.Join(script.Dir, "kubectl_complete-gcloud"), script.run(t).stdout, 0o700))
	path := strings.Replace(script.Env[len(script.Env)-1], "PATH=", "PATH="+script.Dir+":", 1)
	got := newProgram(t, append(script.Env, path), "", "kubectl", "__complete", "gcloud", "-n", namespace, "compute", "instances", "li").run(t)
	if got.code != 0 || string(got.stdout) != "list\n:4\n" {
		t.Errorf("it ended with %d, and completed %q", got.code, got.stdout)
	}
}

func TestWhatThePluginRefuses(t *testing.T) {
	got := plugin(t, strings.Split("projects list --limt=5 --detach --filter a --project=my-project", " ")...).run(t)
	if got.code != 2 || len(got.stdout) > 0 {
		t.Errorf("it ended with %d and printed %q", got.code, got.stdout)
	}
	want := `kubectl gcloud: refused, and nothing was run:
  gcloud projects list has no flag --limt. Write --limit=5. (UnknownFlag)
`
	if !strings.HasPrefix(string(got.stderr), want) || len(strings.Split(string(got.stderr), "\n")) != 6 {
		t.Errorf("it says %s", got.stderr)
	}
}
