// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"github.com/gcloud-operator/gcloud-operator/internal/command"
)

// lintRun applies the rules to a GcloudRun.
func lintRun(o options, m manifest) (errs, warnings []command.Violation) {
	request := m.request()
	if o.parseOnly {
		_, errs = command.Parse(request.Command)
		return errs, nil
	}
	_, verdict := o.policy.Check(request)
	return verdict.Errors, verdict.Warnings
}

func (m manifest) request() command.Request {
	spec := get(m.root, "spec")
	r := command.Request{
		Namespace:    text(get(get(m.root, "metadata"), "namespace")),
		Project:      text(get(spec, "project")),
		Command:      text(get(spec, "command")),
		TimeoutSet:   text(get(spec, "timeout")) != "",
		OutputSecret: text(get(get(spec, "output"), "secretName")) != "",
	}
	for _, f := range items(get(spec, "inputFiles")) {
		r.InputFiles = append(r.InputFiles, text(get(f, "path")))
	}
	r.OutputFiles = texts(get(spec, "outputFiles"))
	return r
}
