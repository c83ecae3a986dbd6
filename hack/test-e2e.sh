#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the end-to-end tests on the development cluster. A cluster that was not
# there before is taken down afterwards.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! bin/devcluster status >/dev/null 2>&1; then
  trap 'bin/devcluster down' EXIT
  bin/devcluster up
fi
make --no-print-directory cluster-deploy
go test -count=1 -timeout=20m -exec="$PWD/bin/devcluster exec --" ./test/e2e/...
