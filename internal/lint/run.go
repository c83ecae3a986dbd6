// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/command"
	"github.com/gcloud-operator/gcloud-operator/internal/validation"
)

// lintRun applies the rules to a GcloudRun.
func lintRun(o options, m manifest) (errs, warnings []command.Violation) {
	if o.parseOnly {
		_, errs = command.Parse(text(get(get(m.root, "spec"), "command")))
		return errs, nil
	}
	g := &v1alpha1.GcloudRun{}
	errs, ok := decode(m, g)
	if !ok {
		return errs, nil
	}
	_, verdict := o.policy.Check(validation.Request(g))
	identity := validation.Identity(field.NewPath("spec", "identity"), g.Spec.Identity)
	pod := validation.PodSettings(field.NewPath("spec", "pod"), o.pods, g.Spec.Pod)
	return slices.Concat(errs, verdict.Errors, violations(identity), violations(pod), violations(validation.Annotations(g))), verdict.Warnings
}
