// SPDX-License-Identifier: Apache-2.0

package jobspec

import (
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

const (
	// ContainerName is the name of the container that executes the command.
	ContainerName = "command"

	workspaceVolumeName = "workspace"
	inputsVolumeName    = "inputs"
	secretsVolumeName   = "secret-inputs"
	identityVolumeName  = "identity"
	runnerVolumeName    = "runner"

	// runnerDir is where the init container puts the runner when the image doesn't have it.
	runnerDir = "/opt/gcloud-operator"

	nonRoot = 65532
)

const (
	// StartWindow is how long after it was let go a pod may start its command: long enough for the
	// image to be pulled, short enough that a node made anew under its old name isn't back yet.
	StartWindow = 5 * time.Minute

	// GracePeriod is how long a pod has to end when it is asked to: the runner stops the command in
	// steps, writes its report, and leaves the controller time to read it.
	GracePeriod = 30 * time.Second

	// deadlineMargin is what the pod's own deadline leaves the runner to keep the timeout itself.
	deadlineMargin = time.Minute
)

// Job returns the Job that executes one attempt.
func Job(p Plan, a Attempt) *batchv1.Job {
	meta := a.Meta(a.JobName())
	meta.Labels = merge(p.JobLabels, meta.Labels)
	return &batchv1.Job{
		ObjectMeta: meta,
		Spec: batchv1.JobSpec{
			// A pod that is gone, or has failed, is never replaced: the command may have acted.
			BackoffLimit:            new(int32(0)),
			PodReplacementPolicy:    new(batchv1.Failed),
			PodFailurePolicy:        failOnAnyDisruption(),
			TTLSecondsAfterFinished: new(int32(p.TTL.Seconds())),
			Template: corev1.PodTemplateSpec{
				ObjectMeta: podMeta(p, a),
				Spec:       podSpec(p, a),
			},
		},
	}
}

// failOnAnyDisruption ends the Job, in place of a new pod, when its pod is evicted or preempted.
func failOnAnyDisruption() *batchv1.PodFailurePolicy {
	return &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{{
		Action: batchv1.PodFailurePolicyActionFailJob,
		OnPodConditions: []batchv1.PodFailurePolicyOnPodConditionsPattern{{
			Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue,
		}},
	}}}
}

func podSpec(p Plan, a Attempt) corev1.PodSpec {
	s := corev1.PodSpec{
		RestartPolicy:                 corev1.RestartPolicyNever,
		SchedulingGates:               []corev1.PodSchedulingGate{{Name: v1alpha1.SchedulingGate}},
		ActiveDeadlineSeconds:         new(int64(deadline(p).Seconds())),
		TerminationGracePeriodSeconds: new(int64(GracePeriod.Seconds())),
		ServiceAccountName:            p.ServiceAccountName,
		AutomountServiceAccountToken:  new(false),
		EnableServiceLinks:            new(false),
		SecurityContext: &corev1.PodSecurityContext{
			RunAsNonRoot:   new(true),
			RunAsUser:      new(int64(nonRoot)),
			RunAsGroup:     new(int64(nonRoot)),
			SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
		},
		InitContainers: initContainers(p),
		Containers:     []corev1.Container{commandContainer(p, a)},
		Volumes:        volumes(p, a),
	}
	place(&s, p.Pod)
	return s
}

// deadline is the pod's, which keeps message and log, and not the Job's, which deletes both. It is a
// backstop: the runner keeps the timeout.
func deadline(p Plan) time.Duration { return StartWindow + p.Timeout + GracePeriod + deadlineMargin }

func commandContainer(p Plan, a Attempt) corev1.Container {
	return corev1.Container{
		Name:                     ContainerName,
		Image:                    p.Image,
		ImagePullPolicy:          corev1.PullIfNotPresent,
		Command:                  []string{runnerPath(p), "run"},
		WorkingDir:               result.WorkspaceDir,
		Env:                      containerEnv(p, a),
		Resources:                p.Resources,
		VolumeMounts:             mounts(p),
		SecurityContext:          restricted(),
		TerminationMessagePath:   corev1.TerminationMessagePathDefault,
		TerminationMessagePolicy: corev1.TerminationMessageReadFile,
	}
}

// containerEnv is the plan's environment, and what the runner is told, which it keeps to itself.
func containerEnv(p Plan, a Attempt) []corev1.EnvVar {
	env := make([]corev1.EnvVar, 0, len(p.Env)+2)
	for _, v := range p.Env {
		env = append(env, corev1.EnvVar{Name: v.Name, Value: literal(v.Value)})
	}
	if p.CABundle != "" {
		env = append(env, corev1.EnvVar{Name: result.CABundleEnv, Value: literal(p.CABundle)})
	}
	return append(env,
		corev1.EnvVar{Name: result.TaskEnv, Value: p.task(a).Encode()},
		corev1.EnvVar{Name: result.StartBeforeEnv, ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{
			APIVersion: "v1", FieldPath: "metadata.annotations['" + v1alpha1.StartBeforeAnnotation + "']",
		}}},
	)
}

// literal keeps the kubelet from expanding $(NAME) in a value.
func literal(value string) string { return strings.ReplaceAll(value, "$", "$$") }

func initContainers(p Plan) []corev1.Container {
	if p.RunnerImage == "" {
		return nil
	}
	return []corev1.Container{{
		Name:                   "runner",
		Image:                  p.RunnerImage,
		ImagePullPolicy:        corev1.PullIfNotPresent,
		Command:                []string{imageRunnerPath, "install", runnerDir + imageRunnerPath},
		Resources:              p.Resources,
		VolumeMounts:           []corev1.VolumeMount{{Name: runnerVolumeName, MountPath: runnerDir}},
		SecurityContext:        restricted(),
		TerminationMessagePath: corev1.TerminationMessagePathDefault,
		// What it prints when it fails is all that there is to say why the run never started.
		TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
	}}
}

// imageRunnerPath is where an image that has the runner has it.
const imageRunnerPath = "/runner"

func runnerPath(p Plan) string {
	if p.RunnerImage == "" {
		return imageRunnerPath
	}
	return runnerDir + imageRunnerPath
}

func restricted() *corev1.SecurityContext {
	return &corev1.SecurityContext{
		AllowPrivilegeEscalation: new(false),
		ReadOnlyRootFilesystem:   new(true),
		Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
	}
}

func mounts(p Plan) []corev1.VolumeMount {
	m := []corev1.VolumeMount{{Name: workspaceVolumeName, MountPath: result.WorkspaceDir}}
	if len(p.Inputs) > 0 {
		m = append(m, inputsMount())
	}
	if len(p.SecretInputs) > 0 {
		m = append(m, corev1.VolumeMount{Name: secretsVolumeName, MountPath: result.SecretInputsDir, ReadOnly: true})
	}
	if p.Identity.mounted() {
		m = append(m, corev1.VolumeMount{Name: identityVolumeName, MountPath: result.IdentityDir, ReadOnly: true})
	}
	if p.RunnerImage != "" {
		m = append(m, corev1.VolumeMount{Name: runnerVolumeName, MountPath: runnerDir, ReadOnly: true})
	}
	return m
}

func volumes(p Plan, a Attempt) []corev1.Volume {
	v := []corev1.Volume{emptyDir(workspaceVolumeName)}
	if len(p.Inputs) > 0 {
		v = append(v, inputsVolume(p, a))
	}
	if len(p.SecretInputs) > 0 {
		v = append(v, secretsVolume(p))
	}
	if p.Identity.mounted() {
		v = append(v, identityVolume(p))
	}
	if p.RunnerImage != "" {
		v = append(v, emptyDir(runnerVolumeName))
	}
	return v
}

func emptyDir(name string) corev1.Volume {
	return corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}
}
