// SPDX-License-Identifier: Apache-2.0

package judges

import (
	"fmt"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/ext"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// expressions are a kind's, in the order in which Flux evaluates them.
type expressions []expression

type expression struct {
	status  string
	program cel.Program
}

// loadExpressions reads the healthCheckExprs of a Flux Kustomization.
func loadExpressions(file string) (map[string]expressions, error) {
	var kustomization struct {
		Spec struct {
			HealthCheckExprs []struct{ APIVersion, Kind, InProgress, Failed, Current string }
		}
	}
	if err := readYAML(file, &kustomization); err != nil {
		return nil, err
	}
	env, err := environment()
	if err != nil {
		return nil, err
	}
	all := map[string]expressions{}
	for _, check := range kustomization.Spec.HealthCheckExprs {
		var exprs expressions
		for _, e := range []struct{ status, text string }{{"InProgress", check.InProgress}, {"Failed", check.Failed}, {"Current", check.Current}} {
			ast, issues := env.Parse(e.text)
			if issues.Err() != nil {
				return nil, fmt.Errorf("%s of %s: %w", e.status, check.Kind, issues.Err())
			}
			program, err := env.Program(ast)
			if err != nil {
				return nil, fmt.Errorf("%s of %s: %w", e.status, check.Kind, err)
			}
			exprs = append(exprs, expression{e.status, program})
		}
		all[check.APIVersion+" "+check.Kind] = exprs
	}
	return all, nil
}

// environment is what Flux evaluates expressions in.
func environment() (*cel.Env, error) {
	return cel.NewEnv(
		cel.HomogeneousAggregateLiterals(), cel.EagerlyValidateDeclarations(true), cel.DefaultUTCTimeZone(true),
		cel.CrossTypeNumericComparisons(true), cel.OptionalTypes(), ext.Strings(), ext.Sets(), ext.Encoders(),
	)
}

// flux evaluates the expressions as Flux does: a generation that isn't observed is waited for, then the
// first that is true decides, and what none is true of is waited for.
func (j *Judges) flux(object *unstructured.Unstructured) (string, error) {
	exprs, ok := j.expressions[object.GetAPIVersion()+" "+object.GetKind()]
	if !ok {
		return "", fmt.Errorf("it has no expressions for %s", object.GetKind())
	}
	observed, found, err := unstructured.NestedInt64(object.Object, "status", "observedGeneration")
	if err != nil {
		return "", err
	}
	if found && observed != object.GetGeneration() {
		return "InProgress", nil
	}
	for _, e := range exprs {
		value, _, err := e.program.Eval(object.Object)
		if err != nil {
			return "", fmt.Errorf("%s: %w", e.status, err)
		}
		if value.Value() == true {
			return e.status, nil
		}
	}
	return "InProgress", nil
}
