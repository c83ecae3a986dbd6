#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Stops the operator, frees what it holds, and deletes every resource of its
# kinds with all that belongs to them; what is left are the manifests that it
# was installed from. It needs kubectl alone (KUBECTL), for `release` runs in
# the cluster, as the operator.
set -euo pipefail
kube() { ${KUBECTL:-kubectl} "$@"; }
in_namespace() { kube "$1" --namespace=gcloud-operator-system "${@:2}"; }
of_operator() { in_namespace get deployment gcloud-operator-manager --ignore-not-found --output=jsonpath="{.spec.template.spec.containers[0].$1}"; }

image=$(of_operator image)
# Where it works is where it may free something.
namespaces=$(of_operator 'args[*]' | grep -oE -- '--namespaces=[^ ]+' || true)
if [[ -n $image ]]; then
  in_namespace scale deployment gcloud-operator-manager --replicas=0
  in_namespace wait --for=delete pod --selector=app.kubernetes.io/name=gcloud-operator --timeout=2m
  in_namespace delete pod gcloud-operator-release --ignore-not-found # of an attempt that was interrupted
  in_namespace run gcloud-operator-release --image="$image" --restart=Never --attach --rm --quiet \
    --override-type=strategic --overrides='{"spec": {
      "serviceAccountName": "gcloud-operator-manager",
      "securityContext": {"runAsNonRoot": true, "runAsUser": 65532, "seccompProfile": {"type": "RuntimeDefault"}},
      "containers": [{"name": "gcloud-operator-release", "securityContext": {
        "allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true, "capabilities": {"drop": ["ALL"]}}}]}}' \
    -- release $namespaces
else
  echo "The operator isn't installed. Should pods hang that it held, run: gcloud-operator release" >&2
fi

# Before the kinds themselves: the garbage collector may never learn that the
# owner of a Job is gone when the owner's kind goes with it.
for kind in gcloudruns documentfetches dataformfilereads; do
  if [[ -n $(kube get crd "$kind.gcloud-operator.dev" --ignore-not-found --output=name) ]]; then
    kube delete "$kind.gcloud-operator.dev" --all --all-namespaces
  fi
done
kube wait --for=delete jobs --all-namespaces --selector=app.kubernetes.io/managed-by=gcloud-operator --timeout=3m
