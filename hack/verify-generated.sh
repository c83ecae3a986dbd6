#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fails when the generators change a file: what is checked in would be stale.
set -euo pipefail
cd "$(dirname "$0")/.."

checksums() {
  git ls-files -z --cached --others --exclude-standard api config docs/reference.md | xargs -0 sha256sum
}

before=$(checksums)
make --no-print-directory generate manifests reference
if ! diff <(echo "$before") <(checksums); then
  echo "These generated files were stale; they are current now: commit them." >&2
  exit 1
fi
