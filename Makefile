# Shortcuts. Nothing here is needed: each target is one plain command.

.PHONY: build test quick lint bench docs fuzz

build: ## the program, at ./bin/sayso
	CGO_ENABLED=0 go build -trimpath -o bin/sayso ./cmd/sayso

test: ## every suite that this machine can run
	./scripts/test

quick: ## the Go tests only, without the race detector
	go test ./...

lint: ## gofmt, vet, staticcheck, actionlint
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); exit 1; }
	go vet ./...
	staticcheck -tests -tags integration ./...
	actionlint

bench: ## benchmarks in the code, then whole processes beside commitlint and gitlint
	go test -run '^$$' -bench . -benchmem ./...
	go run ./bench/peers

docs: ## runs every example of the manual again and rewrites its output
	go test -count=1 ./internal/docs -update

# Each fuzz target for as long as FUZZTIME says.
FUZZTIME ?= 20s
fuzz: ## every fuzz target for $(FUZZTIME)
	@set -e; for package in $$(go list ./...); do \
		for target in $$(go test -list '^Fuzz' $$package | grep '^Fuzz' || true); do \
			echo "$$package $$target"; \
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $$package; \
		done; \
	done
