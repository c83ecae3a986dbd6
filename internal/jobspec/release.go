// SPDX-License-Identifier: Apache-2.0

package jobspec

import (
	"k8s.io/apimachinery/pkg/types"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

// ReleasePatch is the strategic merge patch that takes the finalizer off the pod that kept its report. It
// holds for the pod with this UID alone, and doesn't mind the finalizers of others.
func ReleasePatch(uid types.UID) map[string]any {
	return map[string]any{
		"metadata": map[string]any{
			"uid":                                 uid,
			"$deleteFromPrimitiveList/finalizers": []any{v1alpha1.ReportFinalizer},
		},
	}
}
