// SPDX-License-Identifier: Apache-2.0

// Command operator is gcloud-operator: the controllers, the admission webhook, what uninstalling them needs, and the linter.
package main

import (
	"fmt"
	"os"

	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/gcloud-operator/gcloud-operator/internal/lint"
)

const usage = `Usage: gcloud-operator COMMAND [FLAGS]

  manager   run the controllers and the admission webhook, in a cluster
  release   free what the operator holds, with a kubeconfig, before it is uninstalled
  lint      check manifests, or single commands, by the operator's rules, without a cluster

gcloud-operator COMMAND -h lists a command's flags.
`

func main() {
	args := os.Args[1:]
	if len(args) == 0 {
		fmt.Fprint(os.Stderr, usage)
		os.Exit(2)
	}
	switch args[0] {
	case "manager":
		exit(runManager(ctrl.SetupSignalHandler(), args[1:]))
	case "release":
		exit(runRelease(ctrl.SetupSignalHandler(), args[1:]))
	case "lint":
		os.Exit(lint.Run(args[1:], os.Stdin, os.Stdout, os.Stderr))
	default:
		fmt.Fprintf(os.Stderr, "gcloud-operator: there is no command %q\n\n%s", args[0], usage)
		os.Exit(2)
	}
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "gcloud-operator:", err)
		os.Exit(1)
	}
}
