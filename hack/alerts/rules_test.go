// SPDX-License-Identifier: Apache-2.0

// Package alerts checks the alert rules and the dashboard in config/prometheus by Prometheus' own parser, in a module of its
// own, because its is large.
package alerts

import (
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
	"sigs.k8s.io/yaml"
)

// groups are the rule groups of the PrometheusRule, as Prometheus reads them from a file.
func groups(t *testing.T) *rulefmt.RuleGroups {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "config", "prometheus", "rules.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var resource struct {
		Spec any `json:"spec"`
	}
	if err := yaml.Unmarshal(text, &resource); err != nil {
		t.Fatal(err)
	}
	file, err := yaml.Marshal(resource.Spec)
	if err != nil {
		t.Fatal(err)
	}
	parsed, errs := rulefmt.Parse(file, false, model.LegacyValidation, parser.NewParser(parser.Options{}), slog.New(slog.DiscardHandler))
	for _, err := range errs {
		t.Error(err)
	}
	if t.Failed() {
		t.FailNow()
	}
	return parsed
}

func TestPrometheusTakesTheRules(t *testing.T) {
	seen := map[string]bool{}
	for _, g := range groups(t).Groups {
		for _, r := range g.Rules {
			seen[r.Alert] = true
			if r.Alert == "" || r.Labels["severity"] == "" || r.Annotations["summary"] == "" || r.Annotations["description"] == "" {
				t.Errorf("%s lacks a name, a severity, a summary or a description", r.Alert)
			}
		}
	}
	if len(seen) < 5 {
		t.Errorf("there are only %d alerts", len(seen))
	}
}

// queries are the dashboard's, with what Grafana puts in for its variables.
func queries(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "config", "prometheus", "dashboard.json"))
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		Panels []struct {
			Title, Description string
			Targets            []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(text, &dashboard); err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, p := range dashboard.Panels {
		if p.Title == "" || p.Description == "" || len(p.Targets) == 0 {
			t.Errorf("panel %q lacks a title, a description or a query", p.Title)
		}
		for _, target := range p.Targets {
			found = append(found, strings.NewReplacer("$__rate_interval", "5m", "$kind", ".*").Replace(target.Expr))
		}
	}
	if len(found) < 8 {
		t.Errorf("there are only %d queries", len(found))
	}
	return found
}

// That these metrics are there, test/envtest looks for in what is served.
func TestAlertsAndDashboardLookAtMetricsOfTheOperatorOrTheAPIServer(t *testing.T) {
	expressions := queries(t)
	for _, g := range groups(t).Groups {
		for _, r := range g.Rules {
			expressions = append(expressions, r.Expr)
		}
	}
	for _, e := range expressions {
		expr, err := parser.NewParser(parser.Options{}).ParseExpr(e)
		if err != nil {
			t.Errorf("%s: %v", e, err)
			continue
		}
		n := 0
		parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
			if v, ok := node.(*parser.VectorSelector); ok {
				n++
				if !known(v.Name) {
					t.Errorf("%s looks at %q", e, v.Name)
				}
			}
			return nil
		})
		if n == 0 {
			t.Errorf("%s looks at nothing", e)
		}
	}
}

func known(name string) bool {
	for _, prefix := range []string{"gcloud_operator_", "controller_runtime_", "workqueue_", "apiserver_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return name == "up" // Prometheus' own
}
