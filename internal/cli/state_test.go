// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

func TestWhatARunDoes(t *testing.T) {
	retry := made("a").run(1, "").pending()
	retry.Status.Run.RetryTime = &metav1.Time{Time: noon}
	for name, c := range map[string]struct {
		b    builder
		want string
	}{
		"nobody has looked at it":     {made("a"), "queued"},
		"the run was queued":          {made("a").run(1, "").pending(), "queued"},
		"it has a pod":                {made("a").run(1, "pod").pending(), "waiting for image and container"},
		"the command runs":            {made("a").run(1, "pod").running(), "running"},
		"the image can't be pulled":   {made("a").run(1, "pod").says(v1alpha1.ReasonImagePullFailed, "correct its name", false), "ImagePullFailed: correct its name"},
		"there is to be another try ": {retry, "waiting for the next attempt: The pod was made"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := phase(c.b.GcloudRun); got != c.want {
				t.Errorf("it is %q, want %q", got, c.want)
			}
		})
	}
}

func TestTheProgressStaysOnOneLine(t *testing.T) {
	for name, c := range map[string]struct {
		phase string
		took  time.Duration
		width int
		want  string
	}{
		"a wide terminal":        {"running", 65*time.Second + 400*time.Millisecond, 100, "name: running (1m5s)"},
		"one of unknown width":   {"queued", 0, 0, "name: queued (0s)"},
		"a narrow one":           {"Unschedulable: no node", time.Second, 20, "name: Unsched… (1s)"},
		"a message of two lines": {"NodeLost: a\nb", time.Second, 100, "name: NodeLost: a b (1s)"},
		"none at all":            {"running", time.Second, 3, "… (1s)"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := progress("name", c.phase, c.took, c.width); got != c.want {
				t.Errorf("it is %q, want %q", got, c.want)
			}
		})
	}
}

func TestWhenARunIsOver(t *testing.T) {
	handled := func(b builder, request string) builder {
		b.Status.LastHandledRequest = request
		return b
	}
	edited := made("a").run(1, "pod").ended(v1alpha1.ReasonSucceeded, 0)
	edited.Generation++
	for name, c := range map[string]struct {
		w      wanted
		b      builder
		over   bool
		number int64
	}{
		"it has not begun":                            {wanted{}, made("a"), false, 1},
		"it runs":                                     {wanted{}, made("a").run(1, "pod").running(), false, 1},
		"it has ended":                                {wanted{}, made("a").run(3, "pod").ended(v1alpha1.ReasonCommandFailed, 1), true, 3},
		"the spec has changed since":                  {wanted{}, edited, false, 1},
		"the one that was asked for is to come":       {wanted{request: "now"}, handled(made("a").run(1, "pod").ended(v1alpha1.ReasonSucceeded, 0), "before"), false, 2},
		"the one that was asked for has ended":        {wanted{request: "now"}, handled(made("a").run(2, "pod").ended(v1alpha1.ReasonSucceeded, 0), "now"), true, 2},
		"what was asked for can't be run":             {wanted{request: "now"}, handled(made("a").run(1, "pod").says(v1alpha1.ReasonInputMissing, "make it", true), "before"), true, 2},
		"it is held, and was never run":               {wanted{}, made("a").says(v1alpha1.ReasonHeld, "ask", false), false, 1},
		"it was made while the webhook was off":       {wanted{}, made("a").says(v1alpha1.ReasonInvalidSpec, "write", true), true, 1},
		"its first attempt has ended, and comes next": {wanted{}, made("a").run(1, "").pending(), false, 1},
	} {
		t.Run(name, func(t *testing.T) {
			if over, number := c.w.over(c.b.GcloudRun), c.w.number(c.b.GcloudRun); over != c.over || number != c.number {
				t.Errorf("run %d, over: %v; want run %d, over: %v", number, over, c.number, c.over)
			}
		})
	}
}
