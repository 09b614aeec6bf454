SHELL       := /bin/bash
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
OUT         := bin/pod-reclaimer
IMAGE       := pod-reclaimer:dev
VERSION     := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
COMMIT      := $(shell git rev-parse --short=12 HEAD 2>/dev/null)
DATE        := $(shell git log -1 --format=%cI 2>/dev/null)
GOBUILD     := CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.version=$(VERSION) -X main.commit=$(COMMIT) -X main.date=$(DATE)"
FUZZTIME    ?= 30s

.PHONY: help build image test fuzz demo testbed testbed-down lint check

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

build: ## build bin/pod-reclaimer, one static binary
	@echo "build $(OUT) (the first time this downloads and compiles for some minutes)"
	@$(GOBUILD) -o $(OUT) . 2> >(grep -v '^go: downloading' >&2)

image: ## build the image IMAGE with buildah into bin/image.tar
	@scripts/image $(IMAGE) bin/image.tar
	@echo "bin/image.tar holds $(IMAGE)"

test: ## run all tests against a real API server and store; as root also a real node
	@scripts/test

fuzz: ## run every fuzz target for FUZZTIME (30s)
	@scripts/fuzz $(FUZZTIME)

demo: build ## show the main job on a real API server and store
	@scripts/demo

testbed: ## build and start a testbed to play with, print its environment
	@time scripts/testbed/testbed up

testbed-down: ## end that testbed and leave nothing behind
	@scripts/testbed/testbed down

lint: ## gofmt, vet, staticcheck, shellcheck, import rules
	@STATICCHECK=$(STATICCHECK) scripts/lint

check: lint test ## what CI runs
