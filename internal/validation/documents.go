// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation/field"

	configv1alpha1 "github.com/gcloud-operator/gcloud-operator/api/config/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

// Limits of the Developer Knowledge API.
const (
	maxDocuments           = 20
	maxDocumentNameLength  = 500 // characters
	documentPrefix         = "documents/"
	documentExample        = "documents/docs.cloud.google.com/storage/docs/creating-buckets"
	maxShownNameCharacters = 80
)

// DocumentNames checks the names of documents: from 1 to 20, each of the form
// documents/{uri_without_scheme}, none twice. It returns all violations.
func DocumentNames(at *field.Path, names []string) field.ErrorList {
	var errs field.ErrorList
	switch {
	case len(names) == 0:
		errs = append(errs, field.Required(at, "name from 1 to 20 documents, such as "+documentExample))
	case len(names) > maxDocuments:
		errs = append(errs, field.Invalid(at, len(names), fmt.Sprintf("%d names, and one resource has at most %d: spread them over several resources", len(names), maxDocuments)))
	}
	first := make(map[string]int, len(names))
	for i, name := range names {
		if before, ok := first[name]; ok {
			errs = append(errs, field.Invalid(at.Index(i), shown(name), fmt.Sprintf("is the same as %s: name each document once", at.Index(before))))
			continue
		}
		first[name] = i
		for _, what := range documentNameFaults(name) {
			errs = append(errs, field.Invalid(at.Index(i), shown(name), what))
		}
	}
	return errs
}

func documentNameFaults(name string) []string {
	var faults []string
	if n := utf8.RuneCountInString(name); n > maxDocumentNameLength {
		faults = append(faults, fmt.Sprintf("has %d characters, and the API takes at most %d", n, maxDocumentNameLength))
	}
	uri, ok := strings.CutPrefix(name, documentPrefix)
	if !ok {
		return append(faults, "must be documents/ and the document's URI without https://: write "+withPrefix(name))
	}
	if scheme, rest, ok := strings.Cut(uri, "://"); ok && !strings.Contains(scheme, "/") {
		return append(faults, "must not have the scheme of the URI: write "+documentPrefix+rest)
	}
	if strings.ContainsAny(uri, "?#") {
		faults = append(faults, "must not have a query or a fragment: leave out what follows ? or #")
	}
	if strings.ContainsFunc(uri, unicode.IsSpace) {
		faults = append(faults, "must not have white space: write the URI as a browser shows it in the address bar")
	}
	return append(faults, pathFaults(uri, documentExample)...)
}

// withPrefix is what was probably meant.
func withPrefix(name string) string {
	rest := strings.TrimPrefix(strings.TrimPrefix(name, "https://"), "http://")
	rest = strings.Trim(rest, "/")
	if rest == "" || utf8.RuneCountInString(rest) > maxShownNameCharacters || len(pathFaults(rest, "")) > 0 {
		return documentExample
	}
	return documentPrefix + rest
}

// encodedTrick finds what percent-encoding is used for to hide: dot, slash,
// backslash, percent, and control characters.
var encodedTrick = regexp.MustCompile(`(?i)%(2e|2f|5c|25|[01][0-9a-f]|7f)`)

// pathFaults says what in a path leads, or may lead, somewhere else than where
// it seems to. It is one that an API gets, which may decode and clean it.
func pathFaults(path, example string) []string {
	if path == "" {
		return []string{"must not be empty: write a path such as " + example}
	}
	var faults []string
	add := func(found bool, fault string) {
		if found {
			faults = append(faults, fault)
		}
	}
	elements := strings.Split(strings.Trim(path, "/"), "/")
	add(strings.HasPrefix(path, "/"), "must not begin with /: leave it out")
	add(strings.HasSuffix(path, "/"), "must not end with /: leave it out")
	add(hasElement(elements, ""), "must not have empty elements: write one / in place of several")
	add(hasElement(elements, ".", ".."), `must not have elements "." or "..": write the path without them`)
	add(strings.Contains(path, `\`), "must not have a backslash: write / between elements")
	add(encodedTrick.MatchString(path), "must not have percent-encoded dots, slashes, backslashes, percent signs or control characters: write the path as it is, not encoded")
	add(!utf8.ValidString(path), "must be valid UTF-8")
	add(strings.ContainsFunc(path, unseen), "must not have control characters or invisible ones: leave them out")
	return faults
}

func hasElement(elements []string, refused ...string) bool {
	return slices.ContainsFunc(elements, func(e string) bool { return slices.Contains(refused, e) })
}

// unseen characters can make two paths look the same: controls, and marks of
// format such as those that turn the direction of text.
func unseen(r rune) bool { return unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r) }

// shown keeps a message from repeating a value of any length.
func shown(value string) string {
	characters := []rune(value)
	if len(characters) <= maxShownNameCharacters {
		return value
	}
	return string(characters[:maxShownNameCharacters]) + "…"
}

// DocumentFetch checks a resource. It returns all violations.
func DocumentFetch(pods configv1alpha1.Pods, d *v1alpha1.DocumentFetch) field.ErrorList {
	return append(DocumentNames(field.NewPath("spec", "names"), d.Spec.Names), PodSettings(podPath, pods, d.Spec.Pod)...)
}
