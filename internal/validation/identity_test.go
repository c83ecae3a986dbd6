// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	configv1alpha1 "github.com/gcloud-operator/gcloud-operator/api/config/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/command"
)

const (
	provider = "projects/123456/locations/global/workloadIdentityPools/clusters/providers/prod-eu"
	deployer = "deployer@my-project.iam.gserviceaccount.com"
)

func TestIdentityIsOneAndIsNamedInFull(t *testing.T) {
	key := &v1alpha1.KeyRef{Name: "credentials", Key: "key.json"}
	federation := func(p string) *v1alpha1.WorkloadIdentityFederation {
		return &v1alpha1.WorkloadIdentityFederation{Provider: p}
	}
	impersonate := func(email string) v1alpha1.Identity {
		return v1alpha1.Identity{ImpersonateServiceAccount: email}
	}
	for name, c := range map[string]struct {
		identity v1alpha1.Identity
		want     string // the field that is refused, and what to write
	}{
		"none":                              {v1alpha1.Identity{}, ""},
		"a key":                             {v1alpha1.Identity{SecretRef: key}, ""},
		"a key that impersonates":           {v1alpha1.Identity{SecretRef: key, ImpersonateServiceAccount: deployer}, ""},
		"federation of an account":          {v1alpha1.Identity{ServiceAccountName: "deployer", WorkloadIdentityFederation: federation(provider)}, ""},
		"all but a key":                     {v1alpha1.Identity{ServiceAccountName: "deployer", WorkloadIdentityFederation: federation(provider), ImpersonateServiceAccount: deployer}, ""},
		"a key and an account":              {v1alpha1.Identity{SecretRef: key, ServiceAccountName: "deployer"}, "spec.identity.secretRef: either secretRef alone"},
		"a key and federation":              {v1alpha1.Identity{SecretRef: key, WorkloadIdentityFederation: federation(provider)}, "spec.identity.secretRef: either secretRef alone"},
		"a provider by the project's id":    {v1alpha1.Identity{WorkloadIdentityFederation: federation(strings.Replace(provider, "123456", "my-project", 1))}, "spec.identity.workloadIdentityFederation.provider: write projects/NUMBER/"},
		"a provider as audience":            {v1alpha1.Identity{WorkloadIdentityFederation: federation("//iam.googleapis.com/" + provider)}, "spec.identity.workloadIdentityFederation.provider: write projects/NUMBER/"},
		"a pool without a provider":         {v1alpha1.Identity{WorkloadIdentityFederation: federation("projects/1/locations/global/workloadIdentityPools/clusters")}, "spec.identity.workloadIdentityFederation.provider: write projects/NUMBER/"},
		"no provider":                       {v1alpha1.Identity{WorkloadIdentityFederation: federation("")}, "spec.identity.workloadIdentityFederation.provider: write projects/NUMBER/"},
		"the default account of App Engine": {impersonate("my-project@appspot.gserviceaccount.com"), ""},
		"the default account of Compute":    {impersonate("123-compute@developer.gserviceaccount.com"), ""},
		"an account of a domain's project":  {impersonate("a@project.example.com.iam.gserviceaccount.com"), ""},
		"a person":                          {impersonate("somebody@example.com"), "spec.identity.impersonateServiceAccount: write NAME@PROJECT_ID.iam"},
		"a name alone":                      {impersonate("deployer"), "spec.identity.impersonateServiceAccount: write NAME@PROJECT_ID.iam"},
		"a chain of accounts":               {impersonate("a@p.iam.gserviceaccount.com," + deployer), "spec.identity.impersonateServiceAccount: one service account"},
		"a line end":                        {impersonate(deployer + "\n"), "spec.identity.impersonateServiceAccount: one service account"},
	} {
		t.Run(name, func(t *testing.T) {
			errs := Identity(field.NewPath("spec", "identity"), c.identity)
			at, fix, _ := strings.Cut(c.want, ": ")
			switch {
			case c.want == "" && len(errs) > 0:
				t.Errorf("refused: %v", errs)
			case c.want != "" && (len(errs) != 1 || errs[0].Field != at || !strings.Contains(errs[0].Detail, fix)):
				t.Errorf("got %v, want %s", errs, c.want)
			}
		})
	}
}

func TestIdentityIsCheckedWithTheRestOfTheSpec(t *testing.T) {
	policy := command.Policy{AllowedImpersonations: map[string][]string{"team": {"reader@*"}}}
	g := resource(func(g *v1alpha1.GcloudRun) {
		g.Spec.Identity = v1alpha1.Identity{ImpersonateServiceAccount: deployer, WorkloadIdentityFederation: &v1alpha1.WorkloadIdentityFederation{Provider: "p"}}
	})
	_, errs, _ := GcloudRun(policy, configv1alpha1.Pods{}, g)
	got := Explain(errs)
	for _, want := range []string{
		`spec.identity.impersonateServiceAccount: namespace "team" may not impersonate "` + deployer + `". Use one of: reader@*. (ImpersonationPolicy)`,
		"spec.identity.workloadIdentityFederation.provider: must be the full name",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("got %q, which lacks %q", got, want)
		}
	}
}
