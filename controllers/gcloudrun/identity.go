// SPDX-License-Identifier: Apache-2.0

package gcloudrun

import (
	"encoding/json"

	corev1 "k8s.io/api/core/v1"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/jobspec"
	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

const (
	keyFile   = result.IdentityDir + "/" + result.KeyName
	tokenFile = result.IdentityDir + "/" + result.TokenName
)

// identityFields are those of the identity that decide as whom the command acts. What a Secret holds isn't known here.
func identityFields(i v1alpha1.Identity) map[string]string {
	f := map[string]string{}
	if i.ServiceAccountName != "" && i.ServiceAccountName != defaultAccount {
		f["identity/serviceAccountName"] = i.ServiceAccountName
	}
	if i.SecretRef != nil {
		f["identity/secretRef"] = i.SecretRef.Name + "/" + i.SecretRef.Key
	}
	if i.WorkloadIdentityFederation != nil {
		f["identity/workloadIdentityFederation/provider"] = i.WorkloadIdentityFederation.Provider
	}
	if i.ImpersonateServiceAccount != "" {
		f["identity/impersonateServiceAccount"] = i.ImpersonateServiceAccount
	}
	return f
}

// identity is what the pod gets for the spec's identity.
func (k Kind) identity(i v1alpha1.Identity) jobspec.Identity {
	switch {
	case i.SecretRef != nil:
		return jobspec.Identity{Key: i.SecretRef}
	case i.WorkloadIdentityFederation != nil:
		provider := i.WorkloadIdentityFederation.Provider
		return jobspec.Identity{Federation: &jobspec.Federation{
			// It is never one that the API server, or anybody else in the cluster, takes a token with.
			Audience: "https://iam.googleapis.com/" + provider,
			Config:   federation(provider, k.Config.Gcloud.STSEndpoint),
		}}
	}
	return jobspec.Identity{Metadata: k.Config.Gcloud.WorkloadIdentity}
}

// federation is the configuration with which gcloud exchanges the pod's token.
func federation(provider, stsEndpoint string) string {
	type source struct {
		File string `json:"file"`
	}
	text, err := json.Marshal(struct {
		Type             string `json:"type"`
		Audience         string `json:"audience"`
		SubjectTokenType string `json:"subject_token_type"`
		TokenURL         string `json:"token_url"`
		TokenInfoURL     string `json:"token_info_url"`
		CredentialSource source `json:"credential_source"`
	}{
		Type:             "external_account",
		Audience:         "//iam.googleapis.com/" + provider,
		SubjectTokenType: "urn:ietf:params:oauth:token-type:jwt",
		TokenURL:         stsEndpoint + "v1/token",
		TokenInfoURL:     stsEndpoint + "v1/introspect",
		CredentialSource: source{File: tokenFile},
	})
	if err != nil {
		panic("encoding strings: " + err.Error())
	}
	return string(text)
}

// identityEnvironment tells gcloud where its credentials are, and to look for no others. A look for a metadata server
// where there is none costs a command many seconds.
func identityEnvironment(i jobspec.Identity, impersonate string) []corev1.EnvVar {
	var env []corev1.EnvVar
	set := func(name, value string) { env = append(env, corev1.EnvVar{Name: name, Value: value}) }
	switch {
	case i.Key != nil:
		set("CLOUDSDK_AUTH_CREDENTIAL_FILE_OVERRIDE", keyFile)
	case i.Federation != nil:
		set("CLOUDSDK_AUTH_CREDENTIAL_FILE_OVERRIDE", result.FederationFile)
	}
	if i.Key != nil || i.Federation != nil {
		// The administrator's variables may turn credentials off for the commands that name none.
		set("CLOUDSDK_AUTH_DISABLE_CREDENTIALS", "false")
	}
	if !i.Metadata {
		set("CLOUDSDK_CORE_CHECK_GCE_METADATA", "false")
	}
	if impersonate != "" {
		set("CLOUDSDK_AUTH_IMPERSONATE_SERVICE_ACCOUNT", impersonate)
	}
	return env
}
