// SPDX-License-Identifier: Apache-2.0

package crash

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

func TestARunEndsAlthoughTheClusterRefusesToKeepItsOutput(t *testing.T) {
	for _, c := range []struct {
		path  path
		wants string
	}{
		{path{name: "a quota allows no ConfigMaps", meanwhile: allowNoConfigMaps}, "exceeded quota"},
		{path{name: "the Secret was made immutable", meanwhile: freezeSecret,
			change: func(g *v1alpha1.GcloudRun) { g.Spec.Output.SecretName = "output" }}, "immutable"},
	} {
		t.Run(c.path.name, func(t *testing.T) {
			c.path.stdout, c.path.when = 2000, chosen
			c.path.exitCode, c.path.reasons = 3, []string{v1alpha1.ReasonCommandFailed}
			c.path.executed = map[string]int{first: 1}
			g := walk(t, c.path, &killer{})
			r := g.Status.Response
			if r == nil || r.ExitCode == nil || *r.ExitCode != 3 {
				t.Fatalf("the response is %+v", r)
			}
			if info := r.StdoutInfo; !info.Truncated || info.Bytes != 2000 || info.ConfigMaps != nil || info.Secret != nil {
				t.Errorf("of stdout there is %+v", info)
			}
			finished := meta.FindStatusCondition(g.Status.Conditions, v1alpha1.ConditionFinished)
			for _, message := range []string{g.Status.Run.Message, finished.Message} {
				if !strings.Contains(message, "the output is lost") || !strings.Contains(message, c.wants) {
					t.Errorf("the message doesn't tell that it is lost, or not why: %s", message)
				}
			}
			if after := finished.LastTransitionTime.Sub(g.Status.Run.CompletionTime.Time); after < 2*time.Minute {
				t.Errorf("it was given up %s after the command's end", after)
			}
		})
	}
}

// allowNoConfigMaps does with a quota what the quota controller does, which doesn't run here.
func allowNoConfigMaps(t *testing.T, g *v1alpha1.GcloudRun) {
	none := corev1.ResourceList{"count/configmaps": resource.MustParse("0")}
	quota := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: g.Namespace, Name: "none"}, Spec: corev1.ResourceQuotaSpec{Hard: none}}
	if err := api.Create(t.Context(), quota); err != nil {
		t.Fatal(err)
	}
	quota.Status = corev1.ResourceQuotaStatus{Hard: none, Used: none}
	if err := api.Status().Update(t.Context(), quota); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		probe := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: g.Namespace, Name: "probe"}}
		if apierrors.IsForbidden(api.Create(t.Context(), probe, client.DryRunAll)) {
			return
		}
	}
	t.Fatal("the quota allows a ConfigMap still")
}

func freezeSecret(t *testing.T, g *v1alpha1.GcloudRun) {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: g.Namespace, Name: g.Spec.Output.SecretName}}
	if err := api.Patch(t.Context(), secret, client.RawPatch("application/merge-patch+json", []byte(`{"immutable":true}`))); err != nil {
		t.Fatal(err)
	}
}
