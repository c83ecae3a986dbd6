// SPDX-License-Identifier: Apache-2.0

// Package validation checks resources by the operator's rules. The webhook, the controllers and the
// command-line linter all ask it, so that they say the same.
package validation

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	configv1alpha1 "github.com/gcloud-operator/gcloud-operator/api/config/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/command"
)

// GcloudRun parses the command of a resource and applies the rules to all of it. It returns every
// violation at once, and what deserves a warning only.
func GcloudRun(policy command.Policy, pods configv1alpha1.Pods, g *v1alpha1.GcloudRun) (cmd command.Command, errs, warnings field.ErrorList) {
	cmd, verdict := policy.Check(Request(g))
	for _, v := range verdict.Errors {
		errs = append(errs, asError(v))
	}
	errs = append(errs, inputSizes(g)...)
	errs = append(errs, Identity(field.NewPath("spec", "identity"), g.Spec.Identity)...)
	errs = append(errs, PodSettings(podPath, pods, g.Spec.Pod)...)
	for _, v := range verdict.Warnings {
		warnings = append(warnings, asError(v))
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
	return strings.Join(Texts(errs), "; ")
}

// Texts are the violations, each in a text of its own.
func Texts(errs field.ErrorList) []string {
	var texts []string
	for _, e := range errs {
		texts = append(texts, e.Field+": "+e.Detail)
	}
	return texts
}

// asError keeps the rule as the error's origin.
func asError(v command.Violation) *field.Error {
	return field.Invalid(field.NewPath(v.Field), v.Value, fmt.Sprintf("%s (%s)", v, v.Rule)).WithOrigin(string(v.Rule))
}

// Request is what the rules of commands look at.
func Request(g *v1alpha1.GcloudRun) command.Request {
	r := command.Request{
		Namespace:    g.Namespace,
		Project:      g.Spec.Project,
		Command:      g.Spec.Command,
		OutputFiles:  g.Spec.OutputFiles,
		TimeoutSet:   g.Spec.Timeout != nil,
		OutputSecret: g.Spec.Output.SecretName != "",
		Impersonate:  g.Spec.Identity.ImpersonateServiceAccount,
	}
	for _, f := range g.Spec.InputFiles {
		r.InputFiles = append(r.InputFiles, f.Path)
	}
	return r
}
