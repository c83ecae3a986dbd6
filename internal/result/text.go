// SPDX-License-Identifier: Apache-2.0

package result

// NotInYAML says whether YAML can't hold the character: where a status has one, `kubectl get -o yaml`
// fails. Go's JSON escapes the control characters below these, so that YAML takes them.
func NotInYAML(r rune) bool {
	return r >= 0x7f && r <= 0x9f && r != 0x85 || r == 0xfffe || r == 0xffff
}
