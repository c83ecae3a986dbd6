// SPDX-License-Identifier: Apache-2.0

package run

// What the engine may do, and why.
//
// It makes one Job for each attempt, watches it, and deletes one that is given up.
// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=get;list;watch;create;delete
//
// It watches the Jobs' pods, takes the gate off the one that may run, and the finalizer off those
// whose report is read.
// +kubebuilder:rbac:groups="",resources=pods,verbs=get;list;watch;patch
//
// It reads the part of a report that doesn't fit into the termination message.
// +kubebuilder:rbac:groups="",resources=pods/log,verbs=get
//
// It keeps input files, and large results, in ConfigMaps that it never changes, and reads those that
// input files come from when they change. A copy that a spec asks for is patched when the file changes.
// Those of earlier runs are deleted, if they are controlled by the resource: otherwise each run of a
// resource that runs every hour would leave up to 4 MiB for as long as the resource lives.
// +kubebuilder:rbac:groups="",resources=configmaps,verbs=get;list;watch;create;patch;delete
//
// It puts output into Secrets where a spec asks for it. A patch that changes nothing tells it whose one
// is. The answer to a patch holds the Secret, so config/policy refuses those that it didn't make.
// +kubebuilder:rbac:groups="",resources=secrets,verbs=create;patch
//
// It reads why the cluster lets no pod be made for a Job: only the Job's events say so.
// +kubebuilder:rbac:groups="",resources=events,verbs=list
//
// It tells of a run's end, once: no event is ever patched to count the same again.
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create
//
// One replica at a time leads, and says so. A create can't be bound to a name.
// +kubebuilder:rbac:groups="",namespace=gcloud-operator-system,resources=events,verbs=create
// +kubebuilder:rbac:groups=coordination.k8s.io,namespace=gcloud-operator-system,resources=leases,verbs=create
// +kubebuilder:rbac:groups=coordination.k8s.io,namespace=gcloud-operator-system,resources=leases,resourceNames=gcloud-operator-leader,verbs=get;update
