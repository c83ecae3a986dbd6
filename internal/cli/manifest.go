// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/rand"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/command"
)

// pluginName is what the plugin marks its runs with, so that those that were kept can be found and deleted.
const pluginName = "kubectl-gcloud"

// manifest makes the resource that runs gcloud with the words. It is named here, and not by the API server: so its
// name is known, and can be told, also where the answer to its creation is lost.
func manifest(o options, words []string) (*v1alpha1.GcloudRun, error) {
	line := command.Quote(append([]string{"gcloud"}, words...))
	cmd, _ := command.Parse(line) // the webhook judges it, by the rules as they are configured there
	project := payer(cmd)
	if project == "" {
		return nil, withoutProject(line)
	}
	g := &v1alpha1.GcloudRun{
		TypeMeta: metav1.TypeMeta{APIVersion: v1alpha1.SchemeGroupVersion.String(), Kind: "GcloudRun"},
		ObjectMeta: metav1.ObjectMeta{
			Name:      nameOf(cmd) + "-" + rand.String(5),
			Namespace: o.cluster.Context.Namespace,
			Labels:    map[string]string{v1alpha1.ManagedByLabel: pluginName},
		},
		Spec: v1alpha1.GcloudRunSpec{
			Project: "projects/" + project, Command: line, Identity: v1alpha1.Identity{ServiceAccountName: o.serviceAccount},
		},
	}
	if o.timeout > 0 {
		g.Spec.Timeout = &metav1.Duration{Duration: o.timeout}
	}
	for _, from := range o.inputFiles {
		file, err := inputFile(from)
		if err != nil {
			return nil, err
		}
		g.Spec.InputFiles = append(g.Spec.InputFiles, file)
	}
	return g, nil
}

// payer is the project that pays for the command: the one that it names for that, or the one that it is about.
func payer(cmd command.Command) string {
	if billing, ok := cmd.Flag("--billing-project"); ok {
		return billing
	}
	project, _ := cmd.Flag("--project")
	return project
}

// withoutProject says what is wrong with a command that names no project, which is all that the operator's own rules
// find in it: without one, the operator can't be asked.
func withoutProject(line string) error {
	_, verdict := command.Policy{}.Check(command.Request{Command: line})
	var lines []string
	for _, v := range verdict.Errors {
		if v.Rule != command.ProjectFormat {
			lines = append(lines, fmt.Sprintf("%s (%s)", v, v.Rule))
		}
	}
	if len(lines) == 0 {
		lines = []string{"the command names no project. Add --project=PROJECT_ID."}
	}
	return refused{lines}
}

// maxNamed is how much of a run's name says what it runs.
const maxNamed = 40

var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

// nameOf is the beginning of a run's name: the words of the command.
func nameOf(cmd command.Command) string {
	name := notInNames.ReplaceAllString(strings.ToLower(strings.Join(cmd.Words(), "-")), "-")
	name = strings.Trim(name[:min(len(name), maxNamed)], "-")
	if name == "" {
		return "gcloud"
	}
	return name
}

// inputFile reads a file that the command is to find under the same path, or under another: NAME=PATH.
func inputFile(from string) (v1alpha1.InputFile, error) {
	name, path, renamed := strings.Cut(from, "=")
	if !renamed {
		path = name
	}
	if name = filepath.ToSlash(filepath.Clean(name)); !filepath.IsLocal(name) {
		return v1alpha1.InputFile{}, usageError{fmt.Errorf("--input-file=%s is outside the working directory: name it as the command does, --input-file=NAME=%s", from, path)}
	}
	contents, err := os.ReadFile(path)
	switch {
	case err != nil:
		return v1alpha1.InputFile{}, usageError{fmt.Errorf("--input-file=%s: %w", from, err)}
	case !utf8.Valid(contents):
		return v1alpha1.InputFile{}, usageError{fmt.Errorf("--input-file=%s is no text in UTF-8; put it into a ConfigMap or a Secret, and name that in a manifest (--dry-run prints one)", from)}
	}
	return v1alpha1.InputFile{Path: name, Contents: string(contents)}, nil
}
