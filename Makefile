# The only door to the recipes. `make` alone lists them.

DESTDIR ?=
prefix ?= /usr/local
BINARIES ?=
COMMANDS ?= 1000000
SEEDS ?= 100000
ROUNDS ?= 1000
EVENTS ?= 1000000
PURCHASES ?= 10000
ORDERS ?= 1000000
WORKERS ?=
EXAMPLES ?= 500
BENCH ?= --rounds 3 --seconds 2

imports = --explicit-target-dependency-import-check error
# Every test runs from start to end without waiting for most of the others: few at a time.
run_tests = swift test --disable-xctest $(imports) --experimental-maximum-parallelization-width 4
# The same as a release is compiled, beside it: what runs for long runs several times as fast.
run_optimized = $(run_tests) -c release --scratch-path .build/optimized
# Nothing loads these programs as a library. Exported symbols would keep code that nobody calls, and the
# runtime looks through all of them at each start.
release_flags = -c release --static-swift-stdlib -Xlinker --no-export-dynamic $(imports)
release_bin = .build/release
# What is installed and packed: the release build, or what BINARIES=… names, and then nothing is built.
programs = $(shell sed -n 's/.*\.executable.name: "\([a-z-]*\)".*/\1/p' Package.swift)
packing = bins="$(abspath $(or $(BINARIES),$(release_bin)))" manuals="$(abspath .build/man)"
SUITE ?= bookworm
IDLE ?= 120
lab = python3 Tests/EndToEndTests/Lab/lab.py --bins $(or $(BINARIES),$(release_bin)) --package .build/payqueued_*.deb
SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || date +%s)
sources = Package.swift Sources Tests

# What a Debian machine with Swift and make still lacks. Elsewhere the tools are taken as given.
packages = libsystemd-dev pkg-config socat netcat-openbsd jq strace systemd python3 mandoc
deb_packages = binutils lintian
market_packages = nodejs python3-venv
# A real browser, for the tests of the pages.
browser_packages = chromium chromium-driver python3-venv
has = $(shell dpkg-query -W -f='$${Package}=$${db:Status-Status} ' $(1) 2>/dev/null)
missing = $(if $(shell command -v dpkg-query),$(filter-out \
    $(patsubst %=installed,%,$(filter %=installed,$(call has,$(1)))),$(1)))
as_root = $(shell test `id -u` = 0 && echo env || { sudo -n true && echo sudo -n env; } 2>/dev/null)
apt = DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0
install_line = apt-get install -y --no-install-recommends $(1)
ensure = $(if $(1),$(call install,$(1)),@:)
install = @{ $(as_root) $(apt) update && \
    $(as_root) DEBIAN_FRONTEND=noninteractive $(call install_line,$(1)); } >&2

# Who may not install is told what to install, and make exits with 1: it has only been asked whether
# everything is up to date, since any failing recipe would make it exit with 2.
unaided = help lint format docs
needed = $(packages) $(if $(filter bench,$(MAKECMDGOALS)),redis-server) \
    $(if $(filter market,$(MAKECMDGOALS)),$(market_packages)) \
    $(if $(filter pages,$(MAKECMDGOALS)),$(browser_packages)) \
    $(if $(filter deb lab bare,$(MAKECMDGOALS)),$(deb_packages)) \
    $(if $(filter bare,$(MAKECMDGOALS)),debootstrap)
ifneq ($(filter-out $(unaided),$(MAKECMDGOALS)),)
ifneq ($(call missing,$(needed)),)
ifeq ($(as_root),)
$(info These packages are missing; as root: $(call install_line,$(call missing,$(needed))))
MAKEFLAGS += q
endif
endif
endif

.PHONY: help demo market build test lint format docs e2e model simulate kills store-faults store-restores store-api workers long-history man pages slow-reader bench \
    install deb lab bare check release deps deps-bench deps-market deps-pages deps-deb deps-bare binaries daemon
.DEFAULT_GOAL := help

help: ## list the recipes
	@sed -n 's/^\([a-z0-9-]*\):[^#]*## /\1\t/p' Makefile | expand -t 12

demo: deps daemon ## show one purchase on a daemon of its own, then end it
	@$(release_bin)/payqueuectl demo --daemon $(release_bin)/payqueued

market: deps-market binaries ## show a store, two devices and two publishers: purchase, renewal, restore, refund
	@python3 clients/market.py --bins $(or $(BINARIES),$(release_bin))

build: deps ## build everything for debugging, undeclared imports refused
	@swift build --build-tests $(imports)

# What failed is told once more at the end, since a log may be cut; the runner's own count closes it.
test: SHELL = bash
test: deps ## run all tests
	@mkdir -p .build && set -o pipefail && $(run_tests) 2>&1 | tee .build/test.log || { \
	    echo; echo 'What failed:'; grep -aE '(✘|↳|error:|Fatal)' .build/test.log | \
	    grep -avE 'Test run with|Suite .* failed after' | cut -c1-800 | head -n 60; \
	    grep -a 'Test run with' .build/test.log | tail -n 1; false; }

lint: ## check format and style, any finding fails
	@swift format lint --strict -r -p $(sources)

format: ## rewrite the sources in house format
	@swift format -i -r -p $(sources)

docs: ## build the documentation into .build/docs, warnings fail
	@mkdir -p .build && docc convert Sources/payqueued/Documentation.docc --warnings-as-errors --output-path \
	    .build/docs --fallback-display-name payqueued --fallback-bundle-identifier payqueued

e2e: deps ## run the end-to-end tests on the real binary
	@$(run_tests) --filter EndToEndTests

model: deps ## compare the queue with its model over COMMANDS=… random commands, optimized
	@PAYQUEUED_MODEL_COMMANDS=$(COMMANDS) $(run_optimized) --filter PaymentCoreTests.ReferenceTests

# One seed that is looked at is run as it is debugged.
simulate: deps ## run SEEDS=… seeded simulations, optimized
	@PAYQUEUED_SIMULATION_SEEDS=$(SEEDS) \
	    $(if $(PAYQUEUED_SIMULATION_SEED),$(run_tests),$(run_optimized)) --filter SimulationTests

kills: deps ## run ROUNDS=… of load, kill -9, restart
	@PAYQUEUED_KILL_ROUNDS=$(ROUNDS) $(run_tests) --filter EndToEndTests.KillTests

store-faults: deps ## make PURCHASES=… purchases over a faulty way to a store that comes and goes
	@PAYQUEUED_FAULTY_PURCHASES=$(PURCHASES) $(run_tests) --filter PaymentBackendTests.FaultyWayTests
	@PAYQUEUED_FAULTY_PURCHASES=$(PURCHASES) $(run_tests) --filter EndToEndTests.StoreFaultTests
	@PAYQUEUED_STORE_ROUNDS=$(ROUNDS) $(run_tests) --filter EndToEndTests.StoreServerTests

store-restores: deps ## wipe a store and restore its backup ROUNDS=… times, two daemons before it
	@PAYQUEUED_RESTORE_ROUNDS=$(ROUNDS) $(run_tests) --filter EndToEndTests.StoreRestoreTests

store-api: deps ## have schemathesis try EXAMPLES=… requests on each operation of the store; SEED=… repeats
	@PAYQUEUED_API_EXAMPLES=$(EXAMPLES) PAYQUEUED_API_SEED=$(or $(SEED),`date +%s`) \
	    $(run_tests) --filter EndToEndTests.StoreAPITests

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

bench: deps-bench daemon ## compare durable add with Redis; BENCH='--rounds 5', BENCH=full, …
	@swift build -q -c release --package-path Tests/Benchmarks >&2
	@Tests/Benchmarks/.build/release/bench --payqueued $(release_bin)/payqueued $(BENCH)

install: binaries man ## install everything; DESTDIR= prefix= as usual, BINARIES=… spares the build
	@DESTDIR="$(DESTDIR)" prefix="$(prefix)" $(packing) systemd/install

deb: deps-deb binaries man ## build the Debian package into .build, any finding of lintian that is an error fails
	@rm -f .build/payqueued_*.deb
	@$(packing) output="$(abspath .build)" SOURCE_DATE_EPOCH=$(SOURCE_DATE_EPOCH) systemd/debian/build
	@lintian --fail-on error .build/payqueued_*_`dpkg --print-architecture`.deb

lab: deb ## install the package on a machine with a real systemd and try everything; as root
	@$(lab) --in-turn --idle $(IDLE)

bare: deb deps-bare ## the same on a bare Debian without Swift; SUITE=trixie for another than bookworm
	@test -d .build/$(SUITE) || { debootstrap --variant=minbase --include=systemd,systemd-sysv,dbus \
	    $(SUITE) .build/$(SUITE).new >&2 && mv .build/$(SUITE).new .build/$(SUITE); }
	@$(lab) --in-turn --idle $(IDLE) --lower $(abspath .build/$(SUITE))

check: lint build test docs ## all that has to hold before a commit

release: check ## check, then pack what would be installed below /usr
	@rm -rf .build/stage && $(MAKE) --no-print-directory install DESTDIR=.build/stage prefix=/usr
	@tar -C .build/stage -czf .build/payqueued-`uname -m`.tar.gz .

binaries: deps
	@$(call built,$(programs))

# What a purchase needs; the store server and its packages take minutes more.
daemon: deps
	@$(call built,payqueued payqueuectl)

built = test -e $(release_bin)/payqueuectl || echo 'Building; the first time takes some minutes.' >&2; \
    $(if $(BINARIES),:,$(foreach p,$(1),$(call quietly,$p) &&) :)

# The linker warns of a function that Foundation uses with care; what a build says counts if it fails.
quietly = mkdir -p .build && { swift build --quiet $(release_flags) --product $(1) \
    >.build/release.log 2>&1 || { cat .build/release.log >&2; false; }; }

deps: ; $(call ensure,$(call missing,$(packages)))

deps-bench: ; $(call ensure,$(call missing,$(packages) redis-server))

deps-market: ; $(call ensure,$(call missing,$(packages) $(market_packages)))

deps-pages: ; $(call ensure,$(call missing,$(packages) $(browser_packages)))

deps-deb: ; $(call ensure,$(call missing,$(packages) $(deb_packages)))

deps-bare: ; $(call ensure,$(call missing,$(packages) debootstrap))
