// SPDX-License-Identifier: Apache-2.0

// Command operator is gcloud-operator: the controllers and the admission webhook.
package main

import (
	"fmt"
	"os"

	ctrl "sigs.k8s.io/controller-runtime"
)

const usage = `Usage: operator COMMAND [FLAGS]

  manager   run the controllers and the admission webhook, in a cluster

operator COMMAND -h lists a command's flags.
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
	default:
		fmt.Fprintf(os.Stderr, "operator: there is no command %q\n\n%s", args[0], usage)
		os.Exit(2)
	}
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "operator:", err)
		os.Exit(1)
	}
}
