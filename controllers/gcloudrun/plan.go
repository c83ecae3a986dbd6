// SPDX-License-Identifier: Apache-2.0

package gcloudrun

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	configv1alpha1 "github.com/gcloud-operator/gcloud-operator/api/config/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/controllers/run"
	"github.com/gcloud-operator/gcloud-operator/controllers/run/decide"
	"github.com/gcloud-operator/gcloud-operator/internal/command"
	"github.com/gcloud-operator/gcloud-operator/internal/jobspec"
	"github.com/gcloud-operator/gcloud-operator/internal/output"
	"github.com/gcloud-operator/gcloud-operator/internal/result"
	"github.com/gcloud-operator/gcloud-operator/internal/validation"
)

const (
	defaultTimeout = 10 * time.Minute
	defaultAccount = "default"
)

// Intent says what the spec asks for. The command is checked as the webhook checks it, which may
// have been off; what is executed are the words of this very parse.
func (k Kind) Intent(g *v1alpha1.GcloudRun, sources run.Sources) run.Intent {
	in, missing := resolve(g.Spec.InputFiles, sources)
	intent := run.Intent{
		Suspended: g.Spec.Suspend, Hold: k.Config.NewObjects == configv1alpha1.Hold, Interval: run.Every(g.Spec.Interval), Fields: fields(g.Spec, in),
		SuccessExitCodes: g.Spec.SuccessExitCodes, Retry: run.RetryOf(g.Spec.Retry.Retry, g.Spec.Retry.Reasons...),
	}
	cmd, errs, _ := validation.GcloudRun(k.Policy, k.Config.Pods, g)
	switch {
	case len(errs) > 0:
		intent.Refusal = &decide.Refusal{Reason: v1alpha1.ReasonInvalidSpec, Message: validation.Explain(errs)}
	case missing != "":
		intent.Refusal = &decide.Refusal{Reason: v1alpha1.ReasonInputMissing, Message: missing}
	default:
		intent.Plan = k.plan(g.Spec, cmd, in)
	}
	return intent
}

// fields are those that decide what is executed. A timeout, or which files come back, doesn't; nor
// does it matter whether a default is written.
func fields(spec v1alpha1.GcloudRunSpec, in resolved) map[string]string {
	f := identityFields(spec.Identity)
	f["project"], f["command"] = spec.Project, spec.Command
	for _, file := range in.files {
		sum := sha256.Sum256([]byte(file.Contents))
		f["inputFiles/"+file.Path] = hex.EncodeToString(sum[:])
	}
	for _, s := range in.secrets {
		f["inputFiles/"+s.Path] = "Secret " + s.Secret + "/" + s.Key
	}
	if spec.Output.SecretName != "" {
		f["output/secretName"] = spec.Output.SecretName
	}
	return f
}

func (k Kind) plan(spec v1alpha1.GcloudRunSpec, cmd command.Command, in resolved) jobspec.Plan {
	identity := k.identity(spec.Identity)
	p := jobspec.Plan{
		Image:              k.Config.Gcloud.Image,
		RunnerImage:        k.Config.Gcloud.RunnerImage,
		Argv:               cmd.Argv,
		Env:                append(k.environment(spec, cmd), identityEnvironment(identity, spec.Identity.ImpersonateServiceAccount)...),
		OutputFiles:        spec.OutputFiles,
		Timeout:            defaultTimeout,
		ServiceAccountName: spec.Identity.ServiceAccountName,
		Identity:           identity,
		Resources:          k.Config.Gcloud.Resources,
		Inputs:             in.files,
		SecretInputs:       in.secrets,
		CaptureBytes:       k.Config.Results.CaptureBytes,
		KeepSecrets:        k.Config.Results.KeepSecrets,
		TTL:                k.Config.TTLAfterFinished.Duration,
	}
	if spec.Timeout != nil {
		p.Timeout = spec.Timeout.Duration
	}
	if spec.Output.SecretName != "" {
		p.OutputSecret, p.SealTo = spec.Output.SecretName, k.SealTo
		p.CaptureBytes = min(p.CaptureBytes, output.MaxSecretBytes)
	}
	return run.InPod(p, k.Config.Network, spec.Pod)
}

// environment makes gcloud behave the same everywhere: no prompts, no reports, no look-ups, nothing
// written but into the pod's own volume. The administrator's variables come last, and win; only as whom a command
// acts is the spec's to say.
func (k Kind) environment(spec v1alpha1.GcloudRunSpec, cmd command.Command) []corev1.EnvVar {
	project := strings.TrimPrefix(spec.Project, "projects/")
	env := []corev1.EnvVar{
		{Name: "HOME", Value: result.HomeDir},
		{Name: "TMPDIR", Value: result.TempDir},
		{Name: "CLOUDSDK_CONFIG", Value: result.ConfigDir},
		{Name: "CLOUDSDK_BILLING_QUOTA_PROJECT", Value: project},
		{Name: "CLOUDSDK_CORE_DISABLE_PROMPTS", Value: "1"},
		{Name: "CLOUDSDK_CORE_DISABLE_FILE_LOGGING", Value: "true"},
		{Name: "CLOUDSDK_CORE_DISABLE_USAGE_REPORTING", Value: "true"},
		{Name: "CLOUDSDK_CORE_SHOULD_PROMPT_TO_ENABLE_API", Value: "false"},
		{Name: "CLOUDSDK_COMPONENT_MANAGER_DISABLE_UPDATE_CHECK", Value: "true"},
		{Name: "CLOUDSDK_SURVEY_DISABLE_PROMPTS", Value: "true"},
		{Name: "CLOUDSDK_METRICS_ENVIRONMENT", Value: "gcloud-operator"},
		{Name: "COLUMNS", Value: "200"},
	}
	// A command that names only who pays means that project's resources, too.
	if billing, ok := cmd.Flag("--billing-project"); ok {
		env = append(env, corev1.EnvVar{Name: "CLOUDSDK_CORE_PROJECT", Value: billing})
	}
	env = append(env, run.NetworkEnvironment(k.Config.Network)...)
	for _, v := range k.Config.Gcloud.Env {
		env = append(env, corev1.EnvVar{Name: v.Name, Value: v.Value})
	}
	return env
}
