// SPDX-License-Identifier: Apache-2.0

// Package tools_test shows that each rule of .golangci.yml fails when broken:
// one module of small files, each of which breaks one rule or none, is linted
// with the project's configuration.
package tools_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

const module = "github.com/gcloud-operator/gcloud-operator"

// importCases import a path from a package; rule is the depguard rule that
// refuses it, or empty where the import is allowed.
var importCases = []struct{ name, pkg, path, rule string }{
	{"api may use Kubernetes' types", "api/v1alpha1", "k8s.io/api/core/v1", ""},
	{"api may not use controller-runtime", "api/v1alpha1", "sigs.k8s.io/controller-runtime", "api"},
	{"api may not use a module whose path begins like k8s.io/api", "api/v1alpha1", "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions", "api"},
	{"api may not use internal", "api/v1alpha1", module + "/internal/result", "api"},
	{"the configuration's types may not use client-go", "api/config/v1alpha1", "k8s.io/client-go/rest", "api"},

	{"command may use the standard library", "internal/command", "strings", ""},
	{"command may not use apimachinery", "internal/command", "k8s.io/apimachinery/pkg/util/validation", "command"},
	{"command may not use result", "internal/command", module + "/internal/result", "command"},
	{"a package below command may use command", "internal/command/tree", module + "/internal/command", ""},
	{"result may not use api", "internal/result", module + "/api/v1alpha1", "result"},

	{"redact may not use api", "internal/redact", module + "/api/v1alpha1", "result"},

	{"seal may use age", "internal/seal", "filippo.io/age", ""},
	{"seal may not use Kubernetes' types", "internal/seal", "k8s.io/api/core/v1", "runner"},
	{"the runner may use redact", "internal/runner", module + "/internal/redact", ""},
	{"the runner may use result", "internal/runner", module + "/internal/result", ""},
	{"the runner may not use api", "internal/runner", module + "/api/v1alpha1", "runner"},
	{"fetch may use Google's clients", "internal/fetch", "google.golang.org/api/option", ""},
	{"fetch may not use apimachinery", "internal/fetch", "k8s.io/apimachinery/pkg/types", "runner"},
	{"the runner's binary may use the runner", "cmd/runner", module + "/internal/runner", ""},
	{"the runner's binary may not use client-go", "cmd/runner", "k8s.io/client-go/rest", "runner"},

	{"jobspec may use Kubernetes' types", "internal/jobspec", "k8s.io/api/batch/v1", ""},
	{"jobspec may not use client-go", "internal/jobspec", "k8s.io/client-go/kubernetes", "pure"},
	{"outcome may not use the controller-runtime client", "internal/outcome", "sigs.k8s.io/controller-runtime/pkg/client", "pure"},
	{"outcome may use jobspec", "internal/outcome", module + "/internal/jobspec", ""},
	{"output may not use outcome", "internal/output", module + "/internal/outcome", "pure"},

	{"decide may use outcome", "controllers/run/decide", module + "/internal/outcome", ""},
	{"decide may not use the controller-runtime client", "controllers/run/decide", "sigs.k8s.io/controller-runtime/pkg/client", "decide"},
	{"decide may not use the engine", "controllers/run/decide", module + "/controllers/run", "decide"},

	{"the engine may use client-go", "controllers/run", "k8s.io/client-go/kubernetes", ""},
	{"the engine may not use a kind", "controllers/run", module + "/controllers/gcloudrun", "controllers"},
	{"a kind may use the engine", "controllers/gcloudrun", module + "/controllers/run", ""},
	{"a kind may not use another kind", "controllers/gcloudrun", module + "/controllers/documentfetch", "controllers"},

	{"validation may use command", "internal/validation", module + "/internal/command", ""},
	{"validation may not use controller-runtime", "internal/validation", "sigs.k8s.io/controller-runtime", "validation"},

	{"admission may use validation", "internal/webhook/v1alpha1", module + "/internal/validation", ""},
	{"admission may use controller-runtime", "internal/webhook/v1alpha1", "sigs.k8s.io/controller-runtime/pkg/webhook/admission", ""},
	{"admission may not use client-go", "internal/webhook/v1alpha1", "k8s.io/client-go/kubernetes", "webhook"},
	{"admission may not use jobspec", "internal/webhook/v1alpha1", module + "/internal/jobspec", "webhook"},

	{"admission may use metrics", "internal/webhook/v1alpha1", module + "/internal/metrics", ""},

	{"metrics may use Prometheus' client", "internal/metrics", "github.com/prometheus/client_golang/prometheus", ""},
	{"metrics may not use client-go", "internal/metrics", "k8s.io/client-go/kubernetes", "metrics"},

	{"config may use sigs.k8s.io/yaml", "internal/config", "sigs.k8s.io/yaml", ""},
	{"config may not use controller-runtime", "internal/config", "sigs.k8s.io/controller-runtime", "config"},

	{"the manifest linter may use command", "internal/lint", module + "/internal/command", ""},
	{"the manifest linter may use YAML with line numbers", "internal/lint", "go.yaml.in/yaml/v3", ""},
	{"the manifest linter may not use client-go", "internal/lint", "k8s.io/client-go/rest", "manifest-linter"},

	{"the plugin may use the controller-runtime client", "internal/cli", "sigs.k8s.io/controller-runtime/pkg/client", ""},
	{"the plugin may use command", "internal/cli", module + "/internal/command", ""},
	{"the plugin may not use a manager", "internal/cli", "sigs.k8s.io/controller-runtime/pkg/manager", "plugin"},
	{"the plugin may not use what keeps the output", "internal/cli", module + "/internal/output", "plugin"},
	{"the plugin's binary may use the plugin", "cmd/kubectl-gcloud", module + "/internal/cli", ""},
	{"the operator's binary may not use the plugin", "cmd/operator", module + "/internal/cli", "plugin-alone"},

	{"internal may not use controllers", "internal/certificate", module + "/controllers/run", "internal"},
	{"nobody may use cmd", "internal/certificate", module + "/cmd/operator/setup", "cmd"},
	{"the operator's binary may use controllers", "cmd/operator", module + "/controllers/gcloudrun", ""},
}

// codeCases are bodies of a package; text is in the linter's message, or empty
// where the code is allowed.
var codeCases = []struct{ name, pkg, code, text string }{
	{"decide may not read the wall clock", "controllers/run/decide", wallClock, "use the injected clock"},
	{"the engine may not read the wall clock", "controllers/run", wallClock, "use the injected clock"},
	{"jobspec may not read the wall clock", "internal/jobspec", wallClock, "use the injected clock"},
	{"outcome may not read the wall clock", "internal/outcome", wallClock, "use the injected clock"},
	{"the engine may not sleep", "controllers/run", "import \"time\"\n\nfunc wait() { time.Sleep(time.Second) }\n", "use the injected clock"},
	{"the runner may read the wall clock", "internal/runner", wallClock, ""},
	{"a function of 100 lines is allowed", "internal/runner", functionOf(100), ""},
	{"a function of 101 lines is not", "internal/runner", functionOf(101), "too long"},
}

const wallClock = "import \"time\"\n\nvar started = time.Now()\n"

func functionOf(lines int) string {
	return "func long() {\n" + strings.Repeat("\t_ = 0\n", lines) + "}\n"
}

func TestImportRules(t *testing.T) {
	files := map[string]string{}
	for i, c := range importCases {
		files[caseFile(c.pkg, i)] = source(c.pkg, fmt.Sprintf("import _ %q\n", c.path))
	}
	found := lint(t, files, "depguard")
	broken := map[string]bool{}
	for i, c := range importCases {
		t.Run(c.name, func(t *testing.T) {
			want := ""
			if c.rule != "" {
				want = fmt.Sprintf("import '%s' is not allowed from list '%s': ", c.path, c.rule)
				broken[c.rule] = true
			}
			expectOne(t, found[caseFile(c.pkg, i)], want)
		})
	}
	for _, rule := range depguardRules(t) {
		if !broken[rule] {
			t.Errorf("no case breaks the rule %q: add one to importCases", rule)
		}
	}
}

func TestCodeRules(t *testing.T) {
	files := map[string]string{}
	for i, c := range codeCases {
		files[caseFile(c.pkg, i)] = source(c.pkg, c.code)
	}
	found := lint(t, files, "forbidigo,funlen")
	for i, c := range codeCases {
		t.Run(c.name, func(t *testing.T) { expectOne(t, found[caseFile(c.pkg, i)], c.text) })
	}
}

// expectOne wants exactly one message that contains text, or none where text
// is empty.
func expectOne(t *testing.T, messages []string, text string) {
	t.Helper()
	switch {
	case text == "" && len(messages) > 0:
		t.Errorf("refused what is allowed: %q", messages)
	case text != "" && (len(messages) != 1 || !strings.Contains(messages[0], text)):
		t.Errorf("got %q, want one message with %q", messages, text)
	}
}

func caseFile(pkg string, i int) string { return fmt.Sprintf("%s/case_%d/file.go", pkg, i) }

func source(pkg, code string) string {
	return "package " + strings.ReplaceAll(filepath.Base(pkg), "-", "") + "\n\n" + code
}

// lint runs the given linters, with the project's configuration, over a module
// that holds the files, and returns the messages by file.
func lint(t *testing.T, files map[string]string, linters string) map[string][]string {
	t.Helper()
	root := repositoryRoot(t)
	dir := t.TempDir()
	config, err := os.ReadFile(filepath.Join(root, ".golangci.yml"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, ".golangci.yml", string(config))
	for name, text := range files {
		write(t, dir, name, text)
	}
	writeModules(t, dir, files)

	report := filepath.Join(dir, "report.json")
	cmd := exec.Command("go", "tool", "-modfile="+filepath.Join(root, "hack/tools/go.mod"), "golangci-lint",
		"run", "--enable-only="+linters, "--issues-exit-code=0", "--output.json.path="+report)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("running golangci-lint: %v\n%s", err, out)
	}
	return readReport(t, report)
}

func readReport(t *testing.T, path string) map[string][]string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var report struct {
		Issues []struct {
			Text string
			Pos  struct{ Filename string }
		}
	}
	if err := json.Unmarshal(data, &report); err != nil {
		t.Fatalf("reading the report of golangci-lint: %v\n%s", err, data)
	}
	messages := map[string][]string{}
	for _, issue := range report.Issues {
		messages[issue.Pos.Filename] = append(messages[issue.Pos.Filename], issue.Text)
	}
	return messages
}

var imported = regexp.MustCompile(`import _ "([^"]+)"`)

// writeModules makes every import of the files resolve, to an empty package: in
// the module itself, or in a stub that replaces the other module.
func writeModules(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	goMod := "module " + module + "\n\ngo 1.26.0\n"
	stubbed := map[string]bool{}
	for _, text := range files {
		match := imported.FindStringSubmatch(text)
		if match == nil || !strings.Contains(match[1], ".") {
			continue
		}
		path := match[1]
		if inside, ok := strings.CutPrefix(path, module+"/"); ok {
			write(t, dir, inside+"/doc.go", "package stub\n")
			continue
		}
		write(t, dir, "stub/"+path+"/doc.go", "package stub\n")
		if owner := owningModule(path); !stubbed[owner] {
			stubbed[owner] = true
			write(t, dir, "stub/"+owner+"/go.mod", "module "+owner+"\n\ngo 1.26.0\n")
			goMod += fmt.Sprintf("\nrequire %s v0.0.0\nreplace %s => ./stub/%s\n", owner, owner, owner)
		}
	}
	write(t, dir, "go.mod", goMod)
}

// owningModule is right for the modules of the cases: host and one element.
func owningModule(path string) string {
	elements := strings.SplitN(path, "/", 3)
	return elements[0] + "/" + elements[1]
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func depguardRules(t *testing.T) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(repositoryRoot(t), ".golangci.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var config struct {
		Linters struct {
			Settings struct {
				Depguard struct {
					Rules map[string]any `json:"rules"`
				} `json:"depguard"`
			} `json:"settings"`
		} `json:"linters"`
	}
	if err := yaml.Unmarshal(data, &config); err != nil {
		t.Fatalf("reading .golangci.yml: %v", err)
	}
	var names []string
	for name := range config.Linters.Settings.Depguard.Rules {
		names = append(names, name)
	}
	return names
}

func repositoryRoot(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return root
}
