SHELL       := /bin/bash
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOVULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.9.0
KUSTOMIZE   := sigs.k8s.io/kustomize/kustomize/v5@v5.8.1
CYCLONEDX   := github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0
OUT         := bin/pod-reclaimer
DIST        := dist
ARCHS       := amd64 arm64
PACKAGES    := ./...
REPOSITORY  := pod-reclaimer
IMAGE       := $(REPOSITORY):dev
IMAGE_FILE  := bin/image.tar
ARCH        := $(shell go env GOARCH)
VERSION     := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
COMMIT      := $(shell git rev-parse --short=12 HEAD 2>/dev/null)
DATE        := $(shell git log -1 --format=%cI 2>/dev/null)
GOBUILD     := CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags "-s -w -X main.version=$(VERSION) -X main.commit=$(COMMIT) -X main.date=$(DATE)"
FUZZTIME    ?= 30s
N           ?= 1000
SEED        ?= random

export STATICCHECK GOVULNCHECK KUSTOMIZE CYCLONEDX REPOSITORY VERSION COMMIT DATE

.PHONY: help build image release test fuzz bench chaos chaos-mutants demo testbed testbed-down lint staticcheck vuln check

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

build: ## build bin/pod-reclaimer, one static binary
	@echo "build $(OUT) (the first time this downloads and compiles for some minutes)"
	@$(GOBUILD) -o $(OUT) . 2> >(grep -v '^go: downloading' >&2)

image: ## build the image IMAGE for ARCH with buildah into IMAGE_FILE (bin/image.tar)
	@mkdir -p $(dir $(IMAGE_FILE))
	@scripts/image $(IMAGE) $(IMAGE_FILE) $(ARCH)
	@echo "$(IMAGE_FILE) holds $(IMAGE)"

release: ## build binaries, images, SBOMs, install.yaml and checksums into DIST (dist)
	@scripts/release $(DIST) $(ARCHS)

test: ## run all tests against a real API server and store; as root also a real node
	@scripts/test

fuzz: ## run every fuzz target for FUZZTIME (30s)
	@scripts/fuzz $(FUZZTIME)

bench: ## measure N (1000) pods beside a replay of the requests and a shell loop; OF=Concurrency: 1 to 256 in flight
	@scripts/bench $(N) $(OF)

chaos: ## the crash test: N (1000) faults from SEED on a testbed of its own, as root; MUTANT=tail lets it find one
	@scripts/chaos $(N) $(SEED) $(MUTANT)

chaos-mutants: ## let the crash test find each program without one safety step, within 200 faults
	@for mutant in verify uid name tail key; do scripts/chaos 200 $(SEED) $$mutant || exit; done

demo: build ## show the main job on a real API server and store
	@scripts/demo

testbed: ## build and start a testbed to play with, print its environment
	@time scripts/testbed/testbed up

testbed-down: ## end that testbed and leave nothing behind
	@scripts/testbed/testbed down

lint: ## gofmt, vet, staticcheck, shellcheck, import rules
	@scripts/lint

staticcheck: ## only staticcheck; exits with 4 if it cannot be fetched
	@scripts/tool $(STATICCHECK) ./...
	@cd scripts/testbed && ../tool $(STATICCHECK) ./...

vuln: ## look for known vulnerabilities; exits with 4 if they cannot be looked up
	@scripts/vuln $(PACKAGES)

check: lint test ## what CI runs
