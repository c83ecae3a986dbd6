// SPDX-License-Identifier: Apache-2.0

// Package read is what the kinds share that read from an API in place of executing a command. It is
// pure.
package read

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	configv1alpha1 "github.com/gcloud-operator/gcloud-operator/api/config/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/controllers/run"
	"github.com/gcloud-operator/gcloud-operator/controllers/run/decide"
	"github.com/gcloud-operator/gcloud-operator/internal/jobspec"
	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

const (
	defaultTimeout = 2 * time.Minute
	defaultAccount = "default"

	// credentials is the path at which the pod has the key that the spec names.
	credentials     = "credentials"
	credentialsFile = result.SecretInputsDir + "/" + credentials
)

// Identity says as whom an API is asked: at most one of the fields is set.
type Identity struct {
	ServiceAccountName   string
	SecretRef, APIKeyRef *v1alpha1.KeyRef
}

// Fields are those of the identity that decide what is read.
func (i Identity) Fields() map[string]string {
	f := map[string]string{}
	if i.ServiceAccountName != "" && i.ServiceAccountName != defaultAccount {
		f["identity/serviceAccountName"] = i.ServiceAccountName
	}
	if i.SecretRef != nil {
		f["identity/secretRef"] = i.SecretRef.Name + "/" + i.SecretRef.Key
	}
	if i.APIKeyRef != nil {
		f["identity/apiKeySecretRef"] = i.APIKeyRef.Name + "/" + i.APIKeyRef.Key
	}
	return f
}

// Plan is how the task is done: by the runner alone, as that identity.
func Plan(c configv1alpha1.OperatorConfiguration, i Identity, pod v1alpha1.PodSettings, timeout *metav1.Duration, task result.Fetch) jobspec.Plan {
	p := jobspec.Plan{
		Image:              c.Reads.Image,
		Fetch:              &task,
		Env:                run.NetworkEnvironment(c.Network),
		Timeout:            defaultTimeout,
		ServiceAccountName: i.ServiceAccountName,
		Resources:          c.Reads.Resources,
		CaptureBytes:       c.Results.CaptureBytes,
		KeepSecrets:        c.Results.KeepSecrets,
		TTL:                c.TTLAfterFinished.Duration,
	}
	if timeout != nil {
		p.Timeout = timeout.Duration
	}
	switch {
	case i.APIKeyRef != nil:
		task.Credentials.APIKeyFile = credentialsFile
		p.SecretInputs = []jobspec.SecretInput{{Path: credentials, Secret: i.APIKeyRef.Name, Key: i.APIKeyRef.Key}}
	case i.SecretRef != nil:
		task.Credentials.KeyFile = credentialsFile
		p.SecretInputs = []jobspec.SecretInput{{Path: credentials, Secret: i.SecretRef.Name, Key: i.SecretRef.Key}}
	default:
		task.Credentials.Anonymous = c.Reads.Anonymous
	}
	return run.InPod(p, c.Network, pod)
}

// Retry is what a spec asks for. A read may be repeated: what another attempt may mend is tried again,
// whether or not it was started.
func Retry(spec v1alpha1.Retry) decide.Retry {
	return run.RetryOf(spec, v1alpha1.ReasonTerminated, v1alpha1.ReasonEvicted, v1alpha1.ReasonPreempted,
		string(result.IdentityNotReady), string(result.RateLimited), string(result.Unavailable))
}
