// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/watch"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/test/fakes"
)

// Where config/devcluster sends what reads documents, and the image that it runs gcloud in.
const (
	documentsAddress = "10.244.0.1:9040"
	gcloudImage      = "gcloud:528.0.0"
)

// ofCluster returns a client of the cluster that $KUBECONFIG names.
func ofCluster() (client.WithWatch, error) {
	api, err := ctrl.GetConfig()
	if err != nil {
		return nil, err
	}
	return newClient(api)
}

func newClient(api *rest.Config) (client.WithWatch, error) {
	scheme := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(scheme))
	utilruntime.Must(v1alpha1.AddToScheme(scheme))
	return client.NewWithWatch(api, client.Options{Scheme: scheme})
}

// subject is something whose time from create to its end is measured.
type subject struct {
	name string
	make func(name string) client.Object
	list func() client.ObjectList
	done func(client.Object) bool
}

// measureLatency prints the median times of each subject, measured in turn, and their ratios to the
// bare Jobs.
func measureLatency(ctx context.Context, c client.WithWatch, n int) error {
	documents := fakes.NewDocuments(fakes.Document{Name: "documents/example.com/a", Content: "text", UpdateTime: "2026-01-01T00:00:00Z"})
	listener, stop, err := fakes.Serve(documentsAddress, documents)
	if err != nil {
		return fmt.Errorf("serving documents at %s (%s): %w", documentsAddress, listener, err)
	}
	defer stop()
	subjects := subjects()
	times := make([][]time.Duration, len(subjects))
	for i := range n {
		for s, subject := range subjects {
			took, err := measure(ctx, c, subject, fmt.Sprintf("bench-%d-%d-%d", time.Now().Unix(), s, i))
			if err != nil {
				return fmt.Errorf("%s: %w", subject.name, err)
			}
			times[s] = append(times[s], took)
		}
	}
	printTimes(subjects, times)
	return nil
}

func subjects() []subject {
	return []subject{
		{"bare Job that only exits", func(name string) client.Object { return job(name, "/runner", "version") }, jobs, jobComplete},
		{"bare Job: gcloud version", func(name string) client.Object {
			return job(name, "/usr/lib/google-cloud-sdk/bin/gcloud", "version", "--project=my-project")
		}, jobs, jobComplete},
		{"GcloudRun: gcloud version", func(name string) client.Object { return gcloudVersion(name) }, func() client.ObjectList { return &v1alpha1.GcloudRunList{} }, finished},
		{"DocumentFetch: one document", func(name string) client.Object {
			return &v1alpha1.DocumentFetch{ObjectMeta: inDefault(name), Spec: v1alpha1.DocumentFetchSpec{Names: []string{"documents/example.com/a"}}}
		}, func() client.ObjectList { return &v1alpha1.DocumentFetchList{} }, finished},
	}
}

func gcloudVersion(name string) *v1alpha1.GcloudRun {
	return &v1alpha1.GcloudRun{ObjectMeta: inDefault(name), Spec: v1alpha1.GcloudRunSpec{
		Project: "projects/my-project", Command: "gcloud version --project=my-project"}}
}

func inDefault(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: "default", Name: name}
}

func jobs() client.ObjectList { return &batchv1.JobList{} }

func job(name string, command ...string) client.Object {
	return &batchv1.Job{ObjectMeta: inDefault(name), Spec: batchv1.JobSpec{BackoffLimit: new(int32(0)), Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
		RestartPolicy: corev1.RestartPolicyNever,
		Containers: []corev1.Container{{
			Name: "c", Image: gcloudImage, ImagePullPolicy: corev1.PullIfNotPresent, Command: command,
			Env: []corev1.EnvVar{{Name: "CLOUDSDK_CONFIG", Value: "/tmp/config"}, {Name: "CLOUDSDK_CORE_CHECK_GCE_METADATA", Value: "false"},
				{Name: "CLOUDSDK_METRICS_ENVIRONMENT", Value: "bench"}, {Name: "CLOUDSDK_CORE_DISABLE_USAGE_REPORTING", Value: "true"}},
		}},
	}}}}
}

func jobComplete(o client.Object) bool {
	j, ok := o.(*batchv1.Job)
	return ok && slices.ContainsFunc(j.Status.Conditions, func(c batchv1.JobCondition) bool {
		return (c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed) && c.Status == corev1.ConditionTrue
	})
}

func finished(o client.Object) bool {
	r, ok := o.(interface{ RunStatus() *v1alpha1.RunStatus })
	return ok && meta.IsStatusConditionTrue(r.RunStatus().Conditions, v1alpha1.ConditionFinished)
}

// measure makes the object and watches it until it is done.
func measure(ctx context.Context, c client.WithWatch, s subject, name string) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	watcher, err := c.Watch(ctx, s.list(), client.InNamespace("default"), client.MatchingFields{"metadata.name": name})
	if err != nil {
		return 0, err
	}
	defer watcher.Stop()
	obj := s.make(name)
	begin := time.Now()
	if err := c.Create(ctx, obj); err != nil {
		return 0, err
	}
	defer func() { _ = c.Delete(ctx, obj, client.PropagationPolicy(metav1.DeletePropagationBackground)) }()
	for event := range watcher.ResultChan() {
		if o, ok := event.Object.(client.Object); ok && event.Type == watch.Modified && s.done(o) {
			return time.Since(begin), nil
		}
	}
	return 0, fmt.Errorf("%s was not done within a minute", name)
}

func printTimes(subjects []subject, times [][]time.Duration) {
	median := func(s int) float64 { return times[s][len(times[s])/2].Seconds() }
	for s := range subjects {
		slices.Sort(times[s])
	}
	fmt.Printf("%-32s %8s %8s %8s   %s\n", "create to end, seconds", "min", "median", "max", "ratios to the bare Jobs (exits, gcloud)")
	for s, subject := range subjects {
		fmt.Printf("%-32s %8.2f %8.2f %8.2f   %.2f %.2f\n", subject.name, times[s][0].Seconds(), median(s), times[s][len(times[s])-1].Seconds(),
			median(s)/median(0), median(s)/median(1))
	}
}
