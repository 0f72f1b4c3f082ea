# Tablewright: make demo shows it, make test proves it.
SHELL := /bin/bash
GO_SOURCES := $(shell git ls-files '*.go' '*.sql' '*.yaml' go.mod go.sum 2>/dev/null)
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)

.PHONY: build demo run test clients lint fmt generate verify setup-run setup-test setup-clients setup-lint setup-bench bench hostile image-check faults undo transparency-regress

setup-run setup-test setup-clients setup-lint setup-bench: setup-%:
	@scripts/setup $*

# Not with -trimpath: the tests would then compile every dependency a second time.
build: bin/tablewright

bin/tablewright: $(GO_SOURCES)
	@mkdir -p bin
	go build -ldflags "-s -w -X main.version=$(VERSION)" -o $@ ./cmd/tablewright

run: setup-run build
	bin/tablewright serve

demo: setup-run build
	@scripts/demo

test: setup-test build
	@scripts/test

# make clients: the matrix of clients and drivers alone (docs/clients.md); make test has it too.
clients: setup-clients build
	go test -count=1 -timeout 10m -v ./test/clients

lint: setup-lint
	.tools/bin/golangci-lint run ./...

fmt: setup-lint
	.tools/bin/golangci-lint fmt ./...

# make faults RUNS=1000 SEED=7: the gateway killed at a random point of a statement, again and again.
RUNS ?= 40
SEED ?=
faults: build
	FAULT_RUNS=$(RUNS) FAULT_SEED=$(SEED) go test -count=1 -timeout 10h -v -run TestKilledAtAnyPoint ./test/e2e

# make undo: each call of each kind of statement hindered in each way, and RACES rounds of a drop against what
# depends on it.
RACES ?= 1000
undo: build
	UNDO_WHOLE=1 RACE_ROUNDS=$(RACES) go test -count=1 -timeout 6h -v -parallel 8 ./test/faults

# make hostile FRAMES=160000 SEED=7: frames that look right and are not, clients that mean no good, and the
# fuzzers of the decoders for FUZZ each. SEED repeats a run.
FRAMES ?= 160000
PARSES ?= 1000000
CANCELS ?= 2000
FUZZ ?= 60s
hostile: build
	FRAMES=$(FRAMES) PARSES=$(PARSES) CANCELS=$(CANCELS) SEED=$(SEED) go test -count=1 -timeout 2h -v -run Hostile ./test/protocol
	@for f in FuzzReader FuzzReadStartup FuzzDecode; do go test -run XXX -fuzz "^$$f$$" -fuzztime $(FUZZ) ./server/wire || exit 1; done

# make transparency-regress SUITE=/path/to/postgresql-15/src/test/regress: the files of PostgreSQL's own regression
# suite. Its source comes with `apt-get source postgresql-15`.
SUITE ?=
transparency-regress: setup-run build
	REGRESS_SUITE=$(abspath $(SUITE)) go test -count=1 -timeout 2h -v -tags regress -run TestRegressionSuite ./test/transparency

# make bench ROUNDS=5 SECONDS=2: Tablewright beside PostgreSQL, PgBouncer and a byte copier; see docs/performance.md.
# PARTS is what is measured; each figure is taken ROUNDS times, for so many seconds each.
ROUNDS ?= 5
SECONDS ?= 2
PARTS ?= wire,connect,ddl,memory
bench: setup-bench build
	@go run ./test/bench -rounds $(ROUNDS) -round $(SECONDS)s -parts $(PARTS)
	@go test -run XXX -bench 'Compile|Shape|Normalize' -benchmem ./ddl/bind ./ddl/parse

image-check: build
	@BINARY=bin/tablewright scripts/image-check

generate:
	@scripts/generate

verify:
	@scripts/verify
