// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/jobspec"
	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

var (
	chaosRuns = flag.Int("chaos-runs", 300, "how many runs there are while the operator, the kubelet and pods are killed")
	chaosSeed = flag.Uint64("chaos-seed", uint64(time.Now().UnixNano()), "what the kills are drawn from")
)

// runsAtOnce is how many runs are under way at a time: enough that each kill meets some, few enough that
// two processors keep up.
const runsAtOnce = 6

// Operator, kubelet and pods are killed at random; databases outside count what the commands did.
func TestNoRunIsStartedTwiceOrLostOrStuckWhateverIsKilled(t *testing.T) {
	t.Logf("%d runs; repeat with -chaos-seed=%d", *chaosRuns, *chaosSeed)
	c := &chaos{t: t, began: time.Now(), reports: map[string]result.Report{}, kills: map[string]int{}}
	stopWatching := c.inBackground(c.watchReports)
	stopKilling := c.inBackground(c.killAtRandom)
	ended := c.run(*chaosRuns)
	stopKilling()
	expectOperatorReady(t)
	c.expectNothingHeld()
	stopWatching()

	reasons := map[string]int{}
	for name, g := range ended {
		reasons[g.Status.Run.Reason]++
		if r := g.Status.Run; r.Reason != v1alpha1.ReasonSucceeded && r.Reason != v1alpha1.ReasonTerminated {
			t.Logf("%s: %s: %s", r.PodName, r.Reason, r.Message)
		}
		if fault := c.fault(g, counter(name).executions(t)); fault != "" {
			t.Errorf("%s: %s; its end: %s: %s", name, fault, g.Status.Run.Reason, g.Status.Run.Message)
		}
	}
	t.Logf("%d runs have ended after %s: %v; killed: %v", len(ended), c.elapsed(), reasons, c.kills)
	if reasons[v1alpha1.ReasonSucceeded] < len(ended)/2 || len(c.kills) != len(targets) {
		t.Errorf("this shows little: most runs should succeed, and each target be killed")
	}
}

// chaos is the test at work.
type chaos struct {
	t     *testing.T
	began time.Time
	kills map[string]int

	// applied counts the resources that there are, or were.
	applied atomic.Int64

	mutex sync.Mutex
	// reports are those that a pod's status held at any time, by the name of the resource.
	reports map[string]result.Report
}

func (c *chaos) elapsed() time.Duration { return time.Since(c.began).Round(100 * time.Millisecond) }

// inBackground does something until the function that it returns is called, or the test ends.
func (c *chaos) inBackground(do func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(c.t.Context())
	var done sync.WaitGroup
	done.Go(func() { do(ctx) })
	stop = func() { cancel(); done.Wait() }
	c.t.Cleanup(stop)
	return stop
}

// run has every run come to its end, some at a time, and returns the resources by their names.
func (c *chaos) run(n int) map[string]*v1alpha1.GcloudRun {
	names := make(chan string)
	var mutex sync.Mutex
	ended := map[string]*v1alpha1.GcloudRun{}
	var workers sync.WaitGroup
	for range runsAtOnce {
		workers.Go(func() {
			for name := range names {
				g, err := c.bringToItsEnd(name)
				if err != nil {
					c.t.Errorf("%s is stuck: %v", name, err)
					continue
				}
				mutex.Lock()
				ended[name] = g
				mutex.Unlock()
			}
		})
	}
	for i := range n {
		names <- fmt.Sprintf("chaos-%03d", i)
	}
	close(names)
	workers.Wait()
	return ended
}

// bringToItsEnd applies a resource as often as it takes, and waits for its end.
func (c *chaos) bringToItsEnd(name string) (*v1alpha1.GcloudRun, error) {
	counter, err := makeCounter(name)
	if err != nil {
		return nil, err
	}
	g := gcloudRun(name, counter.command()).GcloudRun
	c.t.Cleanup(func() { _ = cluster.Delete(context.Background(), g) })
	c.applied.Add(1)
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		if err = cluster.Create(c.t.Context(), g.DeepCopy()); err == nil || apierrors.IsAlreadyExists(err) {
			break
		}
	}
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(500 * time.Millisecond) {
		if err = cluster.Get(c.t.Context(), client.ObjectKeyFromObject(g), g); err != nil {
			continue
		}
		if meta.IsStatusConditionTrue(g.Status.Conditions, v1alpha1.ConditionFinished) {
			return g, nil
		}
		err = fmt.Errorf("the conditions are %v", g.Status.Conditions)
	}
	return nil, err
}

// fault says what is wrong with the end of a run whose command was executed so many times.
func (c *chaos) fault(g *v1alpha1.GcloudRun, executions int) string {
	run, response := g.Status.Run, g.Status.Response
	report, reported := c.reports[g.Name]
	switch {
	case executions > 1:
		return fmt.Sprintf("it was executed %d times", executions)
	case reported && (response == nil || response.ExitCode == nil || int(*response.ExitCode) != report.ExitCode):
		return fmt.Sprintf("lost: its pod reported exit code %d, and the response is %+v", report.ExitCode, response)
	case run.Reason == v1alpha1.ReasonSucceeded && executions != 1:
		return "it succeeded without having been executed"
	case run.Reason == v1alpha1.ReasonSucceeded && !strings.Contains(response.Stdout, "Statement modified 1 row"):
		return fmt.Sprintf("its output is %q", response.Stdout)
	case neverStarted[run.Reason] && executions != 0:
		return "it was executed"
	}
	return ""
}

// neverStarted are the reasons that say that the command was not started.
var neverStarted = map[string]bool{
	v1alpha1.ReasonNeverStarted:    true,
	v1alpha1.ReasonUnschedulable:   true,
	v1alpha1.ReasonPodRejected:     true,
	v1alpha1.ReasonImagePullFailed: true,
}

// expectNothingHeld waits until nothing runs any more, and no pod that was deleted is kept.
func (c *chaos) expectNothingHeld() {
	c.t.Helper()
	eventually(c.t, "all pods are over, and those that were deleted are gone", func() bool {
		pods, err := chaosPods()
		return err == nil && !slices.ContainsFunc(pods, func(p corev1.Pod) bool { return p.DeletionTimestamp != nil || !over(&p) })
	})
}

// watchReports notes what the pods report, as their statuses have it.
func (c *chaos) watchReports(ctx context.Context) {
	for ctx.Err() == nil {
		watch, err := cluster.Watch(ctx, &corev1.PodList{}, client.InNamespace(namespace))
		if err != nil {
			continue
		}
		for event := range watch.ResultChan() {
			if pod, ok := event.Object.(*corev1.Pod); ok {
				c.note(pod)
			}
		}
	}
}

func (c *chaos) note(pod *corev1.Pod) {
	name, ours := strings.CutPrefix(pod.Annotations[v1alpha1.OwnerAnnotation], "GcloudRun/")
	if !ours {
		return
	}
	for _, s := range pod.Status.ContainerStatuses {
		if s.Name != jobspec.ContainerName || s.State.Terminated == nil {
			continue
		}
		m, err := result.DecodeMessage(s.State.Terminated.Message)
		if err == nil && m.Finished && m.Report.Reason == result.Exited {
			c.mutex.Lock()
			c.reports[name] = m.Report
			c.mutex.Unlock()
		}
	}
}

// targets are what is killed, and how often among as many kills.
var targets = []struct {
	name  string
	share int
	kill  func(*rand.Rand) (what string, err error)
}{
	{"operator", 3, func(*rand.Rand) (string, error) { return "SIGKILL", killOperator() }},
	{"kubelet", 2, func(*rand.Rand) (string, error) { return "SIGKILL", killKubelet() }},
	{"pod, with grace", 4, func(r *rand.Rand) (string, error) { return deleteAPod(r) }},
	{"pod, without grace", 4, func(r *rand.Rand) (string, error) { return deleteAPod(r, client.GracePeriodSeconds(0)) }},
}

// killAtRandom goes through a shuffled deck of the targets, and another. It follows the pace of the
// runs, whatever that is on this machine: there is a kill for every three of them, at any moment.
func (c *chaos) killAtRandom(ctx context.Context) {
	random := rand.New(rand.NewPCG(*chaosSeed, 0))
	var deck []int
	for next := int64(1); ; next += 1 + random.Int64N(5) {
		if len(deck) == 0 {
			deck = shuffledDeck(random)
		}
		pause := time.Duration(random.Int64N(int64(3 * time.Second)))
		if c.awaitApplied(ctx, next); sleep(ctx, pause) != nil {
			return
		}
		target := targets[deck[0]]
		deck = deck[1:]
		what, err := target.kill(random)
		if err != nil {
			c.t.Logf("%6s  %s: not killed: %v", c.elapsed(), target.name, err)
			continue
		}
		c.t.Logf("%6s  %s: %s", c.elapsed(), target.name, what)
		c.kills[target.name]++
	}
}

// awaitApplied returns when there have been so many resources.
func (c *chaos) awaitApplied(ctx context.Context, n int64) {
	for c.applied.Load() < n && sleep(ctx, 50*time.Millisecond) == nil {
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

func shuffledDeck(random *rand.Rand) []int {
	var deck []int
	for i, target := range targets {
		deck = append(deck, slices.Repeat([]int{i}, target.share)...)
	}
	random.Shuffle(len(deck), func(i, j int) { deck[i], deck[j] = deck[j], deck[i] })
	return deck
}

// deleteAPod deletes one of the pods that aren't over.
func deleteAPod(random *rand.Rand, options ...client.DeleteOption) (string, error) {
	pods, err := chaosPods()
	if err != nil {
		return "", err
	}
	pods = slices.DeleteFunc(pods, func(p corev1.Pod) bool { return p.DeletionTimestamp != nil || over(&p) })
	if len(pods) == 0 {
		return "", errors.New("there is none")
	}
	pod := &pods[random.IntN(len(pods))]
	return fmt.Sprintf("%s, %s", pod.Name, stateOf(pod)), cluster.Delete(context.Background(), pod, options...)
}

// chaosPods returns the pods of this test's runs, by name.
func chaosPods() ([]corev1.Pod, error) {
	var pods corev1.PodList
	err := cluster.List(context.Background(), &pods, client.InNamespace(namespace))
	return slices.DeleteFunc(pods.Items, func(p corev1.Pod) bool { return !strings.HasPrefix(p.Name, "chaos-") }), err
}

func over(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}

// stateOf says how far a pod has got, for the log.
func stateOf(pod *corev1.Pod) string {
	switch {
	case len(pod.Spec.SchedulingGates) > 0:
		return "gated"
	case pod.Spec.NodeName == "":
		return "let go"
	case pod.Status.Phase == corev1.PodPending:
		return "on the node"
	}
	return "running"
}
