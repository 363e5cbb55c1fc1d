# One task per target; logic belongs in Go.
GO ?= go
RECORDED ?= testdata/recorded
STATICCHECK = $(GO) tool -modfile=internal/tools/go.mod staticcheck

.PHONY: build test modules differential clients engines check lint race fuzz soak soak-serve bench bench-peers bench-serve hostile conformance suites suites-table javascript update reference harvest release-diff release-tables flagz discovery roles declared declared-former declared-takeover field-numbers columns merging

# Builds the command into bin/. Without C it starts faster, since nothing has to be linked at the start.
build:
	CGO_ENABLED=0 $(GO) build -o bin/admsim ./cmd/admsim

# All tests of admsim, except for those with other projects' clients and with the server's own plugins. Vetting is left
# to make check, and test binaries have no tables for debuggers: both would take minutes with an empty build cache. The
# script tests of the command take minutes on a busy machine.
TEST = $(GO) test -vet=off -ldflags='-s -w' -timeout 30m
# Without C nothing is compiled twice, since the programs that tests build do not use it either, and the linker can
# leave out what is not called. Only the race detector needs C.
test modules differential clients check lint: export CGO_ENABLED = 0
test:
	$(TEST) ./...

# The programs in modules of their own: they fetch recordings from buckets, harvest releases, and build the site and
# the release artifacts. Most of their dependencies are cloud SDKs.
modules:
	cd deploy/replay/blob && $(TEST) ./...
	cd internal/release && $(TEST) ./...
	cd internal/site && $(TEST) ./...
	cd internal/artifacts && $(TEST) ./...
	cd internal/tools && $(TEST) ./...

# The same calls, policies and definitions through the server's own packages and through admsim. These packages depend on
# clients and informers of all kinds, which take as long to compile as half of admsim.
differential:
	cd internal/differential && $(TEST) ./...

# kubectl, client-go, Helm, a controller-runtime project and controller-runtime's own tests against the simulated
# cluster. With an empty build cache these clients take as long to build as everything that make test needs.
clients:
	cd examples/controller-runtime && $(TEST) ./...
	cd internal/kubectl && $(TEST) ./...
	cd internal/helm && $(TEST) ./...
	cd internal/envtest/suites && $(TEST) ./...

# The examples of policy engines with their real programs. ENGINES is a folder with gatekeeper, kyverno, and the
# manifests that install them in a cluster, gatekeeper.yaml and kyverno.yaml.
engines:
	$(TEST) ./cmd/admsim -run '^TestEngines$$' -v -args -engines="$(abspath $(ENGINES))"

# The JavaScript client of Kubernetes against admsim serve. Needs Node.js and npm.
javascript: build
	cd examples/javascript && npm ci --no-audit --no-fund && ../../bin/admsim serve -C world/ -- npm test

# controller-runtime's own tests, unmodified, against admsim instead of etcd and kube-apiserver. MORE adds further
# packages, such as pkg/cache,pkg/manager.
suites:
	cd internal/envtest/suites && $(TEST) -v . -args -more="$(MORE)"

# The table in docs/envtest.md: the same tests with admsim and with the real programs in the folder REAL. Takes
# minutes.
suites-table:
	cd internal/envtest/suites && $(GO) run ./measure -real "$(REAL)" -document ../../../docs/envtest.md

# Everything that a release publishes, in dist/, with a check of all of it. make release publishes a tagged version;
# the last line of its output is the name of the image, which the workflow signs.
RELEASER = $(GO) run github.com/goreleaser/goreleaser/v2@v2.16.0
.PHONY: snapshot release
snapshot:
	GORELEASER="$(RELEASER)" .ci/snapshot
release:
	$(RELEASER) release --clean
	@.ci/image -push ghcr.io/admsim/admsim -tag "$$(git describe --tags --exact-match | sed s/^v//)" -tag latest

# The images of admsim and of admsim-bucket for two platforms, in dist/images, without Docker. PUSH is the registry and
# folder to push them to: make image PUSH=registry.example.com/team TAG=1.
.PHONY: image
image:
	for architecture in amd64 arm64; do \
		export CGO_ENABLED=0 GOOS=linux GOARCH=$$architecture; \
		$(GO) build -trimpath -buildvcs=auto -ldflags='-s -w' -o dist/programs/linux_$$architecture/ ./cmd/admsim || exit 1; \
		$(GO) build -C deploy/replay/blob -trimpath -buildvcs=auto -ldflags='-s -w' -o "$$PWD/dist/programs/linux_$$architecture/admsim-bucket" . || exit 1; \
	done
	@$(GO) build -C internal/artifacts -o ../../bin/image ./cmd/image
	@for program in admsim admsim-bucket; do \
		bin/image -o dist/images/$$program $(if $(PUSH),-push $(PUSH)/$$program) $(if $(TAG),-tag $(TAG)) dist/programs/linux_*/$$program || exit 1; \
	done

# The documentation as a static site, in dist/site. Fails if a link is broken.
.PHONY: site
site:
	@cd internal/site && $(GO) run . -o ../../dist/site

# Compares the Go API with the last tagged version: docs/compatibility.md has the promise.
.PHONY: api
api:
	@cd internal/tools && $(GO) run ./api -C ../.. -accepted api/accepted.txt

# What a change has to pass before it is committed.
check: lint
	$(TEST) ./internal/architecture
	$(GO) mod tidy -diff
	cd examples/controller-runtime && $(GO) vet ./... && $(GO) mod tidy -diff
	cd deploy/replay/blob && $(GO) vet ./... && $(GO) mod tidy -diff
	cd internal/differential && $(GO) vet ./... && $(GO) tool -modfile=../tools/go.mod staticcheck ./... && $(GO) mod tidy -diff
	cd internal/kubectl && $(GO) vet ./... && $(GO) mod tidy -diff
	cd internal/helm && $(GO) vet ./... && $(GO) mod tidy -diff
	cd internal/envtest/suites && $(GO) vet ./... && $(GO) mod tidy -diff
	cd internal/tools && $(GO) vet ./... && $(GO) tool staticcheck ./... && $(GO) mod tidy -diff
	cd internal/site && $(GO) vet ./... && $(GO) tool -modfile=../tools/go.mod staticcheck ./... && $(GO) mod tidy -diff
	cd internal/release && $(GO) vet ./... && $(GO) tool -modfile=../tools/go.mod staticcheck ./... && $(GO) mod tidy -diff
	cd internal/artifacts && $(GO) vet ./... && $(GO) tool -modfile=../tools/go.mod staticcheck ./... && $(GO) mod tidy -diff
	cd internal/artifacts && $(GO) tool actionlint -shellcheck= -pyflakes= ../../.github/workflows/*.yaml

lint:
	@unformatted=$$(gofmt -l .); test -z "$$unformatted" || { echo "gofmt -w $$unformatted"; exit 1; }
	$(GO) vet ./...
	$(STATICCHECK) ./...

# The packages that start goroutines, under the race detector, without long tests in which hardly anything runs at the
# same time. internal/cmd/concurrent finds the packages. TestStart is left out since it measures allocations, which the
# race detector changes. The scripts and tutorials of the command are left out since they start it 2,000 times, each
# time slowed down by the race detector, and the fuzz seeds since they run sequentially.
race:
	$(TEST) -race -short -timeout 40m -skip '^(TestScripts|TestTutorials|TestStart|Fuzz.*)$$' $$($(GO) run ./internal/cmd/concurrent pkg internal cmd | grep -v internal/performance)

# Ten million decisions of the matcher, compared with the space of all requests.
.PHONY: space
space:
	go test ./internal/space -run BruteForce -v -args -brute 10000000
	SLIPS=all go test ./internal/whatif/equivalence -run Slips -v

# Random worlds and requests for a while: memory, goroutines and open files must not grow.
DURATION ?= 10m
soak:
	$(GO) test ./cmd/admsim -run '^TestSoak$$' -soak $(DURATION) -timeout 0 -v

# A thousand watches and 64 writing clients for a minute, under the race detector: no event is lost, duplicated or out
# of order, and no goroutine is left.
soak-serve:
	$(TEST) -race ./internal/serve -run '^TestSoak$$' -soak 1m -timeout 20m -v

# Each fuzz target of each package for a while. Interesting inputs are not minimized for a minute each.
FUZZTIME ?= 20s
fuzz:
	@grep -ro --include=*_test.go '^func Fuzz[A-Za-z0-9_]*' pkg internal cmd | sort | while IFS=: read -r file target; do \
		dir=$$(dirname "$$file"); target=$${target#func }; echo "$$dir $$target"; \
		(cd "$$dir" && $(TEST) . -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x) || exit 1; \
	done

bench:
	$(GO) test -run '^$$' -bench . -benchmem ./pkg/... ./internal/...

# admsim compared with k8s.io/apiserver's own plugins, and with gator, kubectl-validate and conftest if they are on the
# PATH: the tables in docs/performance.md.
ROUNDS ?= 5
bench-peers:
	$(GO) run ./internal/cmd/bench -rounds $(ROUNDS) -o docs/performance.md

# admsim serve compared with a real kube-apiserver with etcd, built as for make reference: the table in docs/serve.md.
bench-serve: build
	@$(GO) -C internal/release build -o ../../bin/bench-serve ./cmd/serving
	@bin/bench-serve -o docs/serve.md

# admsim on inputs that are built to take a lot of time or memory: the table in docs/security.md.
hostile:
	$(GO) run ./internal/cmd/hostile -o docs/security.md

# Compares the answers to every recorded request in a folder with the server's. With CORPUS, folders that make harvest
# has created: differences from the lists in testdata/upstream are reported, and UPDATE=1 rewrites these lists and the
# tables in docs/fidelity.md.
conformance:
	$(GO) run ./internal/cmd/conformance $(if $(CORPUS),-known testdata/upstream $(if $(UPDATE),-update docs/fidelity.md) $(CORPUS),$(RECORDED))

# Rewrites every golden file of every package, the summaries of releases, the list of requests that do not agree yet,
# and the score in docs/fidelity.md. Commit only what you understand.
GOLDEN = $$($(GO) list -f '{{.ImportPath}} {{.TestImports}} {{.XTestImports}}' ./... | awk '$$1 !~ /golden$$/ && / .*internal\/golden/ {print $$1}')
update:
	$(TEST) $(GOLDEN) -update
	cd internal/differential && $(TEST) . -run BuiltInTypes -update
	cd internal/kubectl && $(TEST) . -run Tutorials -update

# Plays our scenarios against the real kube-apiserver of a release, built from published modules. Its answers go to the
# cache folder. FLAGS are further flags of the command, such as -only or -against. Needs etcd on the PATH, and minutes
# the first time; docs/release.md has the steps.
reference:
	@$(GO) -C internal/release build -o ../../bin/reference ./cmd/reference
	@bin/reference -version "$(VERSION)" $(FLAGS)

# A corpus from Kubernetes' own unit tests of a release, answered by its real kube-apiserver, and for admission plugins by
# their own code: in corpus/, which git ignores, since its content is upstream's.
harvest:
	@$(GO) -C internal/release build -o ../../bin/harvest ./cmd/harvest
	@bin/harvest -version "$(VERSION)" $(FLAGS)

# Kubernetes' own integration tests of a release, with the kube-apiserver of admsim: what differs from the list in
# testdata/integration. FLAGS are further flags of the command, such as -only. Needs Linux, and etcd on the PATH.
integration:
	@$(GO) build -o bin/admsim ./cmd/admsim
	@$(GO) -C internal/release build -o ../../bin/integration ./cmd/integration
	@bin/integration -version "$(VERSION)" -assets "$$(bin/admsim envtest bin/assets)" $(FLAGS)

# The differences between two releases of Kubernetes that concern admsim.
release-diff:
	@$(GO) -C internal/release build -o ../../bin/release-diff ./cmd/release-diff
	@bin/release-diff -from "$(FROM)" -to "$(TO)"

# The roles and bindings that a server of each release creates when it starts, from Kubernetes' own source:
# internal/bootstrap/roles.txt. Compared with the fixtures in Kubernetes' tests.
roles:
	@$(GO) -C internal/release build -o ../../bin/roles ./cmd/roles
	@bin/roles $(if $(TO),-add "$(TO)")

# The flags that a server of a release shows with their defaults, from the real one: make flagz VERSION=1.37.2.
flagz:
	@$(GO) -C internal/release build -o ../../bin/flagz ./cmd/flagz
	@bin/flagz -version "$(VERSION)"

# The columns of tables in all releases, from their sources: make columns RELEASES="1.10.13 … 1.38.0". The staging modules of
# later patch releases of 1.18, 1.25, 1.27 and 1.29 are not published.
RELEASES = 1.10.13 1.11.10 1.12.10 1.13.12 1.14.10 1.15.12 1.16.15 1.17.17 1.18.19 1.19.16 1.20.15 1.21.14 1.22.17 1.23.17 \
	1.24.17 1.25.4 1.26.15 1.27.8 1.28.15 1.29.14 1.30.14 1.31.14 1.32.13 1.33.13 1.34.2 1.35.4 1.36.3 1.37.2
columns:
	@$(GO) -C internal/release build -o ../../bin/columns ./cmd/columns
	@bin/columns $(RELEASES)

# What server-side apply merged otherwise in former releases, from their OpenAPI documents: internal/objects/merging.txt.
merging:
	@$(GO) -C internal/release build -o ../../bin/merging ./cmd/merging
	@bin/merging $(wordlist 5,100,$(RELEASES))

# The discovery documents of a release's real server and of admsim serve: make discovery VERSION=1.37.2.
discovery: build
	@$(GO) -C internal/release build -o ../../bin/discovery ./cmd/discovery
	@bin/discovery -version "$(VERSION)" -- $(FLAGS)

# All tables for a new release that come from its sources: make release-tables FROM=1.37.2 TO=1.38.0.
release-tables:
	@$(GO) -C internal/release build -o ../../bin/release-diff ./cmd/release-diff
	@bin/release-diff -from "$(FROM)" -to "$(TO)" -write
	@$(MAKE) roles TO="$(TO)"
	$(GO) run ./internal/cmd/openapi "$$(cd internal/release && $(GO) mod download -json "k8s.io/kubernetes@v$(TO)" | sed -n 's/^.*"Dir": "\(.*\)".*/\1/p')/api/openapi-spec"
	@$(MAKE) declared

# The rules that are declared with the types of k8s.io/api, for internal/objects/declared.
declared:
	$(GO) run ./internal/cmd/declared "$$($(GO) list -m -f '{{.Dir}}' k8s.io/api)" > internal/objects/declared/table.new
	mv internal/objects/declared/table.new internal/objects/declared/table.txt

# The same for packages that k8s.io/api no longer has, whose types are in internal/builtin: make declared-former
# FROM=0.36.3 PACKAGES=scheduling/v1alpha2.
declared-former:
	$(call declared-of,$(FROM),$(PACKAGES)) > internal/objects/declared/former.txt

# The numbers that the fields of types in internal/builtin have in protocol buffers, as their tags: those of all releases
# that had these types.
field-numbers:
	$(GO) mod download $(foreach folder,$(PUBLISHED),$(firstword $(subst /staging, ,$(subst /pkg, ,$(folder)))))
	$(GO) run ./internal/cmd/fieldnumbers internal/builtin $(addprefix "$$($(GO) env GOMODCACHE)"/,$(PUBLISHED))

PUBLISHED = k8s.io/kubernetes@v1.13.12/staging/src/k8s.io/api k8s.io/kube-aggregator@v0.37.2/pkg/apis $(addprefix k8s.io/api@v0.,\
	15.12 16.15 17.17 18.19 19.16 20.15 21.14 22.17 23.17 24.17 25.4 26.15 27.8 28.15 29.14 30.14 31.14 32.13 33.13 34.2 35.4 36.3 37.2)

# The rules that 1.33 to 1.35 declared for older kinds, for their gate DeclarativeValidationTakeover.
declared-takeover:
	$(call declared-of,0.33.13,core/v1) > internal/objects/declared/takeover-1.33.txt
	$(call declared-of,0.34.2,certificates/v1 core/v1) > internal/objects/declared/takeover-1.34.txt
	$(call declared-of,0.35.4,certificates/v1 core/v1 rbac/v1 resource/v1 resource/v1beta1 resource/v1beta2 storage/v1) > internal/objects/declared/takeover-1.35.txt

# The rules of some packages of a version of k8s.io/api.
declared-of = $(GO) run ./internal/cmd/declared "$$($(GO) mod download -json "k8s.io/api@v$(1)" | sed -n 's/^.*"Dir": "\(.*\)".*/\1/p')" $(2)
