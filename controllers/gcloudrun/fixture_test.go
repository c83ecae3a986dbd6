// SPDX-License-Identifier: Apache-2.0

package gcloudrun

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	configv1alpha1 "github.com/gcloud-operator/gcloud-operator/api/config/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/controllers/run"
	"github.com/gcloud-operator/gcloud-operator/internal/jobspec"
	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

type change = func(*v1alpha1.GcloudRun)

// gcloudRun returns a resource that breaks no rule, changed.
func gcloudRun(changes ...change) *v1alpha1.GcloudRun {
	g := &v1alpha1.GcloudRun{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "list", UID: "uid-1"},
		Spec:       v1alpha1.GcloudRunSpec{Project: "projects/my-project", Command: "gcloud compute instances list --project=my-project --format='value(name)'"},
	}
	for _, c := range changes {
		c(g)
	}
	return g
}

func inputs(files ...v1alpha1.InputFile) change {
	return func(g *v1alpha1.GcloudRun) { g.Spec.InputFiles = files }
}

func account(name string) change {
	return func(g *v1alpha1.GcloudRun) { g.Spec.Identity.ServiceAccountName = name }
}

const (
	provider = "projects/123456/locations/global/workloadIdentityPools/clusters/providers/prod-eu"
	deployer = "deployer@my-project.iam.gserviceaccount.com"
)

func key(g *v1alpha1.GcloudRun) {
	g.Spec.Identity.SecretRef = &v1alpha1.KeyRef{Name: "credentials", Key: "key.json"}
}

func federated(g *v1alpha1.GcloudRun) {
	g.Spec.Identity.WorkloadIdentityFederation = &v1alpha1.WorkloadIdentityFederation{Provider: provider}
}

func impersonating(g *v1alpha1.GcloudRun) { g.Spec.Identity.ImpersonateServiceAccount = deployer }

func timeout(d time.Duration) change {
	return func(g *v1alpha1.GcloudRun) { g.Spec.Timeout = &metav1.Duration{Duration: d} }
}

// kind is the kind under a configuration that sets everything.
func kind() Kind {
	return Kind{Config: configv1alpha1.OperatorConfiguration{
		Gcloud: configv1alpha1.Gcloud{
			Image: "gcloud:528", RunnerImage: "runner:1",
			Env:       []configv1alpha1.EnvVar{{Name: "HTTPS_PROXY", Value: "http://proxy:3128"}},
			Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("1Gi")}},
		},
		Results:          configv1alpha1.Results{CaptureBytes: 2000},
		TTLAfterFinished: &metav1.Duration{Duration: time.Hour},
	}}
}

// room is where the output of a run goes.
var room = run.Room{Inline: 1000}

var thirdRun = jobspec.Attempt{Owner: jobspec.Owner{Kind: "GcloudRun", Namespace: "team", Name: "list", UID: "uid-1"}, Number: 3, Attempt: 1, Key: "key"}

func stream(text string) result.Stream {
	c := result.NewCapture(1 << 20)
	_, _ = c.Write([]byte(text)) // never fails
	return c.Stream()
}

// underWay is for the third run of a resource.
func underWay(g *v1alpha1.GcloudRun) { g.Status.Run = &v1alpha1.Run{Number: 3} }
