// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

// The test stands in for Kueue: it suspends Jobs that name a queue as they are made, admits them with the nodes of a
// flavor, and takes the room back.
func TestAQueueDecidesWhenARunBegins(t *testing.T) {
	p := serveTopics(t)
	suspendQueuedJobs(t)
	b := gcloudRun("queued", describe("queued"))
	b.Labels = map[string]string{v1alpha1.KueueQueueLabel: "team-queue", v1alpha1.KueuePriorityLabel: "low"}
	b.apply(t)
	job := b.jobInQueue(t)
	if job.Labels[v1alpha1.KueuePriorityLabel] != "low" {
		t.Errorf("the Job has the labels %v", job.Labels)
	}
	p.expectExecutions(t, "queued", 0)

	admit(t, job)
	expectReason(t, b.ended(t, 1), v1alpha1.ReasonSucceeded)
	p.expectExecutions(t, "queued", 1)
	if pod := podOf(t, b.current(t)); pod.Spec.NodeSelector[corev1.LabelOSStable] != "linux" {
		t.Errorf("the pod is for the nodes %v", pod.Spec.NodeSelector)
	}

	letGo := p.hold("preempted")
	defer letGo()
	b.command(t, describe("preempted"))
	job = b.jobInQueue(t)
	admit(t, job)
	p.awaitRunning(t, "preempted")
	patchJob(t, job, `{"spec": {"suspend": true}}`)
	g := b.ended(t, 2)
	expectReason(t, g, v1alpha1.ReasonEvicted)
	expectContains(t, "the message", messageOf(g), "its Job was suspended")
	eventually(t, "the Job leaves the queue", func() bool {
		var jobs batchv1.JobList
		must(t, cluster.List(t.Context(), &jobs, client.InNamespace(namespace), client.MatchingLabels{v1alpha1.OwnerUIDLabel: string(g.UID)}))
		for _, j := range jobs.Items {
			if j.UID == job.UID && j.Status.CompletionTime == nil && len(j.Status.Conditions) < 2 {
				return false
			}
		}
		return true
	})
	p.expectExecutions(t, "preempted", 1)
}

// jobInQueue waits until the resource says that its Job is in a queue, and returns the Job.
func (b builder) jobInQueue(t *testing.T) *batchv1.Job {
	t.Helper()
	g := b.waitsFor(t, v1alpha1.ReasonJobSuspended, "Kueue's queue team-queue")
	job := &batchv1.Job{}
	must(t, cluster.Get(t.Context(), types.NamespacedName{Namespace: namespace, Name: g.Status.Run.JobName}, job))
	return job
}

// admit has the Job begin, on the nodes that it was given.
func admit(t *testing.T, job *batchv1.Job) {
	t.Helper()
	patchJob(t, job, `{"spec": {"suspend": false, "template": {
		"metadata": {"labels": {"kueue.x-k8s.io/podset": "main"}},
		"spec": {"nodeSelector": {"kubernetes.io/os": "linux"}, "tolerations": [{"key": "spot", "operator": "Exists"}]}}}}`)
}

func patchJob(t *testing.T, job *batchv1.Job, patch string) {
	t.Helper()
	must(t, cluster.Patch(t.Context(), job, client.RawPatch(types.MergePatchType, []byte(patch))))
}

// suspendQueuedJobs has Jobs of the tests' namespace that name a queue be made suspended.
func suspendQueuedJobs(t *testing.T) {
	t.Helper()
	name := namespace + "-queue"
	temporary(t, &admissionv1.MutatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: admissionv1.MutatingAdmissionPolicySpec{
			MatchConstraints: &admissionv1.MatchResources{ResourceRules: []admissionv1.NamedRuleWithOperations{{
				RuleWithOperations: admissionv1.RuleWithOperations{
					Operations: []admissionv1.OperationType{admissionv1.Create},
					Rule:       admissionv1.Rule{APIGroups: []string{"batch"}, APIVersions: []string{"v1"}, Resources: []string{"jobs"}},
				},
			}}},
			MatchConditions: []admissionv1.MatchCondition{{Name: "queued", Expression: "'" + v1alpha1.KueueQueueLabel + "' in object.metadata.?labels.orValue({})"}},
			Mutations: []admissionv1.Mutation{{
				PatchType:          admissionv1.PatchTypeApplyConfiguration,
				ApplyConfiguration: &admissionv1.ApplyConfiguration{Expression: "Object{spec: Object.spec{suspend: true}}"},
			}},
			ReinvocationPolicy: admissionv1.NeverReinvocationPolicy,
		},
	})
	temporary(t, &admissionv1.MutatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: admissionv1.MutatingAdmissionPolicyBindingSpec{PolicyName: name, MatchResources: &admissionv1.MatchResources{
			NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: namespace}},
		}},
	})
	probe := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "probe", Labels: map[string]string{v1alpha1.KueueQueueLabel: "q"}},
		Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{Name: "probe", Image: "none"}},
		}}},
	}
	eventually(t, "the API server suspends what is queued", func() bool {
		made := probe.DeepCopy()
		must(t, cluster.Create(t.Context(), made, client.DryRunAll))

		return made.Spec.Suspend != nil && *made.Spec.Suspend
	})
}
