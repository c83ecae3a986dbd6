// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"strings"
)

// interactiveCommands are the commands and groups that can't work in a run, with the reason for each.
var interactiveCommands = []struct{ commands, reason string }{
	{"compute ssh, compute scp, compute copy-files, compute config-ssh, compute connect-to-serial-port, compute diagnose routes, compute tpus tpu-vm ssh, compute tpus tpu-vm scp, compute tpus queued-resources ssh, compute tpus queued-resources scp, app instances scp, workstations ssh, cloud-shell",
		"it makes a key and runs a local ssh"},
	{"compute start-iap-tunnel, workstations start-tcp-tunnel, run services proxy", "it opens a tunnel to the machine that it runs on"},
	{"sql connect, spanner cli, interactive, alpha interactive", "it needs a terminal"},
	{"compute url-maps edit, compute backend-services edit", "it starts an editor"},
	{"app browse, app open-console, app services browse, app versions browse", "it opens a browser"},
	{"ai custom-jobs local-run, ai-platform local, artifacts docker images scan, code, composer environments run, emulators, functions local, run compose, source repos clone, spanner samples, anthos apply, anthos export, terraform vet",
		"it runs local programs"},
}

func interactive(in input) []Violation {
	for _, entry := range interactiveCommands {
		for command := range strings.SplitSeq(entry.commands, ", ") {
			if isBelow(in.command.Path, strings.Fields(command)) {
				return []Violation{inCommand(Interactive, in.command.Name(), fmt.Sprintf("gcloud %s can't work in a run: %s", command, entry.reason), "Use a command that calls an API only.")}
			}
		}
	}
	return nil
}
