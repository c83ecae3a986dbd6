// SPDX-License-Identifier: Apache-2.0

// Package judges says what kstatus, Argo CD and Flux make of a resource: with the library, and with what
// config/ ships for the two, executed as they execute it.
package judges

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// Verdict is a judgement, in each judge's words.
type Verdict struct{ Kstatus, Flux, ArgoCD string }

// The verdicts on what can be true of a resource.
var (
	// UnderWay is for what a tool is to wait for.
	UnderWay = Verdict{"InProgress", "InProgress", "Progressing"}
	// Succeeded is for what a tool may go on after.
	Succeeded = Verdict{"Current", "Current", "Healthy"}
	// Failed is for what nothing more becomes of by itself.
	Failed = Verdict{"Failed", "Failed", "Degraded"}
	// Waits is for what somebody has to let go. kstatus has no word for it.
	Waits = Verdict{"InProgress", "Failed", "Suspended"}
)

// Judges judge the operator's resources as config/ tells them to.
type Judges struct {
	scripts     map[string]string      // of Argo CD, by group_Kind
	actions     map[string]string      // likewise
	expressions map[string]expressions // of Flux, by apiVersion and kind
}

// Load reads what the folder config holds for Argo CD and Flux.
func Load(config string) (*Judges, error) {
	scripts, err := loadScripts(filepath.Join(config, "argocd"), healthKey)
	if err != nil {
		return nil, fmt.Errorf("reading the health checks of Argo CD: %w", err)
	}
	actions, err := loadScripts(filepath.Join(config, "argocd"), actionsKey)
	if err != nil {
		return nil, fmt.Errorf("reading the actions of Argo CD: %w", err)
	}
	exprs, err := loadExpressions(filepath.Join(config, "flux", "kustomization_example.yaml"))
	if err != nil {
		return nil, fmt.Errorf("reading the health checks of Flux: %w", err)
	}
	return &Judges{scripts, actions, exprs}, nil
}

func readYAML(path string, into any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return yaml.Unmarshal(text, into)
}

// Judge asks all of them.
func (j *Judges) Judge(object *unstructured.Unstructured) (Verdict, error) {
	argoCD, err := j.argoCD(object)
	if err != nil {
		return Verdict{}, fmt.Errorf("as Argo CD: %w", err)
	}
	flux, err := j.flux(object)
	if err != nil {
		return Verdict{}, fmt.Errorf("as Flux: %w", err)
	}
	kstatus, err := status.Compute(object)
	if err != nil {
		return Verdict{}, fmt.Errorf("with kstatus: %w", err)
	}
	return Verdict{kstatus.Status.String(), flux, argoCD}, nil
}
