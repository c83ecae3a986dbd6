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
// +kubebuilder:rbac:groups="",resources=configmaps,verbs=get;list;watch;create;patch
//
// It puts output into Secrets where a spec asks for it. A patch that changes nothing tells it whose one
// is. The answer to a patch holds the Secret, so whoever has the operator's token can read Secrets.
// +kubebuilder:rbac:groups="",resources=secrets,verbs=create;patch
//
// It tells of a run's end.
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch
//
// One replica at a time leads, and says so.
// +kubebuilder:rbac:groups="",namespace=gcloud-operator-system,resources=events,verbs=create;patch
// +kubebuilder:rbac:groups=coordination.k8s.io,namespace=gcloud-operator-system,resources=leases,verbs=get;create;update
