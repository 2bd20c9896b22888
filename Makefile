# The two commands for newcomers are `make demo` and `make test`.

GO ?= go
OUT ?= zoosim-report

# What takes longer than the race detector is worth is left out of RACE.
RACE = ./sim/... ./zkmodel ./zkmodel/wire ./zkmodel/serverloop ./zkmodel/front ./faults ./checker ./recipes/... ./scenarios/simzk ./scenarios/histfile
# Of scenarios, what runs on several goroutines, and the trace hashes.
RACE_SCENARIOS = SameHashes|TestSearchDoesNotDependOnWorkers|CompareMeets|CutOff|UsedRunner|MemoWalks

# Random scripts for the conformance suite: how many, and the first seed.
SEQUENCES ?= 10000
SEED ?= 1
# How long each fuzz target runs.
FUZZTIME ?= 10m
# The release of gremlins (github.com/go-gremlins/gremlins).
GREMLINS = v0.6.0
# The first letters of the checker's files.
MUTATED = $(sort $(shell ls checker | grep -v _test.go | grep '[.]go$$' | cut -c 1))

.PHONY: demo zoo test race lint fmt bench spin campaign conform conform-sequences conform-clients conform-live fuzz mutation bench-tcp build

## demo: compare the lock variants under faults and write a report folder
demo: build
	bin/zoosim compare lock --out $(OUT)

## zoo: find every known fault, and write the page reports/gallery/zoo.md
zoo: build
	bin/zoosim zoo --out zoosim-zoo
	cp zoosim-zoo/zoo.md reports/gallery/zoo.md

## test: every test that is not a campaign
test:
	$(GO) test ./...

## race: the same under the race detector, where it is affordable
race:
	$(GO) test -race -timeout 30m $(RACE)
	$(GO) test -race -timeout 30m -run '$(RACE_SCENARIOS)' ./scenarios

## lint: vet, staticcheck and gofumpt's check
lint:
	$(GO) vet ./...
	$(GO) tool staticcheck ./...
	@files=$$($(GO) tool gofumpt -l .); test -z "$$files" || { echo "gofumpt would change:"; echo "$$files"; exit 1; }

## fmt: what lint asks for
fmt:
	$(GO) tool gofumpt -w .

## bench: the benchmarks behind the numbers in README
bench:
	$(GO) test -run '^$$' -bench . ./sim ./zkmodel ./checker ./scenarios

## bench-tcp: the model behind its port against the real server, in turns
bench-tcp:
	$(GO) test ./zkmodel/front -run '^$$' -bench TCP -benchtime 3000x -timeout 30m

## campaign: what takes long
campaign:
	ZOOSIM_CLIENTS=256 $(GO) test ./scenarios -run TestStandardWorkload -count 1 -timeout 60m -v
	ZOOSIM_RUNS=100000 $(GO) test ./scenarios -run TestPromisedClasses -count 1 -timeout 300m -v
	ZOOSIM_COMPARED=1000 $(GO) test ./scenarios -run TestFamiliesMeetTheExpectationTable -count 1 -timeout 60m -v
	ZOOSIM_LIVENESS=100000 $(GO) test ./scenarios -run TestNoFalseAlarm -count 1 -timeout 60m -v
	ZOOSIM_ORACLE=200000 $(GO) test ./checker -run Oracle -count 1 -timeout 300m -v
	ZOOSIM_PROOFS=1 $(GO) test ./scenarios -run 'TestSearches|TestReductions|TestFavouring|TestFailures|TestCounts|TestStatesOfEqualKey|TestTransitions|TestIdentity|TestReplication|TestALockIsProved|TestCorrectVariantsAreSearchedCompletely' -count 1 -timeout 5h -v
	ZOOSIM_ENSEMBLES=100000 $(GO) test ./zkmodel -run TestRandomEnsembles -count 1 -timeout 120m -v
	ZOOSIM_ENSEMBLE_SEEDS=1000 $(GO) test ./scenarios -run TestLocksOnAnEnsemble -count 1 -timeout 60m -v

## spin: the search beside spin's of a model of the same lock (Debian: spin, gcc)
spin: build
	scenarios/testdata/spin/compare.sh bin/zoosim

## conform: hold the model against the real ZooKeeper
conform: conform-sequences conform-clients conform-live

## conform-sequences: the golden and SEQUENCES random scripts on both arms
conform-sequences:
	$(GO) test -c -o bin/conform.test ./zkmodel/conform
	cd zkmodel/conform && ../../bin/conform.test -test.run 'Golden|Sequences' -test.timeout 2h -live -sequences $(SEQUENCES) -first $(SEED)

## conform-clients: Curator, Kazoo and go-zookeeper on the real server and on the model
conform-clients:
	$(GO) test ./zkmodel/conform/clients -count 1 -v -timeout 30m -live

## conform-live: recipes on the real server, from the same source
conform-live:
	$(GO) test ./scenarios -run 'TestLiveOnTheRealServer|TestItemOverTheLimit' -count 1 -v -timeout 30m -live

## fuzz: the fuzz targets of codec and server loop, FUZZTIME each
fuzz:
	$(GO) test ./zkmodel/wire -run '^$$' -fuzz '^FuzzRequest$$' -fuzztime $(FUZZTIME)
	$(GO) test ./zkmodel/wire -run '^$$' -fuzz '^FuzzResponse$$' -fuzztime $(FUZZTIME)
	$(GO) test ./zkmodel/wire -run '^$$' -fuzz '^FuzzConnect$$' -fuzztime $(FUZZTIME)
	$(GO) test ./zkmodel/wire -run '^$$' -fuzz '^FuzzFrames$$' -fuzztime $(FUZZTIME)
	$(GO) test ./zkmodel/serverloop -run '^$$' -fuzz '^FuzzLoop$$' -fuzztime $(FUZZTIME)
	$(GO) test ./zkmodel/front -run '^$$' -fuzz '^FuzzEnsemble$$' -fuzztime $(FUZZTIME)

## mutation: the checker's mutants, of which its tests must kill 90 % (hours; goes on where it was stopped); those that live are in checker/MUTANTS.md
mutation: $(MUTATED:%=bin/mutants/%.json)
	ZOOSIM_MUTANTS=bin/mutants $(GO) test . -run TestMutants -count 1 -v

# The mutants of the files with one first letter. Most of the time goes into
# compiling, so that is told to hurry; a tenth of the random histories kills as
# many mutants.
bin/mutants/%.json: $(wildcard checker/*.go) .gremlins.yaml | bin/gremlins
	mkdir -p bin/mutants
	ZOOSIM_ORACLE=200 GOGC=800 GOFLAGS="-vet=off -count=1 -ldflags=-s '-gcflags=-N -l -dwarf=false'" bin/gremlins unleash ./checker --exclude-files '(^|/)[^$*/][^/]*$$' --output $@.tmp
	mv $@.tmp $@

bin/gremlins:
	GOBIN=$(CURDIR)/bin $(GO) install github.com/go-gremlins/gremlins/cmd/gremlins@$(GREMLINS)

## build: the command in bin/
build:
	$(GO) build -o bin/zoosim ./cmd/zoosim
