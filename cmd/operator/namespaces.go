// SPDX-License-Identifier: Apache-2.0

package main

import (
	"flag"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// namespacesFlag adds the flag that says in which namespaces the operator works. Unset, it works in all.
func namespacesFlag(set *flag.FlagSet, into *[]string) {
	set.Func("namespaces", "the `namespaces` to work in, such as a,b; default all", func(list string) error {
		names := strings.Split(list, ",")
		for _, name := range names {
			if errs := validation.IsDNS1123Label(name); len(errs) > 0 {
				return fmt.Errorf("%q is no namespace: %s", name, strings.Join(errs, "; "))
			}
		}
		*into = names
		return nil
	})
}
