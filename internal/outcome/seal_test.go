// SPDX-License-Identifier: Apache-2.0

package outcome

import (
	"io"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/jobspec"
	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

// told gives the pod's container a task.
func told(task string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.Containers = []corev1.Container{
			{Name: "proxy", Env: []corev1.EnvVar{{Name: result.TaskEnv, Value: result.Task{}.Encode()}}},
			{Name: jobspec.ContainerName, Env: []corev1.EnvVar{{Name: "HOME", Value: "/"}, {Name: result.TaskEnv, Value: task}}},
		}
	}
}

func sealedReport(t *testing.T) string {
	t.Helper()
	seal := func(w io.Writer) (io.WriteCloser, error) { return nopCloser{w}, nil } // nobody looks inside
	m, _, err := result.Encode(report(), result.Limits{MessageBytes: result.DefaultMessageBytes, Seal: seal})
	if err != nil {
		t.Fatal(err)
	}
	return string(m)
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

func TestAReportInClearIsRefusedWhereASealedOneWasAskedFor(t *testing.T) {
	sealed, plain := result.Task{SealTo: "age1x"}.Encode(), result.Task{}.Encode()
	inClear := message(t, exit(1), stderr("ERROR: the-password\n"))
	long, _ := encoded(t, report(much, exit(1), stderr("ERROR: the-password\n")))
	never := message(t, because(result.InputsChanged, "the-password"))
	for name, c := range map[string]struct {
		task, text string
		refused    bool
	}{
		"a sealed one was asked for":                        {sealed, inClear, true},
		"its rest would be in the log":                      {sealed, long, true},
		"it says that nothing was started":                  {sealed, never, true},
		"its body is lost":                                  {sealed, inClear[:len(inClear)-1], true},
		"the task is a later operator's":                    {`{"novel":1,"sealTo":"age1x"}`, inClear, true},
		"none was asked for":                                {plain, inClear, false},
		"it is sealed":                                      {sealed, sealedReport(t), false},
		"it is sealed, though the task didn't ask for that": {plain, sealedReport(t), false},
		"there is no task to be seen":                       {"", inClear, false},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := result.DecodeMessage(c.text)
			if err != nil {
				t.Fatal(err)
			}
			pod := podWith(told(c.task), command(ended(int32(m.Report.ProcessExitCode()), "", c.text)))
			o := OfPod(pod, thisRun, nil, afterwards)
			if c.refused && (o.Reason != v1alpha1.ReasonResultLost || o.Report != nil || o.NeverRan || strings.Contains(o.Message, "the-password")) {
				t.Errorf("it is believed: %+v", o)
			}
			if !c.refused && o.Report == nil {
				t.Errorf("it is refused: %+v", o)
			}
			if c.refused && Incomplete(pod, thisRun) != nil {
				t.Error("its log is read")
			}
		})
	}
}
