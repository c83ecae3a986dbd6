// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Annotations that users and tools set on a resource.
const (
	// RequestedAtAnnotation runs the same spec again whenever its value changes. Any value will do;
	// a timestamp is customary. The value that was last acted on is status.lastHandledRequest.
	RequestedAtAnnotation = "gcloud-operator.dev/requested-at"

	// FluxRequestedAtAnnotation is understood in the same way, so that `flux reconcile` works. The
	// value that was last acted on is status.lastHandledReconcileAt.
	FluxRequestedAtAnnotation = "reconcile.fluxcd.io/requestedAt"

	// CancelRunAnnotation cancels the run whose number, in decimal, is its value: status.run.number.
	// What the command printed up to there is kept. It does nothing to any other run.
	CancelRunAnnotation = "gcloud-operator.dev/cancel-run"
)

// Labels that users set on a resource.
const (
	// KueueQueueLabel names the queue of Kueue that the resource's Jobs wait in. It is set on them, too.
	KueueQueueLabel = "kueue.x-k8s.io/queue-name"

	// KueuePriorityLabel names their priority there. It is set on them, too.
	KueuePriorityLabel = "kueue.x-k8s.io/priority-class"
)

// Labels, annotations, and names that the operator puts on the Jobs, Pods and ConfigMaps that it makes.
const (
	// ManagedByLabel and ManagedByValue mark every object that the operator makes. The operator's
	// cache holds only objects with this label.
	ManagedByLabel = "app.kubernetes.io/managed-by"
	// ManagedByValue is the value of ManagedByLabel.
	ManagedByValue = "gcloud-operator"

	// OwnerUIDLabel holds the UID of the resource that the object belongs to.
	OwnerUIDLabel = "gcloud-operator.dev/owner-uid"

	// OwnerAnnotation holds "Kind/name" of the resource that the object belongs to.
	OwnerAnnotation = "gcloud-operator.dev/owner"
	// RunAnnotation holds the number of the run, in decimal.
	RunAnnotation = "gcloud-operator.dev/run"
	// KeyAnnotation holds the key of the run.
	KeyAnnotation = "gcloud-operator.dev/run-key"
	// StartBeforeAnnotation holds the time (RFC 3339) after which a pod must not start its command.
	StartBeforeAnnotation = "gcloud-operator.dev/start-before"

	// SchedulingGate is on every pod when it is born. It is taken off the one pod that may run.
	SchedulingGate = "gcloud-operator.dev/one-pod"
	// ReportFinalizer keeps a pod until its report is in the resource's status.
	ReportFinalizer = "gcloud-operator.dev/report"
)
