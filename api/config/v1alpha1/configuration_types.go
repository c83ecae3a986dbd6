// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// OperatorConfiguration is the configuration file of the operator.
type OperatorConfiguration struct {
	metav1.TypeMeta `json:",inline"`

	// gcloud says how gcloud commands are executed.
	// +optional
	Gcloud Gcloud `json:"gcloud,omitzero"`

	// reads says how DocumentFetch and DataformFileRead ask their APIs.
	// +optional
	Reads Reads `json:"reads,omitzero"`

	// pods says what resources of all kinds may ask for in spec.pod.
	// +optional
	Pods Pods `json:"pods,omitzero"`

	// network says how the pods of all kinds get to Google.
	// +optional
	Network Network `json:"network,omitzero"`

	// commands says which commands may be run.
	// +optional
	Commands Commands `json:"commands,omitzero"`

	// results says how much of what a command prints is kept, and where.
	// +optional
	Results Results `json:"results,omitzero"`

	// newObjects says what becomes of a GcloudRun that the operator has never run: Run, the default, or
	// Hold. Held, it waits until its annotation gcloud-operator.dev/requested-at changes: so a cluster
	// that is made anew from Git, or restored without status, doesn't execute again what it once did.
	// +optional
	NewObjects NewObjects `json:"newObjects,omitempty"`

	// maxRunsPerNamespace is how many runs of one namespace may be under way at a time, of all kinds
	// together. What is over it waits as Queued, and the oldest begins when one ends. Where several runs
	// begin in the same moment that the operator is replaced, it may be one more for a while. Default 0:
	// as many as there are.
	// +optional
	MaxRunsPerNamespace int32 `json:"maxRunsPerNamespace,omitempty"`

	// imagePullPatience is how long an image that can't be pulled is tried again before the attempt is
	// given up. Default 1m, at most 5m.
	// +optional
	ImagePullPatience *metav1.Duration `json:"imagePullPatience,omitempty"`

	// ttlAfterFinished is how long a run's Job, and with it the pod and its log, stays after the
	// run's end. The resource itself stays. Default 1h.
	// +optional
	TTLAfterFinished *metav1.Duration `json:"ttlAfterFinished,omitempty"`
}

// NewObjects says what becomes of resources that the operator has never run.
type NewObjects string

const (
	// Run runs them.
	Run NewObjects = "Run"
	// Hold holds them until they are asked for.
	Hold NewObjects = "Hold"
)

// Gcloud says how gcloud commands are executed.
type Gcloud struct {
	// image is the image that has gcloud in it. Default: Google's published image, pinned.
	// +optional
	Image string `json:"image,omitempty"`

	// runnerImage is the image that the runner is copied from by an init container. Empty: image
	// has the runner in it, as /runner.
	// +optional
	RunnerImage string `json:"runnerImage,omitempty"`

	// env is added to the environment of every command, after the operator's own variables. It is
	// the place for endpoint overrides.
	// +optional
	Env []EnvVar `json:"env,omitempty"`

	// workloadIdentity says that the cluster's nodes have a metadata server that gives each pod the
	// identity of its ServiceAccount, as on GKE with Workload Identity Federation. A command whose
	// spec.identity names nothing else then waits for it, and asks it. By default commands never look
	// for a metadata server.
	// +optional
	WorkloadIdentity bool `json:"workloadIdentity,omitempty"`

	// stsEndpoint is the base URL of the Security Token Service, with a slash at the end, that
	// spec.identity.workloadIdentityFederation uses. Default: Google's.
	// +optional
	STSEndpoint string `json:"stsEndpoint,omitempty"`

	// resources are the requests and limits of the container that runs the command. Default:
	// requests of 100m CPU and 256Mi memory, limits of 1Gi memory and 2Gi ephemeral storage.
	// +optional
	Resources corev1.ResourceRequirements `json:"resources,omitzero"`
}

// Reads says how DocumentFetch and DataformFileRead ask their APIs.
type Reads struct {
	// image is an image that has the runner in it, as /runner: it needs nothing else. Default:
	// gcloud.runnerImage, and where that is empty, too, gcloud.image.
	// +optional
	Image string `json:"image,omitempty"`

	// developerKnowledgeEndpoint is the base URL of the Developer Knowledge API, with a slash at the
	// end. Default: Google's.
	// +optional
	DeveloperKnowledgeEndpoint string `json:"developerKnowledgeEndpoint,omitempty"`

	// dataformEndpoint is the base URL of the Dataform API, with a slash at the end: a regional one,
	// for example. Default: Google's.
	// +optional
	DataformEndpoint string `json:"dataformEndpoint,omitempty"`

	// anonymous asks without credentials where spec.identity names no Secret. It is for endpoints
	// that need none, such as those of tests.
	// +optional
	Anonymous bool `json:"anonymous,omitempty"`

	// resources are the requests and limits of the container that reads. Default: requests of 50m
	// CPU and 64Mi memory, limits of 256Mi memory and 256Mi ephemeral storage.
	// +optional
	Resources corev1.ResourceRequirements `json:"resources,omitzero"`
}

// Pods says what resources may ask for in spec.pod.
type Pods struct {
	// maxResources is the most that may be asked for, by resource, as a request or a limit. What isn't
	// named may be asked for in any amount.
	// +optional
	MaxResources corev1.ResourceList `json:"maxResources,omitempty"`

	// allowedPriorityClasses are the PriorityClasses that may be named. Default: all but Kubernetes' own.
	// +optional
	AllowedPriorityClasses []string `json:"allowedPriorityClasses,omitempty"`
}

// Network says how the pods of all kinds get to Google. All of it stands in the pods, so whoever may
// read pods can read it: a proxy's URL is no place for a password.
type Network struct {
	// httpsProxy is the URL of the proxy for requests to https URLs, which are all that Google's APIs
	// take.
	// +optional
	HTTPSProxy string `json:"httpsProxy,omitempty"`

	// httpProxy is the URL of the proxy for requests to http URLs.
	// +optional
	HTTPProxy string `json:"httpProxy,omitempty"`

	// noProxy are the hosts that are asked without a proxy, with commas between them, as in the variable
	// NO_PROXY. The metadata server is always among them.
	// +optional
	NoProxy string `json:"noProxy,omitempty"`

	// caBundle are certificates, in PEM, that are trusted beside those of the image: that of a proxy
	// that looks into requests, for example. At most 32 KiB.
	// +optional
	CABundle string `json:"caBundle,omitempty"`
}

// EnvVar is a variable of the environment.
type EnvVar struct {
	// name of the variable.
	// +required
	Name string `json:"name"`
	// value of the variable, as it is: nothing is expanded.
	// +required
	Value string `json:"value"`
}

// Results says how much of what a command prints is kept, and where.
type Results struct {
	// inlineBytes is how many bytes of a run's output stand in the status itself, as they are
	// encoded there, for everything together. What is larger goes to ConfigMaps. Default 65536, at
	// most 262144.
	// +optional
	InlineBytes int64 `json:"inlineBytes,omitempty"`

	// keepSecrets leaves tokens and private keys in what commands print and write. By default they
	// are replaced by [redacted]; docs/redaction.md says what is found. What goes to a Secret
	// (spec.output.secretName) is never redacted.
	// +optional
	KeepSecrets bool `json:"keepSecrets,omitempty"`

	// captureBytes is how many bytes of a run's output are kept at all, for everything together.
	// Default 4194304, at most 6291456: pass-through and report together stay below the size at which the
	// kubelet rotates a container's log.
	// +optional
	CaptureBytes int64 `json:"captureBytes,omitempty"`
}

// Commands says which commands may be run. docs/rules.md has the rules.
type Commands struct {
	// modes are the modes of rules, by the rule's id: Enforce, Warn or Off. A rule that isn't named
	// has its default.
	// +optional
	Modes map[string]string `json:"modes,omitempty"`

	// forbidden extends the list of forbidden commands: the words after gcloud, such as "compute
	// ssh". What is below a forbidden group is forbidden too, in every release track.
	// +optional
	Forbidden []string `json:"forbidden,omitempty"`

	// allowedCommands are globs, such as "compute instances *"; if there are any, a command must
	// match one of them, without its release track.
	// +optional
	AllowedCommands []string `json:"allowedCommands,omitempty"`

	// deniedCommands are globs that a command must not match, without its release track.
	// +optional
	DeniedCommands []string `json:"deniedCommands,omitempty"`

	// allowedProjects are globs of the project ids and numbers that the resources of a namespace may
	// name; "*" stands for the namespaces that aren't named. A namespace without an entry may name
	// every project.
	// +optional
	AllowedProjects map[string][]string `json:"allowedProjects,omitempty"`

	// allowedImpersonations are globs of the emails of the service accounts that the resources of a
	// namespace may impersonate; "*" stands for the namespaces that aren't named. A namespace without
	// an entry may impersonate every one that IAM lets it.
	// +optional
	AllowedImpersonations map[string][]string `json:"allowedImpersonations,omitempty"`
}
