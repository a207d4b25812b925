# The gate is `make test`; `make quick` is the inner loop. Everything else is part of the gate or of `make nightly`.

SHELL   := /bin/sh
GO      ?= go
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -X main.version=$(VERSION)
TOOL    := $(GO) tool -modfile=tools/go.mod
FUZZTIME ?= 20s

# A process with the race detector in it sleeps for a second when it ends, and a test of all
# packages starts many.
export GORACE ?= atexit_sleep_ms=10

# Programs that live for seconds on a few megabytes would collect garbage for a fifth of their CPU time: the ovi that
# tests start by the thousand, the compiler and the linker. The limit holds for a large one: the compiler takes 3.0 GB
# for the EC2 package instead of 2.5.
export GOGC       ?= 400
export GOMEMLIMIT ?= 3GiB

# What links the binary of a test writes no debugging information, which a third of its time is for. Stack traces have
# their lines without it.
GOTEST  := $(GO) test -vet=off -ldflags=-w

# The race detector makes a test four to five times slower. Law 4 forbids goroutines in PURE, and PLAIN starts none
# of its own: it drives those of the packages below, whose tests run with the detector. Of PLAIN, the tests in which
# several things happen at once run with it too (RACED); `make race` runs all. The tables of crashes stop one
# goroutine at a time.
PURE    := ^github.com/ovi-project/ovi/(resource|comparator|decider)(/|$$)
PLAIN   := ^github.com/ovi-project/ovi($$|/(cmd/ovi|provider/aws|source/chart|source/config)$$)
RACED   := TestABomb|TestAnInterrupt|TestAnotherTakes|TestTheOneThatLeads|TestTwoApplies|TestTwoHosts|TestTwentyFlights
RACED   := $(RACED)|TestALoop|TestListen|TestServed|TestSiteProcesses|TestRunOnASecured|TestTheWebhook|TestTwoStacks
RACED   := $(RACED)|TestNoFault|TestScenarioOnTheSandbox|TestA22|TestWaitsForDatabases|TestARegionOfWhich
RACED   := $(RACED)|TestScripts/(run|run-environments|run-rules|past|drift|source-away|source-unread|two-folders|timeouts|why)$$
RACED   := $(RACED)|TestCutAndWholeAgree|TestFilesAndBlocksInAnyOrder
# Each of these works for 4 seconds or more with the detector, and for a fifth to a tenth of it without.
LONG    := TestSingleBitFlips|TestASiteUnderFaults|TestTheCheckerFinds(Lost|Doubled)|TestLaw12_DrawnWorlds|TestRolloutsKeepTheirLaws
LONG    := $(LONG)|TestOnlyWhatTheLogProvesIsActedOn_EveryCarrier|TestAThousand|TestAFailedUpdateStopsNoHealing
LONG    := $(LONG)|TestNeverMoreAttemptsThanAllowed|TestWhatPassesHealsWithoutAnOperator|TestATransientErrorIsNoAttempt
LONG    := $(LONG)|TestWhatAnExchangeBeganEndsWhileItsSourceIsAway|TestTheTimeOfChecks|TestSoak|TestABadVersionIsTried
LONG    := $(LONG)|TestDefect3_Retries|TestAFailureOfAnUnknown|TestAPermanentError|TestTransientErrors|TestANewKeyIsAnAlert
LONG    := $(LONG)|TestDeletesAreAccepted|TestADeleteThat|TestAFightOverAValue|TestForgedApprovalsDelete
LONG    := $(LONG)|TestEveryEventArrivesOnce|TestTheMemoryOfAnOutbox|TestAFlippedBitIsNever|TestAResourceHistoryIsWhat
LONG    := $(LONG)|TestABrokenLogIsReopened
CRASHES := TestEveryCrash|TestEveryPair|TestCrashPoints|TestKilledProcess|TestEveryFaultIsSurvived
# Where tests of CRASHES and LONG are, and no others of these names.
SPARED  := engine|wal|cmd/edge/simulate|provider/edge/outbox|storage/bolt|ledger/history

# What takes too long for the gate, which has a short form of each. `make nightly` runs all of them.
NIGHTLY := race crashes damage drawn replaces law11 law12 kill100 kill200 kill50 cuts edge-faults faults-nightly powercut-nightly podman5 clusters moto release-check fuzz

.PHONY: build fetch format quick test raced plain half-ovi nightly lint bench demo check need golden quadlet terraform-state faults powercut release $(NIGHTLY)

build: need ## the binary, in bin/
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/ovi ./cmd/ovi

release: need ## the binary for linux/amd64, its SBOM, checksums and signature, in dist/ (OVI_RELEASE_KEY signs)
	@tools/release.sh

release-check: need ## two builds of a release in different folders have the same bytes, and the signature holds
	@tools/release-check.sh

need: ## install what the tests need (root on Debian), or say what is missing
	@tools/need.sh

fetch: need
	@tools/fetch.sh

format: need
	@out=$$(gofmt -l $$(git ls-files '*.go')); [ -z "$$out" ] || { echo "error: not formatted:" $$out; echo "  next: gofmt -w" $$out; exit 1; }

# What needs an etcd, a block device or minutes is left to `make test`.
quick: format ## the inner loop: format, vet, the fast tests without the race detector
	$(GO) vet ./...
	$(GO) test -short $$($(GO) list ./... | grep -v -e /storage/etcd$$ -e /test/bench/powercut$$ -e /cmd/ovi$$)
	$(GO) test -short -run 'TestScripts' ./cmd/ovi

# The tests of cmd/ovi run in two processes, because those that use Podman run one after the other in a process: Podmans
# in one network disturb each other's packet filters. Each process has a network of its own (internal/podmantest.Apart).
# Each half has as much to do as the other.
HALF    := ^TestA

# golangci-lint runs vet, on code compiled with the race detector as for the tests. The slow tests wait for half of
# their time, so four of a package run side by side on two cores, and the three parts of the tests do.
test: format fetch ## the gate: format, linters, layers, words, every test; with the race detector where goroutines are
	@$(MAKE) --no-print-directory lint
	@! grep -rlE --include='*_test.go' '^func ($(CRASHES)|$(LONG))' . | grep -v -E '^\./($(SPARED)|decider)/' || { echo "error: tests called as tables of crashes, or as long tests, are run in these folders alone: $(SPARED)"; exit 1; }
	@$(GOTEST) -c -o /dev/null ./cmd/ovi # both halves need it: the EC2 package is not compiled twice at a time
	@$(MAKE) --no-print-directory -j3 raced plain half-ovi

raced:
	$(GOTEST) -race -skip '$(CRASHES)|$(LONG)' -parallel 4 -timeout 60m $$($(GO) list ./... | grep -v -E '$(PURE)|$(PLAIN)')
	$(GOTEST) -run '$(CRASHES)|$(LONG)' -parallel 4 -timeout 30m $(patsubst %,./%/...,$(subst |, ,$(SPARED)))
	cd tools/verify && $(GO) test ./...
	cd test/faultrun && $(GO) vet -race ./... && $(GOTEST) -race -parallel 4 -timeout 30m ./...
	cd test/faultrun && $(GOTEST) -race -count=1 -run TestNamespacesDropPackets -v . # prints which network was used

plain:
	$(GOTEST) -skip '$(HALF)' -parallel 4 -timeout 60m ./cmd/ovi
	$(GOTEST) -parallel 4 -timeout 60m $$($(GO) list ./... | grep -v /cmd/ovi$$ | grep -E '$(PURE)|$(PLAIN)')

half-ovi:
	$(GOTEST) -run '$(HALF)' -parallel 4 -timeout 60m ./cmd/ovi
	$(GOTEST) -race -run '$(RACED)' -parallel 4 -timeout 30m ./cmd/ovi ./provider/aws ./source/config

# It goes on after a failure, and its last line names what failed.
nightly: need ## all that the gate has in a short form: hours; before an issue is closed, its result into the note
	@failed=; for t in $(NIGHTLY); do echo "== make $$t"; OVI_DRAWS=new $(MAKE) --no-print-directory $$t || failed="$$failed $$t"; done; \
	[ -z "$$failed" ] || { echo "nightly: failed:$$failed"; exit 1; }; echo "nightly: passed: $(NIGHTLY)"

check: test ## the same as test

lint: need ## golangci-lint, pinned in tools/go.mod; building it the first time takes minutes
	@lint=$$($(TOOL) -n golangci-lint) && echo "golangci-lint run ./..." && GOFLAGS="$$GOFLAGS -race" "$$lint" run ./...

fuzz: need ## each decoder for FUZZTIME (20s; `make nightly FUZZTIME=10m` for longer)
	@tools/fuzz.sh $(FUZZTIME)

bench: export GOGC =
bench: export GOMEMLIMIT =
bench: need ## the figures of docs/dev/evidence.md
	$(GO) run ./test/bench/plan
	$(GO) run ./test/bench/memory -events 100000,1000000
	$(GO) run ./test/bench/wal

demo: build ## plan, apply, break something, plan: against the sandbox
	@tools/demo.sh bin/ovi

golden: need ## rewrite the golden files and the generated pages; then read the difference
	$(GO) test . ./render ./cmd/ovi ./source/config ./decider/cel -update

kill100: need ## kill -9 at 100 random moments of an apply (10 in `make test`)
	OVI_KILLS=100 $(GO) test -count=1 -run TestKilledAtAnyMoment -timeout 30m -v ./cmd/ovi

kill200: need ## the same with updates, replaces and deletes among the actions, 200 times (6 in `make test`)
	OVI_KILLS=200 $(GO) test -count=1 -run TestKilledAmongAllActions -timeout 60m -v ./cmd/ovi

kill50: need ## kill -9 at 50 calls of a swap of a container, on a real Podman (6 in `make test`)
	OVI_KILLS=50 $(GO) test -count=1 -run TestASwapOfAContainerSurvivesKills -timeout 30m -v ./cmd/ovi

powercut: need ## cut the power under the audit log on ext4 and xfs, 100 times (root; 40 in `make test`)
	OVI_CUTS=100 $(GO) test -count=1 -v ./test/bench/powercut

powercut-nightly: need ## 10,000 power cuts on ext4 and 1,000 on xfs, and controls that must lose data (root)
	$(GO) build -o bin/powercut ./test/bench/powercut
	bin/powercut -fs ext4 -cuts 10000
	bin/powercut -fs xfs -cuts 1000
	bin/powercut -fs ext4 -cuts 100 -nosync
	bin/powercut -fs xfs -cuts 100 -nosync

clusters: need ## every promise of a provider and six rows on real kind and k3d (Linux, root; nightly: the gate has the essential ones)
	OVI_CLUSTERS=all $(GO) test -count=1 -timeout 40m -run 'KeepsThePromises' -v ./provider/cluster
	OVI_CLUSTERS=all $(GO) test -count=1 -timeout 40m -run 'Fleet|ARoute|Cluster' -v ./cmd/ovi

moto: need ## every script for moto (two in `make test`)
	OVI_MOTO=all $(GO) test -count=1 -timeout 30m -run 'OnMoto' -v ./cmd/ovi

PODMAN5 := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/ovi-test/podman5

podman5: need ## the tests on Podman 5, which is built the first time (nightly; `make test` uses the machine's Podman)
	cd tools/podman && $(GO) build -tags 'containers_image_openpgp exclude_graphdriver_btrfs exclude_graphdriver_devicemapper' -o $(PODMAN5) github.com/containers/podman/v5/cmd/podman
	OVI_TEST_PODMAN=$(PODMAN5) $(GO) test -count=1 -timeout 30m ./internal/podmantest ./provider/podman/...
	OVI_TEST_PODMAN=$(PODMAN5) $(GO) test -count=1 -timeout 30m -run 'Podman|Container|Image|Shop|Swap' ./cmd/ovi

quadlet: need ## let the generator of Podman 5 read the units of `ovi export quadlet`
	cd tools/podman && CGO_ENABLED=0 $(GO) build -o $(PODMAN5)-quadlet github.com/containers/podman/v5/cmd/quadlet
	OVI_QUADLET=$(PODMAN5)-quadlet $(GO) test -count=1 -run TestTheGeneratorTakesTheUnits -v ./provider/podman/byhand

MIRROR := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/ovi-test/terraform

terraform-state: need ## let Terraform create a stack on moto, record its state again and import it (terraform and moto_server on PATH; not part of the gate)
	cd tools/terraform && CGO_ENABLED=0 $(GO) build -o $(MIRROR)/registry.terraform.io/hashicorp/aws/1.60.0/$$($(GO) env GOOS)_$$($(GO) env GOARCH)/terraform-provider-aws_v1.60.0 .
	OVI_TERRAFORM_MIRROR=$(MIRROR) $(GO) test -count=1 -run TestTerraformOnMoto -v ./cmd/ovi

race: need ## every test with the race detector (`make test`: neither LONG nor, but for RACED, PLAIN)
	$(GO) test -race -count=1 -skip '$(CRASHES)' -parallel 4 -timeout 90m ./...

crashes: need ## a crash at every point, every pair of crashes, and 10,000 drawn power cuts of the log (in `make test` one point of seven, one pair of nine, 1,000)
	OVI_CRASHES=all $(GO) test -count=1 -run '$(CRASHES)' -timeout 30m ./engine/... ./wal/...

damage: need ## each byte of a log changed, 200 bits of each file flipped, each system call failed once (25 calls and 4 bits in `make test`)
	OVI_WAL_EVERY_BYTE=1 $(GO) test -count=1 -run TestSingleBitFlips -timeout 60m ./wal/...
	OVI_FLIPS=200 OVI_FAULTS=all $(GO) test -count=1 -run 'TestAFlippedBitIsNamed|TestAnySystemCallFails' -timeout 120m ./cmd/ovi

replaces: need ## each resource of each kind of AWS replaced, with each strategy (five in `make test`)
	OVI_REPLACES=all $(GO) test -count=1 -run TestNoReplacementStopsHalfway -timeout 30m ./cmd/ovi

drawn: need ## every test that draws, with new draws; a failure prints its seed (the same draws each time in `make test`)
	OVI_DRAWS=new $(GO) test -count=1 -timeout 60m $$($(GO) list -f '{{.ImportPath}} {{.TestImports}} {{.XTestImports}}' ./... | grep -E '/internal/drawn|/storagetest' | cut -d' ' -f1)

law11: need ## 100,000 worlds with exclusive things, renames, exchanges and crashes (2,000 in `make test`); a failure prints its seed
	OVI_DRAWS=new $(GO) test -count=1 -run TestLaw11 -timeout 60m ./decider -rapid.checks=100000

law12: export OVI_LAW12_DRAWS = 10000
law12: need ## 10,000 worlds of two loops with slow calls, commits, drifts, crashes and lost leads (24 in `make test`)
	@$(GO) test -count=1 -run 'TestLaw12_DrawnWorlds/[02468]$$' -timeout 180m ./engine & even=$$!; \
	$(GO) test -count=1 -run 'TestLaw12_DrawnWorlds/[13579]$$' -timeout 180m ./engine; odd=$$?; wait $$even && exit $$odd

faults: need ## three minutes of faults over five instances, three members of etcd and 500 resources (half a minute with 60 in `make test`)
	cd test/faultrun && OVI_FAULTS=3m $(GO) test -parallel 4 -run 'TestFaultRun|TestFencing' -timeout 20m -v .

faults-nightly: need ## the same for half an hour, with the race detector in every instance
	cd test/faultrun && OVI_DRAWS=new OVI_FAULTS=30m $(GO) test -race -parallel 4 -run 'TestFaultRun|TestFencing' -timeout 90m -v .

cuts: need ## a minute without a network to the store, the provider and the source, cut and silent (a second, cut, in `make test`)
	OVI_CUT=1m $(GO) test -count=1 -run TestACutOfTheNetwork -timeout 30m -v ./cmd/ovi

edge-faults: need ## ten minutes of faults over the processes of a site: 20 nodes and both orchestrators (12 s of 4 nodes in `make test`)
	OVI_EDGE_FAULTS=10m $(GO) test -race -count=1 -run TestSiteProcessesUnderFaults -timeout 30m -v ./cmd/ovi
