# The only door to the recipes. `make` alone lists them.

DESTDIR ?=
prefix ?= /usr/local
BINARIES ?=
COMMANDS ?= 1000000
SEEDS ?= 100000
ROUNDS ?= 1000
MUTATIONS ?= 100000
STATES ?= 10000000
SCRIPTS ?= 20
CUTS ?= 100
DAYS ?= 800
SECONDS ?= 300
EVENTS ?= 1000000
PURCHASES ?= 10000
RECORDS ?= 20000
ORDERS ?= 1000000
WORKERS ?=
EXAMPLES ?= 500
SECONDS_EACH ?= 60
SANITIZER ?= thread
BENCH ?= --rounds 3 --seconds 2

imports = --explicit-target-dependency-import-check error
# Every test runs from start to end without waiting for most of the others: few at a time.
run_tests = swift test --disable-xctest $(imports) --experimental-maximum-parallelization-width 4
# The same as a release is compiled, beside it: what runs for long runs several times as fast.
run_optimized = $(run_tests) -c release --scratch-path .build/optimized
# C is compiled for size; the hot parts of the cryptography are assembler. Only code that is called is
# linked: each function has a section of its own, and none is kept because another module could call it.
sections = -Xcc -Os -Xswiftc -Xfrontend -Xswiftc -function-sections -Xswiftc -Xfrontend -Xswiftc -internalize-at-link \
    -Xcc -ffunction-sections -Xcc -fdata-sections
# All addresses are fixed up at the start and are read-only from then on, and no library is looked for beside the
# program.
hardening = -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now --disable-local-rpath
# Nothing loads these programs as a library. Exported symbols would keep code that nobody calls, and the
# runtime looks through all of them at each start. glibc reads packed relocations since 2.36, Debian 12's.
linking = -Xswiftc -use-ld=lld -Xlinker --no-export-dynamic -Xlinker --icf=all -Xlinker -z -Xlinker pack-relative-relocs \
    -Xlinker --no-eh-frame-hdr -Xlinker -T$(abspath systemd/programs.ld)
release_flags = -c release --static-swift-stdlib $(sections) $(linking) $(hardening) $(imports)
release_bin = .build/release
debug_bin = .build/debug
# The client of store servers takes as long to compile as all else: it is left out until a build has it.
quick = $(if $(wildcard $(debug_bin)/payqueue-store),,PAYQUEUED_WITHOUT_STORES=1)
debugging = for product in $(1); do $(2) \
    .ci/progress .build/debug.log swift build $(imports) --product $$product || exit; done
picture = Tests/EndToEndTests/Recorded/picture.py
# What is installed and packed: the release build, or what BINARIES=… names, and then nothing is built.
programs = $(shell sed -n 's/.*\.executable.name: "\([a-z-]*\)".*/\1/p' Package.swift)
packing = bins="$(abspath $(or $(BINARIES),$(release_bin)))" manuals="$(abspath .build/man)"
SUITE ?= bookworm
SUITES ?= bookworm trixie
IDLE ?= 120
lab = python3 Tests/EndToEndTests/Lab/lab.py --bins $(or $(BINARIES),$(release_bin)) --package .build/payqueued_*.deb
SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || date +%s)
sources = Package.swift Sources Tests

# What tests and packing take on a Debian machine beside Swift and make; building and the demo take nothing.
# Elsewhere the tools are taken as given, and so is on Debian what is there, wherever it comes from.
packages = socat netcat-openbsd jq strace systemd python3 mandoc etcd-server
deb_packages = binutils lintian
oci_packages = binutils skopeo
bare_packages = $(deb_packages) $(oci_packages) debootstrap
market_packages = python3 nodejs python3-venv
# The toolchains of the clients and of the recipes.
client_packages = nodejs node-typescript golang-go cargo librust-serde-derive-dev librust-serde-json-dev \
    python3-venv shellcheck gcc libcjson-dev perl php-cli default-jdk-headless libgoogle-gson-java
# File systems, and what disables syncs, for the tests of real faults.
fault_packages = python3 xfsprogs e2fsprogs eatmydata
faults = python3 Tests/EndToEndTests/Lab
fault_programs = $(foreach p,payqueued payqueuectl,--$(p)=$(or $(BINARIES),$(release_bin))/$(p))
# The peers that the benchmark compares with, and the tool that counts system calls.
bench_packages = redis-server beanstalkd strace
# A real browser, for the tests of the pages.
browser_packages = chromium chromium-driver python3-venv
probe_etcd-server = command -v etcd
probe_netcat-openbsd = nc -h 2>&1 | grep -q OpenBSD
probe_systemd = command -v systemd-analyze
probe_binutils = command -v readelf
probe_nodejs = command -v node
probe_xfsprogs = command -v mkfs.xfs
probe_e2fsprogs = command -v mkfs.ext4
probe_chromium-driver = command -v chromedriver
probe_python3-venv = python3 -c 'import ensurepip'
is_there = $(shell { $(or $(probe_$(1)),command -v $(1)); } >/dev/null 2>&1 && echo yes)
missing = $(if $(shell command -v dpkg-query),$(strip $(foreach p,$(1),$(if $(call is_there,$(p)),,$(p)))))
may_install = $(shell test `id -u` = 0 && echo yes || { sudo -n true && echo yes; } 2>/dev/null)
ensure = $(if $(1),@.ci/packages $(1) >&2,@:)

# Without the right to install, make says what to install and exits with 1: it is only asked whether
# everything is up to date, since any failing recipe would make it exit with 2.
testing = test check release e2e model simulate mutations nth-failures crash-states bit-flips fuzz sanitize mutants kills clock-jumps merge-cuts merge-kills store-faults store-restores store-api workers \
    long-history slow-reader pages lab bare-lab bare cluster-clients
needed = $(if $(filter $(testing),$(MAKECMDGOALS)),$(packages)) \
    $(if $(filter bench,$(MAKECMDGOALS)),$(bench_packages)) \
    $(if $(filter market,$(MAKECMDGOALS)),$(market_packages)) \
    $(if $(filter picture,$(MAKECMDGOALS)),python3) \
    $(if $(filter clients,$(MAKECMDGOALS)),$(client_packages)) \
    $(if $(filter pages,$(MAKECMDGOALS)),$(browser_packages)) \
    $(if $(filter power-cuts io-faults full-disks histories,$(MAKECMDGOALS)),$(fault_packages)) \
    $(if $(filter deb lab,$(MAKECMDGOALS)),$(deb_packages)) \
    $(if $(filter tarball,$(MAKECMDGOALS)),binutils) $(if $(filter oci,$(MAKECMDGOALS)),$(oci_packages)) \
    $(if $(filter bare bare-lab fresh,$(MAKECMDGOALS)),$(bare_packages))
ifneq ($(call missing,$(needed)),)
ifeq ($(may_install),)
$(info These packages are missing; as root: apt-get install --no-install-recommends $(call missing,$(needed)))
MAKEFLAGS += q
endif
endif

.PHONY: help clients deps-clients demo picture debug market build test lint format docs texts e2e model simulate mutations nth-failures crash-states bit-flips fuzz sanitize mutants kills power-cuts io-faults full-disks clock-jumps histories cluster cluster-clients cluster-moves cluster-pauses cluster-handovers cluster-rates merge-cuts merge-kills store-faults store-restores store-api workers long-history man pages slow-reader bench \
    install deb tarball oci lab bare bare-lab fairness hostile recipe fresh bare-roots check release deps deps-picture deps-bench deps-market deps-pages deps-faults deps-deb deps-oci deps-bare binaries daemon
.DEFAULT_GOAL := help

help: ## list the recipes
	@sed -n 's/^\([a-z0-9-]*\):[^#]*## /\1\t/p' Makefile | expand -t 12

demo: debug ## show purchases, a crash, a restore and a refund, then leave nothing running
	@$(debug_bin)/payqueuectl demo --daemon $(debug_bin)/payqueued

picture: debug deps-picture ## draw the demo as it runs into the picture of the README
	@python3 $(picture) $(debug_bin)/payqueuectl demo --daemon $(debug_bin)/payqueued

debug: ## build payqueued and payqueuectl for debugging into .build/debug; `make test` reuses the build
	@$(call debugging,payqueued payqueuectl,$(quick))

market: deps-market ## show a store, two devices and two publishers: purchase, renewal, restore, refund
	@$(if $(BINARIES),:,$(call debugging,$(programs)))
	@python3 clients/market.py --bins $(or $(BINARIES),$(debug_bin))

build: ## build everything for debugging, undeclared imports refused
	@.ci/progress .build/debug.log swift build --build-tests $(imports)
	@.ci/bill check

# Failures are repeated at the end, since a log may be cut; the runner's own count closes it.
test: SHELL = bash
test: deps build ## run all tests
	@set -o pipefail && $(run_tests) --skip-build 2>&1 | tee .build/test.log || { \
	    echo; echo 'What failed:'; grep -aE '(✘|↳|error:|Fatal)' .build/test.log | \
	    grep -avE 'Test run with|Suite .* failed after' | cut -c1-800 | head -n 60; \
	    grep -a 'Test run with' .build/test.log | tail -n 1; false; }

lint: ## check format and style, any finding fails
	@swift format lint --strict -r -p $(sources)

format: ## rewrite the sources in house format
	@swift format -i -r -p $(sources)

# The pages link to each other as files, which repositories show; DocC has a form of its own for that.
docs: ## build the documentation into .build/docs, warnings fail
	@rm -rf .build/pages && mkdir -p .build/pages && cp -R Sources/payqueued/Documentation.docc .build/pages
	@find .build/pages -name '*.md' -exec sed -i -E \
	    's,\]\((Decisions/|\.\./)?([A-Za-z0-9-]+)\.md(#[^)]*)?\),](doc:\2\3),g; s,\[([^]]*)\]\(\.\./[^)]*\),\1,g; s,\]\(Resources/,](,g' {} +
	@sed -i '1a\\n@Metadata {\n    @TechnologyRoot\n}' .build/pages/Documentation.docc/payqueued.md
	@docc convert .build/pages/Documentation.docc --warnings-as-errors --output-path .build/docs \
	    --fallback-display-name payqueued --fallback-bundle-identifier payqueued

texts: ## collect every text that users meet, with file and line, into .build/texts.txt
	@PAYQUEUED_TEXTS="$(abspath .build/texts.txt)" $(run_tests) --filter TidyTests.TidyTests/texts

e2e: deps ## run the end-to-end tests on the real binary
	@$(run_tests) --filter EndToEndTests

model: deps ## compare the queue with its model over COMMANDS=… random commands, optimized
	@PAYQUEUED_MODEL_COMMANDS=$(COMMANDS) $(run_optimized) --filter PaymentCoreTests.ReferenceTests

# One seed that is looked at is run as it is debugged.
simulate: deps ## run SEEDS=… seeded simulations, optimized
	@PAYQUEUED_SIMULATION_SEEDS=$(SEEDS) \
	    $(if $(PAYQUEUED_SIMULATION_SEED),$(run_tests),$(run_optimized)) --filter SimulationTests

mutations: deps ## judge MUTATIONS=… damaged state directories by a start and by a verification, optimized
	@PAYQUEUED_MUTATIONS=$(MUTATIONS) $(run_optimized) --filter PaymentStorageTests.MutationTests

nth-failures: deps ## let each call to the disk fail with each error, in SCRIPTS=… drawn lives as well, optimized
	@PAYQUEUED_FAILURE_SCRIPTS=$(SCRIPTS) $(run_optimized) --filter PaymentStorageTests.NthFailureTests

crash-states: deps ## judge STATES=… rebuilt disks by a start, optimized; another run continues
	@PAYQUEUED_CRASH_STATES=$(STATES) PAYQUEUED_CRASH_LOG=$(abspath .build/crash-states.ndjson) \
	    $(run_optimized) --filter PaymentStorageTests.CrashStateTests

bit-flips: deps ## change every bit and every sector of every file of small directories, optimized
	@PAYQUEUED_BIT_STRIDE=1 $(run_optimized) --filter PaymentStorageTests.BitFlipTests

fuzz: deps ## draw inputs for every reader by the coverage of its code, SECONDS_EACH=… for each; FUZZ='json token' for some
	@python3 Tests/Fuzz/fuzz.py --seconds $(SECONDS_EACH) $(FUZZ)

sanitize: deps ## run the tests with SANITIZER=thread or address; FILTER='JSONRPCTests …' for some
	@TSAN_OPTIONS=suppressions=$(abspath Tests/Sanitizers/thread.txt) ASAN_OPTIONS=detect_leaks=0 $(run_tests) --sanitize=$(SANITIZER) --scratch-path .build/$(SANITIZER) $(addprefix --filter ,$(FILTER))

mutants: deps ## leave out or turn round each sync, rename, check, error path and reply order; every mutant must fail a test
	@python3 Tests/Mutants/mutants.py

kills: deps ## run ROUNDS=… of load, kill -9, restart
	@PAYQUEUED_KILL_ROUNDS=$(ROUNDS) $(run_tests) --filter EndToEndTests.KillTests

power-cuts: deps-faults daemon ## cut the power of ext4 and XFS CUTS=… times under load, a control without syncs; as root
	@$(faults)/power_cuts.py $(fault_programs) --cuts $(CUTS)

io-faults: deps-faults daemon ## let the disk fail, fill up and be read-only, and descriptors and memory run out; as root
	@$(faults)/io_faults.py $(filter --payqueued=%,$(fault_programs))

full-disks: deps-faults daemon ## fill disks of SIZES=48,… MiB by adds, then by others, and finish everything; PARTS=…; as root
	@$(faults)/full_disks.py $(filter --payqueued=%,$(fault_programs)) $(if $(SIZES),--sizes $(SIZES)) $(PARTS)

clock-jumps: deps daemon ## set the clock to and fro under load, ROUNDS=… of jumps, load and kill -9; DAYS=… for the largest jump
	@$(faults)/clock_jumps.py $(fault_programs) --rounds $(ROUNDS) --days $(DAYS)

merge-cuts: deps ## cut the power at each call of the merge of two journals with RECORDS=… payments and orders, optimized
	@PAYQUEUED_MERGED_RECORDS=$(RECORDS) $(run_optimized) --filter PaymentStorageTests.MergingTests

merge-kills: deps daemon ## kill the merge of a DIRECTORY=… of an earlier version ROUNDS=… times, at random moments
	@$(faults)/merge_kills.py $(fault_programs) --directory $(DIRECTORY) --rounds $(ROUNDS)

histories: deps-faults daemon ## check for SECONDS=… what clients see under faults; PLANTED=all plants defects, SEED=… repeats; as root
	@$(faults)/histories.py $(filter --payqueued=%,$(fault_programs)) --seconds $(SECONDS) \
	    $(if $(SEED),--seed $(SEED)) $(if $(PLANTED),--planted $(PLANTED))

cluster: ROUNDS = 20
cluster: deps-cluster daemon ## kill, stop and cut off nodes and members of etcd in ROUNDS=… rounds or for MINUTES=…; SEED=… repeats
	@$(faults)/cluster.py $(fault_programs) $(if $(MINUTES),--minutes $(MINUTES),--rounds $(ROUNDS)) \
	    $(if $(SEED),--seed $(SEED))

cluster-clients: deps build ## run the tests of the client libraries over etcd, at the owner of the queue and at a follower
	@for mode in owner follower; do PAYQUEUED_TEST_NODES=$$mode $(run_tests) --skip-build \
	    --filter 'EndToEndTests.(Client|Transcript|WorkerKill|Recipe)' || exit 1; done

cluster-moves: MOVES = 1000
cluster-moves: deps-cluster daemon ## have readers of nodes that die continue at other nodes by their cursors, MOVES=… times
	@$(faults)/cluster_cursors.py $(filter --payqueued=%,$(fault_programs)) --moves $(MOVES)

cluster-pauses: PAUSES = 100
cluster-pauses: deps-cluster binaries ## pause owners for 30 s, PAUSES=… times in ten clusters, and see what etcd and the store take of them
	@$(faults)/cluster_pauses.py $(filter --payqueued=%,$(fault_programs)) \
	    --payqueue-store=$(or $(BINARIES),$(release_bin))/payqueue-store --pauses $(PAUSES) --clusters 10

cluster-handovers: HANDOVERS = 20
cluster-handovers: deps-cluster binaries ## have the owner give the queue away HANDOVERS=… times, and measure each
	@$(faults)/cluster_handovers.py --payqueued=$(or $(BINARIES),$(release_bin))/payqueued --rounds $(HANDOVERS)

cluster-rates: deps-cluster daemon ## compare adds over etcd with bare transactions of etcd, and measure reads at a follower
	@$(faults)/cluster_rates.py $(filter --payqueued=%,$(fault_programs))

store-faults: deps ## make PURCHASES=… purchases over a faulty way to a store that comes and goes
	@PAYQUEUED_FAULTY_PURCHASES=$(PURCHASES) $(run_tests) --filter StoreClientTests.FaultyWayTests
	@PAYQUEUED_FAULTY_PURCHASES=$(PURCHASES) $(run_tests) --filter EndToEndTests.StoreFaultTests
	@PAYQUEUED_STORE_ROUNDS=$(ROUNDS) $(run_tests) --filter EndToEndTests.StoreServerTests

store-restores: deps ## wipe a store and restore its backup ROUNDS=… times, two daemons before it
	@PAYQUEUED_RESTORE_ROUNDS=$(ROUNDS) $(run_tests) --filter EndToEndTests.StoreRestoreTests

store-api: deps ## have schemathesis try EXAMPLES=… requests on each operation of the store; SEED=… repeats
	@PAYQUEUED_API_EXAMPLES=$(EXAMPLES) PAYQUEUED_API_SEED=$(or $(SEED),`date +%s`) \
	    $(run_tests) --filter EndToEndTests.StoreAPITests

clients: deps-clients ## install the toolchains of the clients, build each client and run all of its tests
	@$(run_tests) --filter PaymentAPITests.ClientTypesTests --filter EndToEndTests.Client \
	    --filter EndToEndTests.WorkerKillTests --filter EndToEndTests.RecipeTests

workers: deps ## let each worker (or WORKERS='python shell') unlock PURCHASES=… while the daemon dies every second
	@PAYQUEUED_WORKERS="$(WORKERS)" PAYQUEUED_WORKER_PURCHASES=$(PURCHASES) $(run_tests) --filter EndToEndTests.WorkerKillTests

long-history: deps ## read the signed history of an account with ORDERS=… orders, page by page
	@PAYQUEUED_HISTORY_ORDERS=$(ORDERS) $(run_tests) --filter EndToEndTests.LongHistoryTests

pages: deps-pages ## try the pages in a browser: empty, busy, with 100,000 transactions, in every size and colour
	@PAYQUEUED_PAGE_COUNTS=0,1000,100000 $(run_tests) --filter EndToEndTests.PagesTests

man: binaries ## write man pages and shell completions into .build/man and .build/completions
	@$(or $(BINARIES),$(release_bin))/payqueuectl manual --into .build

slow-reader: deps daemon ## measure a silent reader under EVENTS=… events
	@PAYQUEUED_SLOW_READER_EVENTS=$(EVENTS) PAYQUEUED_BINARIES=$(abspath $(release_bin)) \
	    swift test --disable-xctest $(imports) --filter EndToEndTests.SlowReaderTests

bench: deps-bench binaries ## compare with Redis and beanstalkd and judge each goal; BENCH='--rows P1,P3', --quick, restart, history
	@swift build -q -c release --package-path Tests/Benchmarks >&2
	@Tests/Benchmarks/.build/release/bench $(foreach p,payqueued payqueuectl payqueue-store,--$(p) $(or $(BINARIES),$(release_bin))/$(p)) \
	    --json .build/bench.json --plots .build/bench $(BENCH)

install: binaries man ## install everything; DESTDIR= prefix= as usual, BINARIES=… spares the build
	@DESTDIR="$(DESTDIR)" prefix="$(prefix)" $(packing) systemd/install

deb: deps-deb binaries man ## build the Debian package into .build, any finding of lintian that is an error fails
	@rm -f .build/payqueued_*.deb
	@$(packing) output="$(abspath .build)" SOURCE_DATE_EPOCH=$(SOURCE_DATE_EPOCH) systemd/debian/build
	@lintian --fail-on error .build/payqueued_*_`dpkg --print-architecture`.deb

lab: deb ## install the package on a machine with a real systemd and try everything; as root
	@$(lab) --in-turn --idle $(IDLE)

tarball: deps-deb binaries man ## pack what install puts below /usr/local into .build, for any Linux
	@rm -f .build/payqueued-*-linux-*.tar.gz
	@$(packing) output="$(abspath .build)" SOURCE_DATE_EPOCH=$(SOURCE_DATE_EPOCH) systemd/archive/build

oci: deps-oci binaries ## make an image for containers in .build, without an engine
	@rm -f .build/payqueued-*-oci-*.tar
	@$(packing) output="$(abspath .build)" SOURCE_DATE_EPOCH=$(SOURCE_DATE_EPOCH) systemd/image/build

bare: deb tarball oci bare-roots ## try package, tarball and image on bare Debians without Swift; SUITES=trixie; as root
	@for suite in $(SUITES); do python3 Tests/EndToEndTests/Lab/bare.py --lower $(abspath .build)/$$suite \
	    --package .build/payqueued_*.deb --archive .build/payqueued-*-linux-*.tar.gz \
	    --image .build/payqueued-*-oci-*.tar || exit 1; done

bare-lab: deb bare-roots ## what lab does, on a bare Debian; SUITE=trixie for another than bookworm
	@$(lab) --in-turn --idle $(IDLE) --lower $(abspath .build/$(SUITE))

fairness: daemon ## measure an honest client beside a user that floods the daemon; as root
	@python3 Tests/EndToEndTests/Lab/fairness.py --payqueued $(release_bin)/payqueued

hostile: daemon ## let a hostile user do every kind of harm while an honest client buys; FAMILY=…, WORST=600 for all at once; as root
	@python3 Tests/EndToEndTests/Lab/hostile.py --payqueued $(or $(BINARIES),$(release_bin))/payqueued \
	    $(if $(WORST),--worst $(WORST)) $(if $(FAMILY),--family $(FAMILY)) $(if $(ONLY),--only $(ONLY))

recipe: build ## add a method by the steps of the documentation to an overlay of the tree, and remove it; as root
	@bash Tests/EndToEndTests/Lab/recipe.sh

fresh: bare-roots ## type the README and both of its commands on a bare Debian with Swift, timed; as root
	@bash Tests/EndToEndTests/Lab/fresh.sh .build/$(SUITE)

bare-roots: deps-bare
	@for suite in $(sort $(SUITE) $(SUITES)); do test -d .build/$$suite || { debootstrap --variant=minbase \
	    --include=systemd,systemd-sysv,dbus $$suite .build/$$suite.new >&2 && \
	    mv .build/$$suite.new .build/$$suite; } || exit 1; done

check: lint build test docs ## all that has to hold before a commit

release: check deb tarball oci ## check, then make package, tarball and image

binaries:
	@$(call built,$(programs))

# What a purchase needs; the store server and its packages take minutes more.
daemon:
	@$(call built,payqueued payqueuectl)

built = $(if $(BINARIES),:,$(foreach p,$(1),.ci/progress .build/release.log \
    swift build $(release_flags) --product $(p) &&) .ci/bill check)

deps: ; $(call ensure,$(call missing,$(packages)))

deps-picture: ; $(call ensure,$(call missing,python3))

deps-bench: ; $(call ensure,$(call missing,$(bench_packages)))

deps-market: ; $(call ensure,$(call missing,$(market_packages)))


deps-pages: ; $(call ensure,$(call missing,$(packages) $(browser_packages)))

deps-cluster: ; $(call ensure,$(call missing,python3 etcd-server curl openssl))
deps-faults: ; $(call ensure,$(call missing,$(fault_packages)))

deps-deb: ; $(call ensure,$(call missing,$(deb_packages)))

deps-oci: ; $(call ensure,$(call missing,$(oci_packages)))

deps-bare: ; $(call ensure,$(call missing,$(bare_packages)))
