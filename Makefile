# Everything a newcomer needs: `make demo` shows the program at work, `make test` runs all tests.
# Both fetch what they need on first use (Rust crates, two prebuilt SMT solvers) and need no network afterwards.

PYTHON  ?= python3
SOLVERS := third-party/solvers
CUBIST  := target/release/cubist
# Where `make install` puts the program; DESTDIR goes before it, for whoever makes packages.
PREFIX  ?= /usr/local
BIN     = $(DESTDIR)$(PREFIX)/bin
LIB     = $(DESTDIR)$(PREFIX)/lib/cubist

.DEFAULT_GOAL := help
.PHONY: help setup build demo check test soak bench lint install uninstall clean distclean

help: ## Show this list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

setup: $(SOLVERS)/.installed ## Fetch the pinned solvers and crates
	cargo fetch --quiet

build: setup ## Build target/release/cubist
	cargo build --release

demo: build ## Prove two protocols for any number of processes and a C program, and find the bug in a broken one
	$(CUBIST) check models/bakery-any.m --ignore-predicates
	@echo
	$(CUBIST) check models/german.m
	@echo
	$(CUBIST) check models/german-bug.m || test $$? -eq 10
	@echo
	$(CUBIST) check programs/lock.c --rule rules/spin-lock.rule

# For the inner loop: what needs no process of our own and no solver outside, crate by crate.
check: setup ## Check types, and run the quick tests (three minutes at most once everything is built)
	cargo check --workspace --all-targets
	cargo test --lib --workspace --exclude cubist-fuzz --exclude cubist-bench
	cargo test --package cubist-driver --package cubist-deduction --package cubist-report --tests

test: setup ## Run all tests
	cargo test --workspace

# How long the harness tries, for each kind; figures and seeds are kept in docs/reliability.md.
soak: setup ## Try at length to make the program give a wrong verdict, crash or hang
	cargo build --release --package cubist --package cubist-fuzz
	target/release/cubist-fuzz systems --count 10000 --seed 1
	target/release/cubist-fuzz constructed --count 300 --seed 1
	target/release/cubist-fuzz mutants --count 5000 --seed 1
	target/release/cubist-fuzz metamorphic --count 1000 --seed 1
	target/release/cubist-fuzz faults --count 200 --seed 1
	target/release/cubist-fuzz certificates --count 1000 --seed 1
	target/release/cubist-fuzz inputs --count 100000 --seed 1
	target/release/cubist-fuzz limits --count 200 --seed 1
	target/release/cubist-fuzz determinism --count 1000 --seed 1
	target/release/cubist-fuzz boolean --count 3000 --seed 1
	target/release/cubist-fuzz programs --count 1000 --seed 1
	target/release/cubist-fuzz conform --count 1000 --seed 1
	target/release/cubist-fuzz lts --count 5000 --seed 1

bench: build ## Run all benchmarks and rewrite docs/results.md
	target/release/cubist-bench --all --output docs/results.md

lint: setup ## Check the format, the length of lines, and clippy with warnings denied
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	@! LC_ALL=C.UTF-8 grep -rnP '^(?=.{121})\s*//(?!! \|)' crates --include=*.rs # a comment is too long
	@! LC_ALL=C.UTF-8 grep -nP '^(?=.{121})(?![|$$! ])' $(filter-out docs/results.md,$(wildcard *.md docs/*.md)) # so is a line of prose

# Programs find their libraries by way of their own place (`../lib/cubist`), so that the whole may be moved.
install: $(CUBIST) ## Install the program with its solvers under PREFIX (default /usr/local)
	install -d $(BIN) $(LIB)
	install -m 755 $(CUBIST) $(CUBIST)-cvc5 $(BIN)
	install -m 755 $(SOLVERS)/bin/z3 $(LIB)
	install -m 644 $(SOLVERS)/z3/lib/libz3.so.* $(SOLVERS)/cvc5.libs/* $(LIB)

# Only where there is none yet: whoever installs as root need not build as root.
$(CUBIST):
	$(MAKE) build

uninstall: ## Remove what was installed under PREFIX
	rm -f $(BIN)/cubist $(BIN)/cubist-cvc5
	rm -rf $(LIB)

clean: ## Remove what was built
	cargo clean

distclean: clean ## Remove what was fetched, too
	rm -rf third-party

export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_ROOT_USER_ACTION := ignore

# The wheels of Linux with glibc on this processor, whichever Python runs pip: there are some for x86_64 and aarch64, and
# elsewhere pip says that it finds none. It checks the SHA-256 of each. The stamp comes last, so that an interrupted
# installation starts afresh.
PROCESSOR := $(shell uname -m)
WHEELS    := --python-version 3.12 --implementation cp --abi cp312 --abi none \
             $(foreach system,manylinux2014 manylinux_2_27 manylinux_2_38,--platform $(system)_$(PROCESSOR))

$(SOLVERS)/.installed: tools/solvers.txt
	rm -rf $(SOLVERS)
	$(PYTHON) -m pip install --quiet --no-deps --only-binary=:all: --require-hashes $(WHEELS) --target $(SOLVERS) -r $<
	touch $@
