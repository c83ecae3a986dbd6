// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/command"
)

// finding is a violation with its place in a file.
type finding struct {
	File     string `json:"file"`
	Line     int    `json:"line"`
	Resource string `json:"resource"` // namespace/name
	Severity string `json:"severity"` // error or warning
	command.Violation
}

// checked is what was looked at, and what is wrong with it.
type checked struct {
	resources int
	found     []finding
}

func lintManifests(o options, stdin io.Reader, stdout, stderr io.Writer) (bool, error) {
	var c checked
	for _, path := range o.paths {
		if err := c.path(o, path, stdin); err != nil {
			return false, err
		}
	}
	if c.resources == 0 { // it may be the wrong folder
		fmt.Fprintln(stderr, "lint: nothing was checked: there is no GcloudRun, DocumentFetch or DataformFileRead in", strings.Join(o.paths, ", "))
	}
	clean := !slices.ContainsFunc(c.found, func(f finding) bool { return f.Severity == severityError })
	return clean, report(stdout, o.output, c.found)
}

// path checks a file, all files below a folder, or standard input.
func (c *checked) path(o options, path string, stdin io.Reader) error {
	if path == "-" {
		return c.file(o, "<stdin>", stdin)
	}
	return filepath.WalkDir(path, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != path && strings.HasPrefix(entry.Name(), "."):
			return filepath.SkipDir
		case entry.IsDir() || name != path && !slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(name)):
			return nil
		}
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		return c.file(o, name, f)
	})
}

// file checks all documents of a file.
func (c *checked) file(o options, name string, r io.Reader) error {
	documents := yaml.NewDecoder(r)
	for {
		var document yaml.Node
		err := documents.Decode(&document)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s is no YAML: %w", name, err)
		}
		for _, resource := range resources(&document) {
			c.resources++
			for _, f := range lintResource(o, resource) {
				f.File = name
				c.found = append(c.found, f)
			}
		}
	}
}

// linters find what is wrong with a resource, by its kind.
var linters = map[string]func(options, manifest) (errs, warnings []command.Violation){
	"GcloudRun":        lintRun,
	"DocumentFetch":    lintDocuments,
	"DataformFileRead": lintFileRead,
}

// resources are the operator's resources of a document, which may be a list: all that has its group, or one of its kinds.
func resources(document *yaml.Node) []*yaml.Node {
	if len(document.Content) == 0 {
		return nil
	}
	root := document.Content[0]
	kind := text(get(root, "kind"))
	switch {
	case strings.HasSuffix(kind, "List"):
		var all []*yaml.Node
		for _, item := range items(get(root, "items")) {
			all = append(all, resources(&yaml.Node{Content: []*yaml.Node{item}})...)
		}
		return all
	case linters[kind] != nil, strings.HasPrefix(text(get(root, "apiVersion")), v1alpha1.SchemeGroupVersion.Group+"/"):
		return []*yaml.Node{root}
	}
	return nil
}

// lintUnknown refuses what no API server takes: a kind or a version that isn't the operator's is misspelt. Passed over in
// silence, it would seem to have been checked.
func lintUnknown(o options, m manifest) (errs, warnings []command.Violation) {
	kind, version := text(get(m.root, "kind")), text(get(m.root, "apiVersion"))
	switch {
	case o.parseOnly:
		return nil, nil
	case linters[kind] == nil:
		kinds := strings.Join(slices.Sorted(maps.Keys(linters)), ", ")
		return []command.Violation{{Rule: ruleUnknownKind, Field: "kind", Value: kind, Message: fmt.Sprintf("there is no kind %q", kind), Fix: fmt.Sprintf("Write one of %s.", kinds)}}, nil
	}
	return []command.Violation{{Rule: ruleUnknownKind, Field: "apiVersion", Value: version, Message: fmt.Sprintf("there is no %s in %q", kind, version), Fix: fmt.Sprintf("Write %s.", v1alpha1.SchemeGroupVersion)}}, nil
}

// lintResource applies the rules to one resource.
func lintResource(o options, resource *yaml.Node) []finding {
	m := manifest{resource}
	check := linters[text(get(resource, "kind"))]
	if check == nil || text(get(resource, "apiVersion")) != v1alpha1.SchemeGroupVersion.String() {
		check = lintUnknown
	}
	errs, warnings := check(o, m)
	var found []finding
	for _, v := range errs {
		found = append(found, finding{Line: m.line(v.Field), Resource: m.name(), Severity: severityError, Violation: v})
	}
	for _, v := range warnings {
		found = append(found, finding{Line: m.line(v.Field), Resource: m.name(), Severity: severityWarning, Violation: v})
	}
	return found
}
