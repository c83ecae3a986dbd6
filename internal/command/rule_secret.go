// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"strings"
)

// secretCommands print secrets by design.
var secretCommands = []struct{ commands, secret string }{
	{"secrets versions access", "the secret"},
	{"kms decrypt, kms asymmetric-decrypt, kms raw-decrypt", "the plaintext"},
	{"storage sign-url, compute sign-url", "a URL that opens what it names"},
	{"sql generate-login-token, sql ssl client-certs create, sql users create, sql users set-password", "a credential of the database"},
	{"compute reset-windows-password", "a password"},
	{"container clusters get-credentials, container fleet memberships get-credentials", "a cluster's credentials"},
	{"artifacts print-settings", "a credential of the repository"},
	{"developer-connect connections git-repository-links fetch-read-token, developer-connect connections git-repository-links fetch-read-write-token", "a token of the repository"},
	{"services api-keys create, services api-keys get-key-string", "an API key"},
}

// secretOutput warns where secrets would stand in a status that more people may read than Secrets.
func secretOutput(in input) []Violation {
	if in.OutputSecret {
		return nil
	}
	for _, entry := range secretCommands {
		for command := range strings.SplitSeq(entry.commands, ", ") {
			if isBelow(in.command.Path, strings.Fields(command)) {
				return []Violation{inCommand(SecretOutput, in.command.Name(), fmt.Sprintf("gcloud %s prints %s, which will stand in the status", command, entry.secret), secretFix(in.command))}
			}
		}
	}
	return nil
}

// secretFix says where such output belongs; gcloud's stdout replaces what isn't text.
func secretFix(c Command) string {
	fix := "Set spec.output.secretName, and it goes to a Secret alone."
	if _, toFile := c.Flag("--out-file"); !toFile && isBelow(c.Path, []string{"secrets", "versions", "access"}) {
		fix = "Set spec.output.secretName, and it goes to a Secret alone; for a binary secret also add --out-file=FILE, since gcloud corrupts it on stdout."
	}
	return fix
}
