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
# What enforces NetworkPolicies drives these.
if ! command -v iptables >/dev/null || ! command -v ipset >/dev/null; then
  apt-get update -qq
  apt-get install -qq -y --no-install-recommends iptables ipset
fi
make --no-print-directory cluster-deploy cluster-stand-in bin/networkpolicy dist
# Verbose, because what was killed when, and from which seed, is part of the result. Tests that go on
# beside each other mostly wait.
go test -v -count=1 -parallel=16 -timeout=60m -exec="$PWD/bin/devcluster exec --" ./test/e2e/...
