# SPDX-License-Identifier: Apache-2.0

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
# Later steps need earlier ones (a cluster, before something is deployed to it),
# and the go command uses all processors by itself.
.NOTPARALLEL:

GO ?= go
# One set of flags for building, testing and linting, so that a package is
# compiled once. Without VCS stamps a binary depends on the sources alone.
export CGO_ENABLED := 0
export GOFLAGS := -trimpath -buildvcs=false

# kubectl and what deploy installs can be set, so that deploy works with any
# kubeconfig and with an overlay of your own.
KUBECTL ?= kubectl
OVERLAY ?= config/default
# What dist makes is of this version, and runs this image.
VERSION ?= 0.0.0
IMAGE ?= gcloud-operator:dev

# Tools are compiled from the versions that hack/tools/go.mod pins.
TOOL := $(GO) tool -modfile=$(CURDIR)/hack/tools/go.mod

MODULES := . $(patsubst %/go.mod,%,$(wildcard hack/*/go.mod))
UNIT_TESTED := ./api/... ./cmd/... ./controllers/... ./internal/... ./test/docs/... ./test/judges/... ./test/leaks/...

# The development cluster lives in a network namespace of its own, so only its
# own kubectl reaches it.
DEVCLUSTER := bin/devcluster
# The tag changes with the contents, so that a changed operator is rolled out.
OPERATOR_IMAGE = gcloud-operator:dev-$(shell cat bin/gcloud-operator bin/runner bin/images | sha256sum | head -c 12)
QUICKSTART := config/samples/quickstart.yaml

##@ General

.PHONY: help
help: ## Show this help.
	@awk -f hack/help.awk $(MAKEFILE_LIST)

.PHONY: clean
clean: ## Remove what was built; the cache of Kubernetes binaries stays.
	rm -rf bin dist

##@ Code

.PHONY: generate
generate: ## Generate the DeepCopy methods of the API types.
	$(TOOL) controller-gen object:headerFile=hack/boilerplate.go.txt paths=./api/...

.PHONY: manifests
manifests: ## Generate CRDs, RBAC and webhook manifests into config/.
	$(TOOL) controller-gen paths=./... \
		crd:headerFile=hack/boilerplate.yaml.txt \
		rbac:roleName=manager,headerFile=hack/boilerplate.yaml.txt \
		webhook:headerFile=hack/boilerplate.yaml.txt

.PHONY: reference
reference: ## Generate the reference of all fields, docs/reference.md, from the API types.
	$(TOOL) crd-ref-docs --log-level=ERROR --source-path=api --config=hack/reference.yaml --renderer=markdown --output-path=docs/reference.md
	@# That a field is optional is what most are; the required ones are told.
	sed -i -E 's/Optional: \\\{\\\} <br \/>//g' docs/reference.md

.PHONY: command-tree
command-tree: ## Generate the tree of gcloud's commands from the installed SDK (two minutes).
	$(GO) run ./hack/commandtree

.PHONY: fmt
fmt: ## Format the Go code and sort its imports.
	$(TOOL) golangci-lint fmt

.PHONY: lint
lint: $(MODULES:%=lint-module/%) ## Run the linters over every module.

lint-module/%:
	cd $* && $(TOOL) golangci-lint run --config=$(CURDIR)/.golangci.yml

.PHONY: verify
verify: lint test-lint $(MODULES:%=verify-tidy/%) ## Lint, and check generated code, tidy modules and licence headers.
	hack/verify-generated.sh
	hack/verify-headers.sh

verify-tidy/%:
	cd $* && $(GO) mod tidy -diff

##@ Build

# A program is built on every run, which the build cache makes quick, but it
# only takes its place in bin/ when it changed: so images are not made again
# for nothing.
define build-go
@mkdir -p bin .cache/build
$(GO) build -C $(1) -ldflags="-s -w" -o $(CURDIR)/.cache/build/$(@F) $(2)
@cmp -s .cache/build/$(@F) $@ || install .cache/build/$(@F) $@
endef

.PHONY: build
build: bin/gcloud-operator bin/runner bin/kubectl-gcloud ## Build operator, runner and kubectl's plugin, static, into bin/.

bin/gcloud-operator bin/runner bin/kubectl-gcloud: FORCE
	$(call build-go,.,./cmd/$(@F:gcloud-%=%))

# What takes gcloud's place in some tests.
bin/stand-in: FORCE
	$(call build-go,.,./test/standin/gcloud)

bin/devcluster bin/images bin/networkpolicy bin/chart: FORCE
	$(call build-go,hack/$(@F),.)

.PHONY: images
images: dist/operator.tar dist/gcloud.tar ## Make the container images, without Docker, into dist/.

dist/operator.tar: bin/images bin/gcloud-operator bin/runner
	@mkdir -p $(@D)
	bin/images operator --operator=bin/gcloud-operator --runner=bin/runner --out=$@ --tag=$(OPERATOR_IMAGE)

dist/gcloud.tar: bin/images bin/runner
	@mkdir -p $(@D)
	bin/images gcloud --runner=bin/runner --out=$@

dist/stand-in.tar: bin/images bin/runner bin/stand-in
	@mkdir -p $(@D)
	bin/images stand-in --gcloud=bin/stand-in --runner=bin/runner --out=$@

# config/devcluster, with the image as it was just built.
dist/devcluster/kustomization.yaml: dist/operator.tar
	@mkdir -p $(@D)
	printf '%s\n' 'resources: [../../config/devcluster]' \
		'images: [{name: gcloud-operator, newTag: $(lastword $(subst :, ,$(OPERATOR_IMAGE)))}]' >$@

.PHONY: dist
dist: bin/chart ## Make dist/install.yaml and the Helm chart dist/chart (IMAGE, VERSION).
	@mkdir -p dist
	$(TOOL) kustomize build config/default | sed 's|gcloud-operator:dev|$(IMAGE)|' >dist/install.yaml
	$(TOOL) kustomize build config/default | bin/chart make --out=dist/chart --version=$(VERSION) --image=$(IMAGE)

##@ Any cluster

.PHONY: install
install: ## Install the CRDs alone.
	$(TOOL) kustomize build config/crd | $(KUBECTL) apply --server-side -f -

.PHONY: deploy
deploy: ## Install the operator (KUBECTL, OVERLAY) and wait until it is available.
	$(TOOL) kustomize build $(OVERLAY) | $(KUBECTL) apply --server-side -f -
	$(KUBECTL) rollout status deployment/gcloud-operator-manager -n gcloud-operator-system --timeout=3m

.PHONY: undeploy
undeploy: ## Remove the operator (KUBECTL, OVERLAY), the CRDs and with them every resource of its kinds.
	KUBECTL="$(KUBECTL)" hack/uninstall.sh
	$(TOOL) kustomize build $(OVERLAY) | $(KUBECTL) delete --ignore-not-found -f -

##@ Development cluster

.PHONY: cluster-up
cluster-up: bin/devcluster ## Bring up a single-node Kubernetes on this machine (root, no Docker).
	$(DEVCLUSTER) up

.PHONY: cluster-down
cluster-down: bin/devcluster ## Take the development cluster down; nothing of it is left.
	$(DEVCLUSTER) down

.PHONY: cluster-deploy
cluster-deploy: bin/devcluster images dist/devcluster/kustomization.yaml ## Load the images into the development cluster and install the operator.
	$(DEVCLUSTER) load dist/operator.tar dist/gcloud.tar
	$(MAKE) --no-print-directory deploy KUBECTL="$(DEVCLUSTER) kubectl" OVERLAY=dist/devcluster

.PHONY: cluster-stand-in
cluster-stand-in: bin/devcluster dist/stand-in.tar ## Load the image that takes gcloud's place in some end-to-end tests.
	$(DEVCLUSTER) load dist/stand-in.tar

.PHONY: quickstart
quickstart: cluster-up cluster-deploy ## From nothing to a GcloudRun's output: cluster, operator, sample.
	$(DEVCLUSTER) kubectl delete --ignore-not-found -f $(QUICKSTART)
	$(DEVCLUSTER) kubectl apply --server-side -f $(QUICKSTART)
	$(DEVCLUSTER) kubectl wait --for=condition=Finished --timeout=5m -f $(QUICKSTART)
	$(DEVCLUSTER) kubectl get -f $(QUICKSTART)
	$(DEVCLUSTER) kubectl get -f $(QUICKSTART) -o jsonpath='{.status.response.stdout}'

##@ Tests

.PHONY: test
test: test-unit test-envtest test-e2e ## Run all tests.

.PHONY: test-unit
test-unit: ## Run the unit tests, those of the modules in hack/ too.
	CGO_ENABLED=1 $(GO) test -race $(UNIT_TESTED)
	$(GO) test -run=PID1 ./internal/runner # how it takes signals: as it is shipped, without the race detector
	$(GO) test -C hack/devcluster ./...
	$(GO) test -C hack/images ./...
	$(GO) test -C hack/alerts ./...
	$(GO) test -C hack/chart -count=1 ./... # it reads config/, which the test cache does not see

.PHONY: test-envtest
test-envtest: bin/devcluster ## Run the tests against a real API server.
	KUBEBUILDER_ASSETS="$$($(DEVCLUSTER) assets)" $(GO) test -timeout=30m -parallel=8 ./test/envtest/... ./test/rights/...
	@# Verbose, for how many cases there were, and from which seeds, is part of the result.
	KUBEBUILDER_ASSETS="$$($(DEVCLUSTER) assets)" $(GO) test -v -timeout=30m -parallel=8 ./test/crash/... | grep -vE '^ *(=== |--- PASS)'

.PHONY: test-e2e
test-e2e: bin/devcluster bin/kubectl-gcloud ## Run the end-to-end tests on the development cluster.
	hack/test-e2e.sh

.PHONY: test-lint
test-lint: ## Show that each rule of .golangci.yml fails when broken.
	$(GO) test -C hack/tools -count=1 ./...

.PHONY: FORCE
FORCE:
