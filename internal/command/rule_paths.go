// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
)

// inputPath checks the paths of input files and the globs of output files: both stay in the working directory.
func inputPath(in input) []Violation {
	var found []Violation
	for i, p := range in.InputFiles {
		field := fmt.Sprintf("spec.inputFiles[%d].path", i)
		if first := slices.Index(in.InputFiles, p); first < i {
			found = append(found, Violation{InputPath, field, shorten(p), fmt.Sprintf("%q is already the path of spec.inputFiles[%d]", shorten(p), first), "Give each file a path of its own."})
			continue
		}
		found = append(found, outsideWorkDir(field, p)...)
	}
	for i, p := range in.OutputFiles {
		found = append(found, outsideWorkDir(fmt.Sprintf("spec.outputFiles[%d]", i), p)...)
	}
	return found
}

// outsideWorkDir says why a path isn't plainly one of a file in the working directory.
func outsideWorkDir(field, p string) []Violation {
	v := Violation{Rule: InputPath, Field: field, Value: shorten(p)}
	switch {
	case p == "":
		v.Message, v.Fix = "the path is empty", "Write a path relative to the working directory, such as cloudbuild.yaml."
	case strings.HasPrefix(p, "/"):
		v.Message, v.Fix = fmt.Sprintf("%q is absolute", v.Value), fmt.Sprintf("Write it relative to the working directory: %s", strings.TrimLeft(path.Clean(p), "/"))
	case slices.Contains(strings.Split(p, "/"), ".."):
		v.Message, v.Fix = fmt.Sprintf("%q climbs out of a folder with ..", v.Value), "Write a path without .."
	case strings.HasPrefix(p, ".."):
		v.Message, v.Fix = fmt.Sprintf("%q begins with .., which Kubernetes keeps for itself", v.Value), "Write a name that begins otherwise."
	case strings.HasPrefix(p, "~"):
		v.Message, v.Fix = fmt.Sprintf("%q begins with ~, which no shell expands", v.Value), "Write a path relative to the working directory."
	case strings.ContainsFunc(p, unicode.IsControl):
		v.Message, v.Fix = fmt.Sprintf("%q has a control character", v.Value), "Remove it."
	case strings.ContainsAny(p, "$`"):
		v.Message, v.Fix = fmt.Sprintf("%q has a $ or a backquote, which no shell expands", v.Value), "Write the path itself."
	case p == ".":
		v.Message, v.Fix = "the path is the working directory itself", "Write the path of a file in it."
	case path.Clean(p) != p:
		v.Message, v.Fix = fmt.Sprintf("%q is not in its shortest form", v.Value), fmt.Sprintf("Write %s", path.Clean(p))
	default:
		return nil
	}
	return []Violation{v}
}
