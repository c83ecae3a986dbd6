// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"fmt"
	"io"
	"time"

	corev1 "k8s.io/api/core/v1"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"

	"github.com/gcloud-operator/gcloud-operator/internal/jobspec"
	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

// Logs reads reports out of the logs of pods.
type Logs struct {
	Pods typedcorev1.PodsGetter
	// Open decrypts sealed reports.
	Open result.Opener
}

// readTimeout bounds the reading of one log.
const readTimeout = 30 * time.Second

// Read returns the report that the trailer points to. Only the end of the log is asked for.
func (l Logs) Read(ctx context.Context, pod *corev1.Pod, trailer result.Trailer, sealed bool) (result.Report, error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	log, err := l.Pods.Pods(pod.Namespace).GetLogs(pod.Name, &corev1.PodLogOptions{
		Container: jobspec.ContainerName,
		TailLines: new(trailer.TailLines()),
	}).Stream(ctx)
	if err != nil {
		return result.Report{}, fmt.Errorf("reading the log of pod %s: %w", pod.Name, err)
	}
	defer func() { _ = log.Close() }() // it was only read
	report, err := l.decode(trailer, log, sealed)
	if err != nil {
		return result.Report{}, fmt.Errorf("reading the report out of the log of pod %s: %w", pod.Name, err)
	}
	return report, nil
}

func (l Logs) decode(trailer result.Trailer, log io.Reader, sealed bool) (result.Report, error) {
	if sealed {
		return result.OpenTrailer(trailer, log, l.Open)
	}
	return result.DecodeTrailer(trailer, log)
}

// Keep returns the lines at the end of the pod's log that may be a report's, before the message says so.
func (l Logs) Keep(ctx context.Context, pod *corev1.Pod) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	log, err := l.Pods.Pods(pod.Namespace).GetLogs(pod.Name, &corev1.PodLogOptions{Container: jobspec.ContainerName}).Stream(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading the log of pod %s: %w", pod.Name, err)
	}
	defer func() { _ = log.Close() }() // it was only read
	lines, _, err := result.KeepTrailerLines(log, result.DefaultLogBytes)
	return lines, err
}
