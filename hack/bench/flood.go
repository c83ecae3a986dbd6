// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

const (
	floodNamespace = "flood"
	quietNamespace = "quiet"
	// floodWriters is how many make objects at the same time.
	floodWriters = 4
)

// bad are the objects of the tenant who floods: none of them ever comes to an end.
var bad = []struct {
	name   string
	change func(*v1alpha1.GcloudRun)
}{
	{"refused", func(g *v1alpha1.GcloudRun) { g.Spec.Command = "gcloud auth print-access-token --project=my-project" }},
	{"misspelt", func(g *v1alpha1.GcloudRun) { g.Spec.Command = "gcloud compute instance lst --project=my-project" }},
	{"no-account", func(g *v1alpha1.GcloudRun) { g.Spec.Identity.ServiceAccountName = "missing" }},
	{"no-configmap", func(g *v1alpha1.GcloudRun) {
		g.Spec.InputFiles = []v1alpha1.InputFile{{Path: "a", ContentsFrom: &v1alpha1.ContentsSource{ConfigMapKeyRef: &v1alpha1.KeyRef{Name: "missing", Key: "a"}}}}
	}},
	{"suspended", func(g *v1alpha1.GcloudRun) { g.Spec.Suspend = true }},
}

// sample is what was measured in one phase.
type sample struct {
	phase      string
	runs, maps []time.Duration // from create to the Job, and the API server alone
}

// measureFlood prints how long one tenant's runs take from create to their Job, without and with thousands
// of bad objects of another, beside what the API server takes by itself at that time. There is no webhook:
// everything reaches the controller. Nor is there a Job controller, so a Job never gets a pod.
func measureFlood(ctx context.Context, n int, program string) error {
	lab, err := startLab(ctx)
	if err != nil {
		return err
	}
	defer lab.stop()
	for _, name := range []string{floodNamespace, quietNamespace} {
		if err := lab.client.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}); err != nil {
			return err
		}
	}
	process, err := lab.startOperator(ctx, program)
	if err != nil {
		return err
	}
	defer func() { process.stop() }()
	var samples []sample
	take := func(phase string, more func(done int) bool) error {
		s, err := lab.sample(ctx, phase, more)
		samples = append(samples, s)
		return err
	}
	enough := func(done int) bool { return done < 30 }
	if err := take("nothing else", enough); err != nil {
		return err
	}
	flooded := lab.flood(ctx, n)
	if err := take("while they come", func(done int) bool { return done < 5 || !flooded.over() }); err != nil {
		return errors.Join(err, flooded.err())
	}
	if err := flooded.err(); err != nil {
		return err
	}
	if err := take("when they are there", enough); err != nil {
		return err
	}
	process.stop()
	if process, err = lab.startOperator(ctx, program); err != nil {
		return err
	}
	if err := take("operator started anew", enough); err != nil {
		return err
	}
	printFlood(n, flooded.took, samples)
	return nil
}

// flood is the making of bad objects.
type flood struct {
	done   chan struct{}
	failed atomic.Pointer[error]
	took   time.Duration
}

func (f *flood) over() bool {
	select {
	case <-f.done:
		return true
	default:
		return false
	}
}

func (f *flood) err() error {
	if err := f.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// flood makes n bad objects.
func (l *lab) flood(ctx context.Context, n int) *flood {
	f := &flood{done: make(chan struct{})}
	var next atomic.Int64
	var writers sync.WaitGroup
	begin := time.Now()
	for range floodWriters {
		writers.Go(func() {
			for i := int(next.Add(1)); i <= n && f.err() == nil; i = int(next.Add(1)) {
				kind := bad[i%len(bad)]
				g := gcloudVersion(fmt.Sprintf("%s-%05d", kind.name, i))
				g.Namespace = floodNamespace
				kind.change(g)
				if err := l.client.Create(ctx, g); err != nil {
					f.failed.Store(&err)
				}
			}
		})
	}
	go func() {
		writers.Wait()
		f.took = time.Since(begin)
		close(f.done)
	}()
	return f
}

// sample measures while there is more to measure.
func (l *lab) sample(ctx context.Context, phase string, more func(done int) bool) (sample, error) {
	s := sample{phase: phase}
	for i := 0; more(i); i++ {
		name := fmt.Sprintf("run-%d-%d", time.Now().UnixNano(), i)
		took, err := l.toJob(ctx, name)
		if err != nil {
			return s, fmt.Errorf("%s: %w", phase, err)
		}
		s.runs = append(s.runs, took)
		begin := time.Now()
		if err := l.client.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: quietNamespace, Name: name}}); err != nil {
			return s, err
		}
		s.maps = append(s.maps, time.Since(begin))
		time.Sleep(100 * time.Millisecond)
	}
	return s, nil
}

// toJob makes a run and waits for its Job.
func (l *lab) toJob(ctx context.Context, name string) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	watcher, err := l.client.Watch(ctx, &batchv1.JobList{}, client.InNamespace(quietNamespace))
	if err != nil {
		return 0, err
	}
	defer watcher.Stop()
	g := gcloudVersion(name)
	g.Namespace = quietNamespace
	begin := time.Now()
	if err := l.client.Create(ctx, g); err != nil {
		return 0, err
	}
	for event := range watcher.ResultChan() {
		if job, ok := event.Object.(*batchv1.Job); ok && metav1.IsControlledBy(job, g) {
			took := time.Since(begin)
			return took, l.client.Delete(ctx, g)
		}
	}
	return 0, fmt.Errorf("no Job was made for %s within two minutes", name)
}

func printFlood(n int, took time.Duration, samples []sample) {
	middle := func(d []time.Duration) float64 {
		slices.Sort(d)
		return d[len(d)/2].Seconds() * 1000
	}
	fmt.Printf("%d bad objects of one tenant, made in %.0f s; from create to Job of another's, milliseconds\n", n, took.Seconds())
	fmt.Printf("%-24s %6s %8s %8s %8s   %s\n", "", "runs", "median", "max", "ratio", "the API server alone: median, ratio")
	runs, maps := middle(samples[0].runs), middle(samples[0].maps)
	for _, s := range samples {
		m, a := middle(s.runs), middle(s.maps)
		fmt.Printf("%-24s %6d %8.1f %8.1f %8.2f   %.1f %.2f\n", s.phase, len(s.runs), m, s.runs[len(s.runs)-1].Seconds()*1000, m/runs, a, a/maps)
	}
}
