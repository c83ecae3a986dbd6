# SPDX-License-Identifier: Apache-2.0
# Prints the targets of a Makefile that carry a "## text", under their "##@ heading".
BEGIN { FS = ":.*## " }
/^##@ / { printf "\n%s\n", substr($0, 5) }
/^[a-z0-9-]+:.*## / { printf "  %-16s %s\n", $1, $2 }
