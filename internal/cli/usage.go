// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"strings"
)

const usageHead = `Runs a gcloud command in the cluster, as a GcloudRun, and ends as gcloud does.

  kubectl gcloud [FLAGS] GCLOUD'S WORDS AND FLAGS ...
  kubectl gcloud compute instances list --project=my-project

The plugin's own flags come first. From the first word that is no flag (or after --), everything is gcloud's.

Flags:
`

const usageTail = `
Ctrl-C cancels the run; a second one leaves it. A run that succeeded is deleted, once its output was read.

With runs that are there:
`

// usage is the help of the whole plugin.
func usage() string {
	var o options
	var b strings.Builder
	b.WriteString(usageHead + runFlags(&o).FlagUsages() + usageTail)
	for _, v := range verbs() {
		fmt.Fprintf(&b, "  kubectl gcloud %-14s%s\n", strings.TrimSpace(v.name+" "+v.args), v.does)
	}
	b.WriteString("\nWithout a cluster:\n")
	fmt.Fprintf(&b, "  kubectl gcloud %-14s%s\n", lintWord+" FILES", "check manifests by the operator's rules")
	fmt.Fprintf(&b, "  kubectl gcloud %-14s%s\n", completionWord, "print what completes gcloud's commands in your shell")
	return b.String()
}

func usageOf(v verb) string {
	var o options
	flags := newFlags(&o)
	v.flags(flags, &o)
	return fmt.Sprintf("kubectl gcloud %s: %s\n\nFlags:\n%s", strings.TrimSpace(v.name+" "+v.args), v.does, flags.FlagUsages())
}
