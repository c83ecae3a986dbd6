// SPDX-License-Identifier: Apache-2.0

package run

// keyVersion is the version of the canonical form. Another version is another key for every
// resource, and so runs all of them again: it must never change.
const keyVersion = 1

// key is a hash of all that decides what is executed. It only answers the question whether a run is
// another than the last.
func key(kind, request, reconcileAt string, fields map[string]string) string {
	return hash(struct {
		Version     int               `json:"version"`
		Kind        string            `json:"kind"`
		Request     string            `json:"request,omitempty"`
		ReconcileAt string            `json:"reconcileAt,omitempty"`
		Fields      map[string]string `json:"fields"`
	}{keyVersion, kind, request, reconcileAt, fields})
}
