// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"strings"
	"testing"
)

// The namespace enforces the restricted Pod Security Standard, so that the pod runs at all is half of
// the test.
func TestThePodHasNoWayIntoTheCluster(t *testing.T) {
	pod := podOf(t, gcloudRun("isolated", "gcloud version --project=my-project").succeed(t))

	for _, v := range pod.Spec.Volumes {
		if v.Projected != nil || v.Secret != nil || v.HostPath != nil {
			t.Errorf("volume %s brings something in: %+v", v.Name, v.VolumeSource)
		}
	}
	for _, c := range pod.Spec.Containers {
		for _, m := range c.VolumeMounts {
			if strings.HasPrefix(m.MountPath, "/var/run/secrets") {
				t.Errorf("%s is mounted", m.MountPath)
			}
		}
	}
}

func TestAPodIsFreeOnceItsReportIsRead(t *testing.T) {
	expectReleased(t, gcloudRun("released", "gcloud version --project=my-project").succeed(t))
}
