// SPDX-License-Identifier: Apache-2.0

// Package metrics declares what the operator counts, and serves it. No label has values that a tenant can
// choose: there is no namespace and no name among them. docs/metrics.md has them all.
package metrics

import (
	"cmp"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

const namespace = "gcloud_operator"

// Kinds are the kinds of resources that are run.
var Kinds = []string{"GcloudRun", "DocumentFetch", "DataformFileRead"}

// durations has buckets from what is over at once to what takes a day.
var durations = []float64{0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600, 14400, 86400}

var (
	runsEnded = prometheus.NewCounterVec(prometheus.CounterOpts{
		Namespace: namespace, Name: "runs_ended_total",
		Help: "Attempts of runs that have ended, by the reason that the conditions give. The result is Succeeded, Failed, or Again where another attempt is to come.",
	}, []string{"kind", "reason", "result"})

	phaseDuration = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Namespace: namespace, Name: "run_phase_duration_seconds", Buckets: durations,
		Help: "How long an attempt that has ended was in a phase: Queue until its Job was made, Start until its command was started, Command until that ended, and Report until its result was written into the status.",
	}, []string{"kind", "phase"})

	admissionVerdicts = prometheus.NewCounterVec(prometheus.CounterOpts{
		Namespace: namespace, Name: "admission_verdicts_total",
		Help: "What the webhook said: Admitted, Warned or Refused. A request that breaks several rules counts once for each; rule is empty where none is broken, and Spec for those that have no name.",
	}, []string{"kind", "verdict", "rule"})

	apiWrites = prometheus.NewCounterVec(prometheus.CounterOpts{
		Namespace: namespace, Name: "api_writes_total",
		Help: "Writes to the API server, by what was written and what became of it: OK, or the reason that the API server gave.",
	}, []string{"object", "verb", "result"})

	runs = prometheus.NewDesc(prometheus.BuildFQName(namespace, "", "runs"),
		"Runs under way, by how far they are: Queued for their turn, Waiting for their Job, pod or image, or Running. Only the replica that leads tells.",
		[]string{"kind", "stage"}, nil)

	oldestRun = prometheus.NewDesc(prometheus.BuildFQName(namespace, "", "oldest_run_timestamp_seconds"),
		"When that run of the stage was queued that was queued first. There is none where no run is in the stage.",
		[]string{"kind", "stage"}, nil)
)

// Register adds the metrics that are counted. What alerts look at is there from the beginning, so that the
// first time counts as one more.
func Register(to prometheus.Registerer) {
	to.MustRegister(runsEnded, phaseDuration, admissionVerdicts, apiWrites)
	for _, kind := range Kinds {
		runsEnded.WithLabelValues(kind, v1alpha1.ReasonResultLost, failed)
		admissionVerdicts.WithLabelValues(kind, admitted, "")
	}
}

const (
	succeeded = "Succeeded"
	failed    = "Failed"
	again     = "Again"
)

// RunEnded counts an attempt that is written down to have ended.
func RunEnded(kind string, run *v1alpha1.Run) {
	result := failed
	switch {
	case run.RetryTime != nil:
		result = again
	case run.Reason == v1alpha1.ReasonSucceeded:
		result = succeeded
	}
	runsEnded.WithLabelValues(kind, run.Reason, result).Inc()
}

// Moments are those of a run's life; one that never came, or isn't known, is zero.
type Moments struct {
	Queued, JobMade, Started, Finished, Recorded time.Time
}

// RunTook notes how long a run was in each of its phases.
func RunTook(kind string, m Moments) {
	for phase, ends := range map[string][2]time.Time{
		"Queue": {m.Queued, m.JobMade}, "Start": {m.JobMade, m.Started}, "Command": {m.Started, m.Finished}, "Report": {m.Finished, m.Recorded},
	} {
		if !ends[0].IsZero() && !ends[1].IsZero() {
			// The clocks of nodes differ, and the API server's times are whole seconds.
			phaseDuration.WithLabelValues(kind, phase).Observe(max(ends[1].Sub(ends[0]), 0).Seconds())
		}
	}
}

const (
	admitted = "Admitted"
	warned   = "Warned"
	refused  = "Refused"
	noName   = "Spec"
)

// Admission counts what the webhook says of a resource: each rule that it breaks, once.
func Admission(kind string, errs, warnings field.ErrorList) {
	for verdict, broken := range map[string]field.ErrorList{refused: errs, warned: warnings} {
		rules := sets.New[string]()
		for _, e := range broken {
			rules.Insert(cmp.Or(e.Origin, noName))
		}
		for rule := range rules {
			admissionVerdicts.WithLabelValues(kind, verdict, rule).Inc()
		}
	}
	if len(errs) == 0 && len(warnings) == 0 {
		admissionVerdicts.WithLabelValues(kind, admitted, "").Inc()
	}
}
