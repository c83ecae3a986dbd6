// SPDX-License-Identifier: Apache-2.0

package outcome

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

// What Kubernetes 1.37 writes into a pod that it ends.
var (
	byEviction   = disrupt("EvictionByEvictionAPI", "Eviction API: evicting")
	byTaint      = disrupt("DeletionByTaintManager", "Taint manager: deleting due to NoExecute taint")
	byDevice     = disrupt("DeletionByDeviceTaintManager", "Device Taint manager: deleting due to NoExecute taint")
	byPreemption = disrupt("PreemptionByScheduler", "default-scheduler: preempting to accommodate a higher priority pod")
	byPodGC      = disrupt("DeletionByPodGC", "PodGC: node no longer exists")
	byPressure   = all(phase(corev1.PodFailed, "Evicted", "The node was low on resource: memory."), disrupt("TerminationByKubelet", "The node was low on resource: memory."))
	byCritical   = all(phase(corev1.PodFailed, "Preempting", "Preempted in order to admit critical pod"), disrupt("TerminationByKubelet", "Pod was preempted by Kubelet to accommodate a critical pod."))
	byShutdown   = all(phase(corev1.PodFailed, "Terminated", "Pod was terminated in response to imminent node shutdown."), disrupt("TerminationByKubelet", "Pod was terminated in response to imminent node shutdown."))
	byDeadline   = phase(corev1.PodFailed, "DeadlineExceeded", "Pod was active on the node longer than the specified deadline")
)

func all(changes ...func(*corev1.Pod)) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		for _, change := range changes {
			change(p)
		}
	}
}

func TestWhatTheClusterEndedHasTheClustersReason(t *testing.T) {
	for name, c := range map[string]struct {
		cluster func(*corev1.Pod)
		reason  string
		want    string
	}{
		"somebody deleted it":                  {beingDeleted, v1alpha1.ReasonTerminated, "; its pod was deleted"},
		"nobody did anything":                  {phase(corev1.PodFailed, "", ""), v1alpha1.ReasonTerminated, "it may have acted"},
		"the Eviction API was asked":           {all(byEviction, beingDeleted), v1alpha1.ReasonEvicted, "; its pod was evicted: Eviction API: evicting"},
		"a taint came on its node":             {all(byTaint, beingDeleted), v1alpha1.ReasonEvicted, "; its pod was evicted: Taint manager: deleting due to NoExecute taint"},
		"a taint came on its device":           {all(byDevice, beingDeleted), v1alpha1.ReasonEvicted, "; its pod was evicted: Device Taint manager: deleting due to NoExecute taint"},
		"its node was short of memory":         {byPressure, v1alpha1.ReasonEvicted, "; its node evicted the pod: The node was low on resource: memory."},
		"its node shut down":                   {byShutdown, v1alpha1.ReasonEvicted, "; its pod was evicted: Pod was terminated in response to imminent node shutdown."},
		"the scheduler wanted the room":        {all(byPreemption, beingDeleted), v1alpha1.ReasonPreempted, "; its pod had to make room for one of a higher priority: default-scheduler: preempting to accommodate a higher priority pod"},
		"its node wanted the room":             {byCritical, v1alpha1.ReasonPreempted, "; its node ended the pod for a critical one: Preempted in order to admit critical pod"},
		"the pod's deadline passed":            {byDeadline, v1alpha1.ReasonTimedOut, "; its node ended the pod at its deadline, which is later than spec.timeout"},
		"the eviction was called off":          {withCondition(corev1.PodCondition{Type: corev1.DisruptionTarget, Status: corev1.ConditionFalse, Reason: "EvictionByEvictionAPI"}), v1alpha1.ReasonTerminated, "it may have acted"},
		"it was deleted, and the node is gone": {all(byPodGC, beingDeleted, phase(corev1.PodFailed, "", "")), v1alpha1.ReasonNodeLost, "; its node is gone"},
	} {
		t.Run(name, func(t *testing.T) {
			stopped := message(t, because(result.Terminated, ""))
			o := OfPod(podWith(command(ended(1, "Error", stopped)), c.cluster), thisRun, nil, afterwards)
			if o.Phase != Ended || o.Reason != c.reason || !strings.HasSuffix(o.Message, c.want) || o.NeverRan || o.Report == nil || string(o.Report.Stdout.Data) != "a\n" {
				t.Errorf("stopped: got %+v, want %s: %q", o, c.reason, c.want)
			}
			if c.reason == v1alpha1.ReasonTerminated {
				return
			}
			o = OfPod(podWith(command(ended(137, "Error", interim(thisRun))), c.cluster), thisRun, nil, afterwards)
			if o.Phase != Ended || o.Reason != c.reason || !strings.Contains(o.Message, mayHaveActed+c.want) || o.NeverRan || o.Report == nil || !o.Started.Equal(commandStarted) {
				t.Errorf("killed: got %+v, want %s: %q", o, c.reason, c.want)
			}
			for _, own := range []struct {
				code   int
				reason string
			}{{0, v1alpha1.ReasonSucceeded}, {3, v1alpha1.ReasonCommandFailed}} {
				r := report(exit(own.code))
				o = OfPod(podWith(command(ended(int32(r.ProcessExitCode()), "Error", message(t, exit(own.code)))), c.cluster), thisRun, nil, afterwards)
				if o.Reason != own.reason || strings.Contains(o.Message, ";") {
					t.Errorf("ended by itself with %d: got %+v", own.code, o)
				}
			}
		})
	}
}

func TestWhatTheClusterEndedBeforeTheStartNeverRan(t *testing.T) {
	tooLate := message(t, because(result.StoppedBeforeStart, "asked to end"))
	for name, c := range map[string]struct {
		pod    *corev1.Pod
		reason string
	}{
		"evicted while it was gated":                      {podWith(gate, byEviction, beingDeleted), v1alpha1.ReasonEvicted},
		"deleted while it was gated":                      {podWith(gate, beingDeleted), v1alpha1.ReasonNeverStarted},
		"evicted while its container was being made":      {podWith(command(notFound()), byPressure), v1alpha1.ReasonEvicted},
		"evicted while the runner was put in":             {podWith(initContainer(notFound()), command(waiting("PodInitializing", "")), byEviction, beingDeleted, phase(corev1.PodFailed, "", "")), v1alpha1.ReasonEvicted},
		"preempted, and not yet marked by the kubelet":    {podWith(command(waiting("ContainerCreating", "")), byCritical), v1alpha1.ReasonPreempted},
		"evicted before the runner had started it":        {podWith(command(ended(1, "Error", tooLate)), byTaint, beingDeleted), v1alpha1.ReasonEvicted},
		"at its deadline while the container was waiting": {podWith(command(notFound()), byDeadline), v1alpha1.ReasonNeverStarted},
		"evicted while its image could not be pulled":     {podWith(command(waiting("ErrImagePull", "")), byPressure), v1alpha1.ReasonImagePullFailed},
	} {
		if o := OfPod(c.pod, thisRun, nil, afterwards); o.Phase != Ended || o.Reason != c.reason || !o.NeverRan {
			t.Errorf("%s: got %+v, want %s", name, o, c.reason)
		}
	}
}

// The kubelet reports the end of a container before that of the pod, which alone says why.
func TestThePodIsWaitedForToSayWhyItsContainerWasStopped(t *testing.T) {
	stopped := command(ended(1, "Error", message(t, because(result.Terminated, ""))))
	killed := command(ended(137, "Error", interim(thisRun)))
	soon, late := containerEnded.Add(settling/2), containerEnded.Add(settling)
	for name, c := range map[string]struct {
		pod  *corev1.Pod
		want string
	}{
		"stopped":                        {podWith(stopped), ""},
		"killed":                         {podWith(killed), ""},
		"without a word":                 {podWith(command(ended(137, "Error", ""))), ""},
		"stopped, and the pod says why":  {podWith(stopped, byPressure), v1alpha1.ReasonEvicted},
		"stopped, and the pod was ended": {podWith(stopped, phase(corev1.PodFailed, "", "")), v1alpha1.ReasonTerminated},
		"stopped by whoever deletes it":  {podWith(stopped, beingDeleted), v1alpha1.ReasonTerminated},
		"killed for its memory":          {podWith(command(ended(137, "OOMKilled", interim(thisRun)))), v1alpha1.ReasonOutOfMemory},
		"failed by itself":               {podWith(command(ended(1, "Error", message(t, exit(1))))), v1alpha1.ReasonCommandFailed},
	} {
		o := OfPod(c.pod, thisRun, nil, soon)
		if c.want == "" && (o.Phase != Running || !o.Until.Equal(late) || o.Started.IsZero()) {
			t.Errorf("%s: got %+v, want it to be waited for", name, o)
		}
		if c.want != "" && (o.Phase != Ended || o.Reason != c.want) {
			t.Errorf("%s: got %+v, want %s", name, o, c.want)
		}
		if o := OfPod(c.pod, thisRun, nil, late); o.Phase != Ended {
			t.Errorf("%s: got %+v, want it to have ended at last", name, o)
		}
	}
}

func TestOutOfMemory(t *testing.T) {
	const advice = " was killed for using more memory than its limit; it may have acted: look, raise the limit, then run it again"
	for name, c := range map[string]struct {
		state  corev1.ContainerState
		reason string
		want   string
	}{
		"the whole container was killed":          {ended(137, "OOMKilled", interim(thisRun)), v1alpha1.ReasonOutOfMemory, "The container" + advice},
		"the command was killed":                  {ended(1, "OOMKilled", message(t, exit(137))), v1alpha1.ReasonOutOfMemory, "The command" + advice},
		"a process beside it, and it went well":   {ended(0, "OOMKilled", message(t)), v1alpha1.ReasonSucceeded, "The command ended with exit code 0"},
		"one of its processes, and it failed":     {ended(1, "OOMKilled", message(t, exit(1))), v1alpha1.ReasonCommandFailed, "The command ended with exit code 1; one of its processes was killed for using more memory than the container's limit"},
		"a process beside it, and it was stopped": {ended(1, "OOMKilled", message(t, because(result.TimedOut, ""))), v1alpha1.ReasonTimedOut, "The command was stopped when spec.timeout had passed; it may have acted"},
		"the command was killed for other causes": {ended(1, "Error", message(t, exit(137))), v1alpha1.ReasonCommandFailed, "The command ended with exit code 137"},
	} {
		o := OfPod(podWith(command(c.state)), thisRun, nil, afterwards)
		if o.Phase != Ended || o.Reason != c.reason || o.Message != c.want || o.NeverRan || o.Report == nil {
			t.Errorf("%s: got %+v, want %s: %q", name, o, c.reason, c.want)
		}
	}
}

func TestPodThatItsNodeRefusedMayHaveRun(t *testing.T) {
	for reason, message := range map[string]string{
		"OutOfcpu":                 "Node didn't have enough resource: cpu, requested: 100, used: 1990, capacity: 2000",
		"OutOfmemory":              "Node didn't have enough resource: memory, requested: 1, used: 2, capacity: 2",
		"NodeAffinity":             "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
		"NodeShutdown":             "Pod was rejected as the node is shutting down.",
		"Evicted":                  "The node had condition: [MemoryPressure]. ",
		"UnexpectedAdmissionError": "Update plugin resources failed due to no device, which is unexpected.",
	} {
		refusal := phase(corev1.PodFailed, reason, "Pod was rejected: "+message)
		for name, pod := range map[string]*corev1.Pod{
			"refused":             podWith(onNode, refusal),
			"refused and deleted": podWith(command(notFound()), refusal, beingDeleted),
			"refused and deleted, with the runner left":     podWith(initContainer(notFound()), command(waiting("PodInitializing", "")), refusal, beingDeleted),
			"refused and deleted because of its node":       podWith(command(notFound()), refusal, byTaint, beingDeleted),
			"refused, with the containers that stood there": podWith(command(runningState()), refusal),
		} {
			o := OfPod(pod, thisRun, nil, afterwards)
			if o.Phase != Ended || o.Reason != v1alpha1.ReasonResultLost || o.NeverRan || !strings.Contains(o.Message, reason+": Pod was rejected: "+message) || !strings.HasSuffix(o.Message, mayHaveActed) {
				t.Errorf("%s, %s: got %+v", reason, name, o)
			}
		}
	}
}
