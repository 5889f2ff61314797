# Shortcuts. Nothing here is needed: each target is one plain command.

.PHONY: build test quick lint bench bench-table bench-publish docs fuzz

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

# The whole table of error rates, from public repositories given by path:
#   make bench-table REPOS="/src/cobra /src/flask"
SEED ?= 1
PER_RULE ?= 250
NATURAL ?= 4000
CONTROL ?= 400
WORK ?= $(CURDIR)/bin/bench
bench-table: build ## error rates and ablation over $(REPOS), into bench/table
	@test -n '$(REPOS)' || { echo 'make bench-table REPOS="DIR DIR ..."' >&2; exit 2; }
	mkdir -p bench/table $(WORK)
	./bin/sayso bench generate --seed $(SEED) --per-rule $(PER_RULE) --natural $(NATURAL) --control $(CONTROL) -o $(WORK)/pairs.jsonl $(REPOS)
	./bin/sayso bench score $(WORK)/pairs.jsonl --work $(WORK) --json -o $(WORK)/result.json $(REPOS)
	./bin/sayso bench show $(WORK)/result.json --format markdown -o bench/table/score.md
	./bin/sayso bench show $(WORK)/result.json --format svg -o bench/table/curve.svg
	./bin/sayso bench ablation --from $(WORK)/pairs.jsonl --work $(WORK) --format markdown -o bench/table/ablation.md $(REPOS)

bench-publish: build ## scores the part of bench/split.json that figures are published from, once for each release
	./bin/sayso bench publish --seed $(SEED) --per-rule $(PER_RULE) --natural $(NATURAL) --control $(CONTROL) --work $(WORK) --commit $$(git rev-parse HEAD) $(REPOS)

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
