// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"regexp"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

var (
	serviceAccountEmail = regexp.MustCompile(`^[a-z0-9][-a-z0-9.]*@([-a-z0-9]+\.)+gserviceaccount\.com$`)
	federationProvider  = regexp.MustCompile(`^projects/[0-9]+/locations/global/workloadIdentityPools/[-a-z0-9]+/providers/[-a-z0-9]+$`)
)

// Identity checks as whom a command is to act. The schema says the same, to who has a cluster. More than one email
// would be a chain of impersonations, of which a policy for one account sees nothing.
func Identity(at *field.Path, i v1alpha1.Identity) field.ErrorList {
	var errs field.ErrorList
	if i.SecretRef != nil && (i.ServiceAccountName != "" || i.WorkloadIdentityFederation != nil) {
		errs = append(errs, field.Invalid(at.Child("secretRef"), i.SecretRef.Name,
			"says by itself as whom the command acts: write either secretRef alone, or serviceAccountName and workloadIdentityFederation without it"))
	}
	if f := i.WorkloadIdentityFederation; f != nil && !federationProvider.MatchString(f.Provider) {
		errs = append(errs, field.Invalid(at.Child("workloadIdentityFederation", "provider"), shown(f.Provider),
			"must be the full name of a provider, with the project's number: write projects/NUMBER/locations/global/workloadIdentityPools/POOL/providers/PROVIDER"))
	}
	if email := i.ImpersonateServiceAccount; email != "" && !serviceAccountEmail.MatchString(email) {
		errs = append(errs, field.Invalid(at.Child("impersonateServiceAccount"), shown(email),
			"must be the email of one service account: write NAME@PROJECT_ID.iam.gserviceaccount.com"))
	}
	return errs
}
