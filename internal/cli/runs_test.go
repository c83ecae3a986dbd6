// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

func TestTheTableOfRuns(t *testing.T) {
	old := made("old").run(1, "pod").ended(v1alpha1.ReasonCommandFailed, 1)
	old.CreationTimestamp = metav1.NewTime(noon.Add(-50 * time.Hour))
	old.Status.Run.Duration = "1.5s"
	again := made("again").run(1, "pod").ended(v1alpha1.ReasonSucceeded, 0)
	again.run(2, "pod").running()
	again.Spec.Command = "gcloud projects list \\\n  --project=my-project"
	w := newWorld(t, old.GcloudRun, again.GcloudRun, made("new").GcloudRun)
	w.now = func() time.Time { return noon.Add(time.Minute) }
	for name, c := range map[string]struct {
		o      options
		colour bool
		want   string
	}{
		"of one namespace": {options{}, false, `NAME    REASON          EXIT   AGE    DURATION   COMMAND
again   Running                60s               gcloud projects list \ --project=my-project
new                            60s               gcloud projects list --project=my-project
old     CommandFailed   1      2d2h   1.5s       gcloud projects list --project=my-project
`},
		"of all, on a terminal": {options{allNamespaces: true}, true, "NAMESPACE   NAME    REASON          EXIT   AGE    DURATION   COMMAND\n" +
			"team        again   " + yellow + "Running" + plain + "                60s               gcloud projects list \\ --project=my-project\n" +
			"team        new                            60s               gcloud projects list --project=my-project\n" +
			"team        old     " + red + "CommandFailed" + plain + "   1      2d2h   1.5s       gcloud projects list --project=my-project\n"},
	} {
		t.Run(name, func(t *testing.T) {
			w.out.Reset()
			w.OutTerminal, w.Colour = c.colour, c.colour
			if code, err := listRuns(t.Context(), w.session, c.o); code != 0 || err != nil || w.out.String() != c.want {
				t.Errorf("%d, %v:\n%s\nwant\n%s", code, err, w.out.String(), c.want)
			}
		})
	}
}
