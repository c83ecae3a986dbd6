// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"strings"
)

// impersonationPolicy checks the service account that the resource names, and those of the flag, which UnsafeFlag may
// be configured to admit, against those that its namespace may impersonate.
func impersonationPolicy(in input) []Violation {
	allowed, ok := globsOf(in.policy.AllowedImpersonations, in.Namespace)
	if !ok {
		return nil
	}
	fix := "Leave it out."
	if len(allowed) > 0 {
		fix = fmt.Sprintf("Use one of: %s.", list(allowed))
	}
	var found []Violation
	check := func(field, email string) {
		if email == "" || anyGlobMatches(allowed, email) {
			return
		}
		found = append(found, Violation{
			Rule: ImpersonationPolicy, Field: field, Value: shorten(email),
			Message: fmt.Sprintf("namespace %q may not impersonate %q", in.Namespace, shorten(email)),
			Fix:     fix,
		})
	}
	check(fieldImpersonate, in.Impersonate)
	if chain, written := in.command.Flag("--impersonate-service-account"); written {
		for email := range strings.SplitSeq(chain, ",") {
			check(fieldCommand, email)
		}
	}
	return found
}
