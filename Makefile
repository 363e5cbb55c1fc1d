# One line of work a target; logic belongs in Go.
GO ?= go
RECORDED ?= testdata/recorded
STATICCHECK = $(GO) tool -modfile=internal/tools/go.mod staticcheck

.PHONY: build test check lint race fuzz bench conformance fidelity update

# The command, in bin/.
build:
	$(GO) build -o bin/admsim ./cmd/admsim

# All tests, the recorded requests among them.
test:
	$(GO) test ./...

# What a change has to pass before it is committed.
check: lint
	$(GO) mod tidy -diff
	$(GO) run ./internal/cmd/fidelity -check docs/fidelity.md $(RECORDED)

lint:
	test -z "$$(gofmt -l . | tee /dev/stderr)"
	$(GO) vet ./...
	$(STATICCHECK) ./...

# The packages that run side by side, under the race detector.
race:
	$(GO) test -race -short ./pkg/dispatch/... ./pkg/expression/... ./pkg/simulator/... ./pkg/objects/...

# Each fuzz target for a while.
fuzz:
	$(GO) run ./internal/cmd/fuzz -time 20s ./pkg/...

bench:
	$(GO) test -run '^$$' -bench . -benchmem ./pkg/...

# Every recorded request of a folder against what the server answered.
conformance:
	$(GO) run ./internal/cmd/conformance $(RECORDED)

# The score by theme in docs/fidelity.md.
fidelity:
	$(GO) run ./internal/cmd/fidelity docs/fidelity.md $(RECORDED)

# Golden files. Commit only what you understand.
update:
	$(GO) test ./... -update
