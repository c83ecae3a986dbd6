// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Stage is how many runs are how far.
type Stage struct {
	Name   string
	Runs   int
	Oldest time.Time // zero where there are none
}

// Runs tells of the runs under way, when it is asked. It is a prometheus.Collector.
type Runs struct {
	// Elected is closed when this replica leads: the others would tell the same again.
	Elected <-chan struct{}
	// Stages are those of each kind.
	Stages map[string]func(context.Context) ([]Stage, error)
}

// Describe says what there is.
func (Runs) Describe(to chan<- *prometheus.Desc) { to <- runs; to <- oldestRun }

// Collect says how it is now.
func (r Runs) Collect(to chan<- prometheus.Metric) {
	select {
	case <-r.Elected:
	default:
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	for kind, list := range r.Stages {
		stages, err := list(ctx)
		if err != nil {
			to <- prometheus.NewInvalidMetric(runs, err)
			continue
		}
		for _, s := range stages {
			to <- prometheus.MustNewConstMetric(runs, prometheus.GaugeValue, float64(s.Runs), kind, s.Name)
			if s.Runs > 0 {
				to <- prometheus.MustNewConstMetric(oldestRun, prometheus.GaugeValue, float64(s.Oldest.Unix()), kind, s.Name)
			}
		}
	}
}
