// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

// keptLogs are those of operator pods that tests have deleted.
var keptLogs struct {
	sync.Mutex
	texts map[string][]byte
}

// keepOperatorLogs is to be called before pods of the operator are deleted.
func keepOperatorLogs(t *testing.T) {
	t.Helper()
	s, err := newScan()
	must(t, err)
	keptLogs.Lock()
	defer keptLogs.Unlock()
	for _, pod := range operatorPods(t) {
		for where, text := range s.logsOf(t.Context(), &pod) {
			if keptLogs.texts == nil {
				keptLogs.texts = map[string][]byte{}
			}
			keptLogs.texts[where+" (since deleted)"] = text
		}
	}
}

// scan looks through all that can be read.
type scan struct {
	clients *kubernetes.Clientset
	looked  int // how many texts it has looked through
	found   []error
}

func newScan() (*scan, error) {
	config, err := ctrl.GetConfig()
	if err != nil {
		return nil, fmt.Errorf("finding the cluster: %w", err)
	}
	clients, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("making a client: %w", err)
	}
	return &scan{clients: clients}, nil
}

// expectNoCredentials looks for every piece of every credential in all objects, with their events, in the
// logs of all pods, and in their files on the node. The error says what was found where, but shows none.
func expectNoCredentials(ctx context.Context) error {
	if err := rememberOperatorKeys(ctx); err != nil {
		return err
	}
	s, err := newScan()
	if err != nil {
		return err
	}
	if err := errors.Join(s.objects(ctx), s.podsAndLogs(ctx), s.logFiles()); err != nil {
		return err
	}
	for where, text := range keptLogs.texts {
		s.look(where, text)
	}
	fmt.Printf("looked for credentials in %d objects, messages and logs\n", s.looked)
	return errors.Join(s.found...)
}

func (s *scan) look(where string, text []byte) {
	s.looked++
	for _, name := range credentials.Find(text) {
		s.found = append(s.found, fmt.Errorf("a piece of %s stands in %s", name, where))
	}
}

// objects looks through all objects of all kinds. Of Secrets it leaves out the contents.
func (s *scan) objects(ctx context.Context) error {
	lists, err := s.clients.Discovery().ServerPreferredResources()
	if err != nil {
		return fmt.Errorf("asking what kinds there are: %w", err)
	}
	for _, list := range lists {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return err
		}
		for _, kind := range list.APIResources {
			if !slices.Contains(kind.Verbs, "list") {
				continue
			}
			if err := s.objectsOf(ctx, version.WithKind(kind.Kind)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *scan) objectsOf(ctx context.Context, kind schema.GroupVersionKind) error {
	var page unstructured.UnstructuredList
	page.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
	for first := true; first || page.GetContinue() != ""; first = false {
		if err := cluster.List(ctx, &page, client.Limit(50), client.Continue(page.GetContinue())); err != nil {
			return fmt.Errorf("listing every %s: %w", kind.Kind, err)
		}
		for _, o := range page.Items {
			if kind.GroupKind() == (schema.GroupKind{Kind: "Secret"}) {
				delete(o.Object, "data")
			}
			text, err := json.Marshal(o.Object)
			if err != nil {
				return err
			}
			s.look(fmt.Sprintf("%s %s/%s", kind.Kind, o.GetNamespace(), o.GetName()), text)
		}
	}
	return nil
}

// podsAndLogs looks through the logs of all pods, and through what is packed in their messages.
func (s *scan) podsAndLogs(ctx context.Context) error {
	var pods corev1.PodList
	if err := cluster.List(ctx, &pods); err != nil {
		return fmt.Errorf("listing all pods: %w", err)
	}
	for i := range pods.Items {
		pod := &pods.Items[i]
		logs := s.logsOf(ctx, pod)
		for where, text := range logs {
			s.look(where, text)
		}
		for _, c := range pod.Status.ContainerStatuses {
			if c.State.Terminated == nil {
				continue
			}
			where := fmt.Sprintf("the packed report of %s/%s", pod.Namespace, pod.Name)
			for _, text := range unpacked(c.State.Terminated.Message, logs) {
				s.look(where, text)
			}
		}
	}
	return nil
}

// logsOf are the logs of a pod's containers, and of those before them, as far as they are there still.
func (s *scan) logsOf(ctx context.Context, pod *corev1.Pod) map[string][]byte {
	logs := map[string][]byte{}
	for _, c := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		for _, previous := range []bool{false, true} {
			options := &corev1.PodLogOptions{Container: c.Name, Previous: previous}
			text, err := s.clients.CoreV1().Pods(pod.Namespace).GetLogs(pod.Name, options).DoRaw(ctx)
			if err == nil && len(text) > 0 {
				logs[fmt.Sprintf("the log of %s/%s, container %s, previous: %t", pod.Namespace, pod.Name, c.Name, previous)] = text
			}
		}
	}
	return logs
}

// unpacked is what a report holds that is compressed in a message, and in the log behind it.
func unpacked(message string, logs map[string][]byte) (texts [][]byte) {
	m, err := result.DecodeMessage(message)
	if err != nil {
		return nil // no report
	}
	reports := []result.Report{m.Report}
	for _, log := range logs {
		if m.Trailer == nil {
			break
		}
		if report, err := result.DecodeTrailer(*m.Trailer, bytes.NewReader(log)); err == nil {
			reports = append(reports, report)
		}
	}
	for _, r := range reports {
		texts = append(texts, []byte(r.Message), r.Stdout.Data, r.Stderr.Data)
		for _, f := range r.Files {
			texts = append(texts, f.Data)
		}
	}
	return texts
}

// podLogsDir is where a node keeps the logs of its pods. The development cluster's is the machine that the
// tests run on.
const podLogsDir = "/var/log/pods"

// logFiles looks through the files of the logs, with those that were rotated away.
func (s *scan) logFiles() error {
	return filepath.WalkDir(podLogsDir, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // no such folder here, or gone meanwhile
		}
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		s.look(path, text)
		return err
	})
}
