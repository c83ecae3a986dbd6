#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fails when a source file lacks the licence header in its first lines.
set -euo pipefail
cd "$(dirname "$0")/.."

header='SPDX-License-Identifier: Apache-2.0'
sources=('*.go' '*.sh' '*.py' '*.awk' '*.yaml' '*.yml' Makefile .editorconfig .ci/run)

missing=$(git ls-files -z --cached --others --exclude-standard -- "${sources[@]}" ':!:**/testdata/**' |
  while IFS= read -r -d '' file; do
    head -n 4 "$file" | grep -qF "$header" || echo "$file"
  done)
if [[ -n $missing ]]; then
  printf 'These files lack the line "%s" near their top:\n%s\n' "$header" "$missing" >&2
  exit 1
fi
