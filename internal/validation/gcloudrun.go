// SPDX-License-Identifier: Apache-2.0

// Package validation checks resources by the operator's rules. The webhook, the controllers and the
// command-line linter all ask it, so that they say the same.
package validation

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/command"
)

// GcloudRun parses the command of a resource and applies the rules to all of it. It returns every
// violation at once, and what deserves a warning only.
func GcloudRun(policy command.Policy, g *v1alpha1.GcloudRun) (command.Command, field.ErrorList, []string) {
	cmd, verdict := policy.Check(request(g))
	var errs field.ErrorList
	for _, v := range verdict.Errors {
		errs = append(errs, asError(v))
	}
	errs = append(errs, inputSizes(g)...)
	var warnings []string
	for _, v := range verdict.Warnings {
		warnings = append(warnings, fmt.Sprintf("%s: %s (%s)", v.Field, v, v.Rule))
	}
	return cmd, errs, warnings
}

// maxInputBytes is what a ConfigMap holds. The schema counts characters.
const maxInputBytes = 1 << 20

func inputSizes(g *v1alpha1.GcloudRun) field.ErrorList {
	var errs field.ErrorList
	for i, f := range g.Spec.InputFiles {
		if len(f.Contents) > maxInputBytes {
			at := field.NewPath("spec", "inputFiles").Index(i).Child("contents")
			errs = append(errs, field.TooLong(at, "", maxInputBytes))
		}
	}
	return errs
}

// Explain says all violations in one text.
func Explain(errs field.ErrorList) string {
	texts := make([]string, 0, len(errs))
	for _, e := range errs {
		texts = append(texts, e.Field+": "+e.Detail)
	}
	return strings.Join(texts, "; ")
}

func asError(v command.Violation) *field.Error {
	return field.Invalid(field.NewPath(v.Field), v.Value, fmt.Sprintf("%s (%s)", v, v.Rule))
}

func request(g *v1alpha1.GcloudRun) command.Request {
	r := command.Request{
		Namespace:    g.Namespace,
		Project:      g.Spec.Project,
		Command:      g.Spec.Command,
		OutputFiles:  g.Spec.OutputFiles,
		TimeoutSet:   g.Spec.Timeout != nil,
		OutputSecret: g.Spec.Output.SecretName != "",
	}
	for _, f := range g.Spec.InputFiles {
		r.InputFiles = append(r.InputFiles, f.Path)
	}
	return r
}
