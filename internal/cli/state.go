// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

// wanted is the run that is waited for.
type wanted struct {
	name    string // of the resource, whose newest run it is
	request string // if set, it is the run that this value of the annotation asks for
	ours    bool   // an interrupt cancels it
	made    bool   // the plugin has made the resource, to be run now
}

// begun says whether the newest run is the one that is waited for.
func (w wanted) begun(g *v1alpha1.GcloudRun) bool {
	return g.Status.Run != nil && (w.request == "" || g.Status.LastHandledRequest == w.request)
}

// number is that of the run that is waited for, which may be to come.
func (w wanted) number(g *v1alpha1.GcloudRun) int64 {
	switch {
	case g.Status.Run == nil:
		return 1
	case w.begun(g):
		return g.Status.Run.Number
	}
	return g.Status.Run.Number + 1
}

// over says whether nothing more is to come of it: it has ended, or what it is to run can't be run.
func (w wanted) over(g *v1alpha1.GcloudRun) bool {
	if g.Status.ObservedGeneration != g.Generation || !meta.IsStatusConditionTrue(g.Status.Conditions, v1alpha1.ConditionFinished) {
		return false
	}
	return w.begun(g) || notRun(g)
}

// notRun says whether the resource, as it is, can't be run.
func notRun(g *v1alpha1.GcloudRun) bool {
	reason := readiness(g).Reason
	return reason == v1alpha1.ReasonInvalidSpec || reason == v1alpha1.ReasonInputMissing
}

// waits says whether nothing is under way, and nothing comes until somebody acts.
func waits(g *v1alpha1.GcloudRun) bool {
	reason := readiness(g).Reason
	return reason == v1alpha1.ReasonHeld || reason == v1alpha1.ReasonSuspended
}

// underWay says whether a run of the resource is.
func underWay(g *v1alpha1.GcloudRun) bool {
	return meta.IsStatusConditionTrue(g.Status.Conditions, v1alpha1.ConditionReconciling)
}

// running says whether the command of the run is being executed, and so has a log.
func running(g *v1alpha1.GcloudRun) bool {
	return readiness(g).Reason == v1alpha1.ReasonRunning && g.Status.Run != nil && g.Status.Run.PodName != ""
}

func readiness(g *v1alpha1.GcloudRun) metav1.Condition {
	if c := meta.FindStatusCondition(g.Status.Conditions, v1alpha1.ConditionReady); c != nil {
		return *c
	}
	return metav1.Condition{}
}

// phase is what the run does, or waits for, in a few words.
func phase(g *v1alpha1.GcloudRun) string {
	ready := readiness(g)
	switch run := g.Status.Run; {
	case ready.Reason == v1alpha1.ReasonRunning:
		return "running"
	case ready.Reason == "", run == nil && ready.Reason == v1alpha1.ReasonPending:
		return "queued"
	case ready.Reason != v1alpha1.ReasonPending:
		return ready.Reason + ": " + ready.Message
	case run.RetryTime != nil:
		return "waiting for the next attempt: " + ready.Message
	case run.PodName == "":
		return "queued"
	}
	return "waiting for image and container"
}

// progress is the line that a terminal shows while a run is under way.
func progress(name, phase string, took time.Duration, width int) string {
	took = took.Truncate(time.Second)
	text := fmt.Sprintf("%s: %s", name, strings.Join(strings.Fields(phase), " "))
	tail := fmt.Sprintf(" (%s)", took)
	if width <= 0 {
		width = 80
	}
	if room := width - 1 - len(tail); len([]rune(text)) > room {
		text = string([]rune(text)[:max(room-1, 0)]) + "…"
	}
	return text + tail
}
