// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/controllers/run/decide"
	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

// phase is a part of a run's life, named by what ends it.
type phase int

// In the order in which they end.
const (
	admitted phase = iota
	queued
	jobMade
	podMade
	podChosen
	gateOff
	scheduled
	commandStarted
	commandEnded
	endSeen
	endWritten
	phases
)

func (p phase) String() string {
	return [...]string{"admitted", "queued in the status", "Job made", "pod made", "pod chosen in the status", "gate taken off", "pod scheduled",
		"command started", "command ended", "end in the pod's status", "end in the resource's status"}[p]
}

// timeline is when each phase of a run ended.
type timeline [phases]time.Time

// note keeps the first time of a phase.
func (t *timeline) note(p phase, when bool, at time.Time) {
	if when && t[p].IsZero() {
		t[p] = at
	}
}

// measurePhases prints how long a GcloudRun spends in each phase, as medians over n runs.
func measurePhases(ctx context.Context, c client.WithWatch, n int) error {
	took := make([][]float64, phases)
	shares := make([][]float64, phases)
	for i := range n {
		begin := time.Now()
		line, err := followRun(ctx, c, fmt.Sprintf("phases-%d-%d", begin.Unix(), i))
		if err != nil {
			return err
		}
		before := begin
		for p, at := range line {
			took[p] = append(took[p], at.Sub(before).Seconds())
			shares[p] = append(shares[p], at.Sub(before).Seconds()/line[endWritten].Sub(begin).Seconds())
			before = at
		}
	}
	fmt.Printf("%-32s %8s %8s %8s %8s\n", "where a GcloudRun's time goes, s", "min", "median", "max", "share")
	for p := range phases {
		slices.Sort(took[p])
		slices.Sort(shares[p])
		fmt.Printf("%-32s %8.3f %8.3f %8.3f %7.0f%%\n", "until "+p.String(), took[p][0], took[p][n/2], took[p][n-1], 100*shares[p][n/2])
	}
	return nil
}

// followRun makes a GcloudRun and watches it, its Job and its pod until it has ended.
func followRun(ctx context.Context, c client.WithWatch, name string) (timeline, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	events := make(chan watch.Event)
	for _, list := range []client.ObjectList{&v1alpha1.GcloudRunList{}, &batchv1.JobList{}, &corev1.PodList{}} {
		watcher, err := c.Watch(ctx, list, client.InNamespace("default"))
		if err != nil {
			return timeline{}, err
		}
		defer watcher.Stop()
		go func() {
			for event := range watcher.ResultChan() {
				select {
				case events <- event:
				case <-ctx.Done():
				}
			}
		}()
	}
	var line timeline
	run := gcloudVersion(name)
	if err := c.Create(ctx, run); err != nil {
		return line, err
	}
	line[admitted] = time.Now()
	defer func() { _ = c.Delete(context.WithoutCancel(ctx), run) }()
	for {
		select {
		case event := <-events:
			if line.look(event.Object, run); !line[endWritten].IsZero() {
				return line, nil
			}
		case <-ctx.Done():
			return line, fmt.Errorf("%s was not done within a minute", name)
		}
	}
}

// look notes what an object of the run says of how far it is.
func (t *timeline) look(seen any, run *v1alpha1.GcloudRun) {
	now := time.Now()
	switch o := seen.(type) {
	case *v1alpha1.GcloudRun:
		if r := o.Status.Run; o.UID == run.UID && r != nil {
			t.note(queued, true, now)
			t.note(podChosen, r.PodUID != "", now)
			t.note(endWritten, finished(o), now)
		}
	case *batchv1.Job:
		t.note(jobMade, o.Labels[v1alpha1.OwnerUIDLabel] == string(run.UID), now)
	case *corev1.Pod:
		if o.Labels[v1alpha1.OwnerUIDLabel] == string(run.UID) {
			t.note(podMade, true, now)
			t.note(gateOff, !decide.Gated(o), now)
			t.note(scheduled, o.Spec.NodeName != "", now)
			t.ofContainers(o, now)
		}
	}
}

// ofContainers takes the command's own times from the report: no watch can tell them as exactly.
func (t *timeline) ofContainers(pod *corev1.Pod, now time.Time) {
	for _, s := range pod.Status.ContainerStatuses {
		if s.State.Terminated == nil {
			continue
		}
		t.note(endSeen, true, now)
		if m, err := result.DecodeMessage(s.State.Terminated.Message); err == nil {
			t.note(commandStarted, true, m.Report.StartedAt)
			t.note(commandEnded, true, m.Report.FinishedAt)
		}
	}
}
