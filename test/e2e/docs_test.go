// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gcloud-operator/gcloud-operator/test/fakes"
)

// Pages of the documentation, with what a reader of each has to have. Every block of commands of theirs
// is executed, in its order, unless a comment before it says why not, or that it is to fail:
// <!-- not run: REASON --> or <!-- fails: REASON -->.
var pages = map[string]struct {
	// needs is done before, in a namespace of the page's own.
	needs string
	// fakes serve what the page reads.
	fakes func(*testing.T)
}{
	"README.md": {needs: `
		mkdir manifests
		ln -s "$ROOT/bin" bin`},
	"docs/access.md": {needs: `
		echo '{"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "run-as-reader"},
			"rules": [{"apiGroups": [""], "resources": ["serviceaccounts"], "resourceNames": ["reader"], "verbs": ["use"]}]}' | kubectl apply -f -`},
	"docs/federation.md": {},
	"docs/gcloudrun.md": {needs: `
		kubectl create serviceaccount inventory
		echo {} >FILE
		example`},
	"docs/documentfetch.md": {needs: `
		printf key >FILE
		kubectl create secret generic developer-knowledge --from-file=api-key=FILE
		example
		kubectl delete secret developer-knowledge`, fakes: serveDocumentationsDocuments},
	"docs/dataformfileread.md": {needs: `
		kubectl create serviceaccount dataform-reader
		example`, fakes: serveDocumentationsFile},
	"docs/gitops.md": {needs: `
		ln -s "$ROOT/config" config
		kubectl create namespace argocd --dry-run=client -o yaml | kubectl apply -f -
		kubectl create serviceaccount inventory
		sed 's/quickstart/list-instances/' config/samples/quickstart.yaml >list-instances.yaml`},
	"docs/kubectl-gcloud.md": {},
	"docs/lint.md": {needs: `
		mkdir manifests
		echo "apiVersion: v1" >manifests/other.yaml
		cp "$ROOT/config/manager/config.yaml" config.yaml`},
}

func TestTheCommandsOfTheDocumentationDoWhatTheySay(t *testing.T) {
	for _, path := range documentation(t) {
		page, known := pages[path]
		text, err := os.ReadFile(filepath.Join("../..", path))
		must(t, err)
		script := commandsOf(t, path, string(text))
		if script == "" {
			continue
		}
		if !known {
			t.Errorf("%s has commands: say in the table of pages what they need", path)
			continue
		}
		t.Run(path, func(t *testing.T) {
			if page.fakes == nil {
				t.Parallel()
			} else {
				page.fakes(t)
			}
			runAsReader(t, functions+example(t, string(text))+page.needs+script)
		})
	}
}

// documentation lists the pages that users read.
func documentation(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob("../../docs/*.md")
	must(t, err)
	list := []string{"README.md"}
	for _, path := range found {
		list = append(list, "docs/"+filepath.Base(path))
	}
	return list
}

var (
	block     = regexp.MustCompile("(?ms)(?:^<!-- (not run|fails): [^\n]+ -->\n)?^```(\\w*)\n(.*?)^```$")
	aCommand  = regexp.MustCompile(`(?m)^(\$ |kubectl |make |gcloud-operator |bin/|hack/|helm |flux )`)
	notPrompt = regexp.MustCompile(`(?m)^[^$].*\n`)
)

func serveDocumentationsDocuments(t *testing.T) {
	api, _ := serveDocuments(t, 0, 0)
	for _, name := range []string{"creating-buckets", "deleting-buckets"} {
		api.Put(fakes.Document{Name: "documents/docs.cloud.google.com/storage/docs/" + name, Content: name})
	}
}

func serveDocumentationsFile(t *testing.T) {
	serveDataform(t).Put("projects/my-project/locations/europe-west1/repositories/shop/workspaces/main", "definitions/orders.sqlx", "", []byte("SELECT 1"))
}

// commandsOf returns what is executed of a page. Of a console, what follows a prompt is.
func commandsOf(t *testing.T, path, text string) string {
	t.Helper()
	var script strings.Builder
	for _, m := range block.FindAllStringSubmatch(text, -1) {
		mark, language, body := m[1], m[2], m[3]
		switch {
		case mark == "not run":
			continue
		case language == "" && aCommand.MatchString(body):
			t.Errorf("%s: mark these commands as sh or console: %s", path, body)
		case language == "console":
			body = strings.ReplaceAll("\n"+notPrompt.ReplaceAllString(body, ""), "\n$ ", "\n")
		case language != "sh":
			continue
		}
		if mark == "fails" {
			body = "if { " + body + " }; then exit 1; fi"
		}
		script.WriteString("\n" + body + "\nsettle\n") // a reader takes his time
	}
	return script.String()
}

// example writes the first manifest of a page down, for `example` to apply and to wait for.
func example(t *testing.T, text string) string {
	t.Helper()
	for _, m := range block.FindAllStringSubmatch(text, -1) {
		if m[2] == "yaml" && strings.HasPrefix(m[3], "apiVersion: gcloud-operator.dev/") {
			return "cat >example.yaml <<'EOF'\n" + m[3] + "EOF\n"
		}
	}
	return ""
}

// functions are for what a page needs. `settle` waits until the example's newest run is over, if it was asked for.
const functions = `
settle() { :; }
example() {
	kubectl apply -f example.yaml
	settle() {
		local asked='{.metadata.annotations.gcloud-operator\.dev/requested-at}' seen='{.status.lastHandledRequest}'
		until [[ $(kubectl get -f example.yaml -o jsonpath="$asked") == $(kubectl get -f example.yaml -o jsonpath="$seen") ]]; do sleep 0.2; done
		kubectl wait --for=condition=Finished --timeout=3m -f example.yaml
	}
	settle
}
`

// runAsReader executes a script in an empty folder, with the built programs at hand, and a namespace of
// its own as kubectl's default.
func runAsReader(t *testing.T, script string) {
	t.Helper()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "e2e-docs-"}}
	must(t, cluster.Create(t.Context(), ns))
	t.Cleanup(func() { _ = cluster.Delete(t.Context(), ns) })
	root, err := filepath.Abs("../..")
	must(t, err)
	folder := t.TempDir()
	kubeconfig, err := os.ReadFile(os.Getenv("KUBECONFIG"))
	must(t, err)
	must(t, os.WriteFile(filepath.Join(folder, ".kubeconfig"), kubeconfig, 0o600))
	cmd := exec.Command("bash", "-euxo", "pipefail", "-c", "kubectl config set-context --current --namespace="+ns.Name+"\n"+script)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "KUBECONFIG="+filepath.Join(folder, ".kubeconfig"), "ROOT="+root, "PATH="+filepath.Join(root, "bin")+":"+os.Getenv("PATH"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
