# make run    set up, build, verify an example that is right and one that is wrong
# make test   set up, run all tests
# make test-long   20,000 random C programs, explored in many ways that must agree: an hour; and 20,000 mutated inputs
# make lint   formatting, clippy, documentation, dependencies
# make bench  the table of times
# make compare-herd HERD=/path/to/herd7  the litmus library, ours and herd's answers
SHELL := /bin/bash
THREADBARE := target/release/threadbare

.PHONY: run test test-long lint bench compare-herd fuzz-long fuzz-litmus setup

run: setup
	@echo "== building Threadbare"
	cargo build --release --locked --package threadbare-cli
	@echo
	@echo "== message passing with release and acquire: right"
	$(THREADBARE) verify examples/mp.c
	@echo
	@echo "== message passing with a relaxed load: wrong"
	@echo "$(THREADBARE) verify examples/mp_relaxed.c"
	@status=0; $(THREADBARE) verify examples/mp_relaxed.c || status=$$?; \
	  if [ $$status -ne 1 ]; then echo "expected exit status 1 (violation), got $$status" >&2; exit 1; fi
	@echo
	@echo "== both as expected. Your own: $(THREADBARE) verify FILE.c   (--help tells the rest)"

test: setup
	@echo "== all tests"
	cargo test --locked --workspace

# The campaign of the tests on many more programs, and more mutants; the first one of either has the number 1,000,000.
test-long: setup
	@echo "== all ways to explore, 20,000 random C programs"
	THREADBARE_CAMPAIGN_SEED=1000000 THREADBARE_CAMPAIGN_PROGRAMS=20000 cargo test --release --locked --package threadbare-cli --test campaign -- --nocapture
	@echo "== 20,000 mutated inputs"
	THREADBARE_MUTANTS_SEED=1000000 THREADBARE_MUTANTS=20000 cargo test --release --locked --package threadbare-cli --test mutants -- --nocapture

lint: setup
	@echo "== formatting"
	cargo fmt --all --check
	@echo "== clippy"
	cargo clippy --locked --workspace --all-targets -- -D warnings
	@echo "== documentation"
	RUSTDOCFLAGS="-D warnings" cargo doc --locked --no-deps --workspace
	@echo "== dependencies: licences, bans, sources, advisories"
	@cargo deny --version >/dev/null 2>&1 || { echo "installing cargo-deny"; cargo install cargo-deny --locked --quiet; }
	cargo deny --log-level error check licenses bans sources
	@if cargo deny --log-level off fetch db 2>/dev/null; then cargo deny --log-level error check advisories; \
	  else echo "advisories: not checked, the advisory database is out of reach"; fi

bench: setup
	@echo "== benchmarks (set GENMC to a genmc binary for its columns)"
	cargo bench --locked --package threadbare-cli --bench table
	@echo "== locks and lock-free structures, what cutting spinloops saves"
	cargo bench --locked --package threadbare-cli --bench locks
	@echo "== XMM against RC11"
	cargo bench --locked --package threadbare-cli --bench xmm
	@echo "== consistency of partial executions"
	cargo bench --locked --package threadbare-consistency --bench scaling
	@echo "== the same, event by event"
	cargo bench --locked --package threadbare-consistency --bench incremental
	@echo "== the same, against an order that is always closed"
	cargo bench --locked --package threadbare-consistency --bench closed
	@echo "== random executions: speed, memory, seeded bugs"
	cargo bench --locked --package threadbare-cli --bench fuzz

# States, executions, races and time of every litmus test under RC11. HERDLIB names herd's library if herd does not find it.
compare-herd: setup
	@echo "== litmus tests, Threadbare against herd7"
	HERD="$(HERD)" HERDLIB="$(HERDLIB)" cargo bench --locked --package threadbare-cli --bench herd

# The comparison with the brute-force oracle on many more programs than the tests have time for.
fuzz-long: setup
	@echo "== explorer against oracle, 200,000 random programs"
	THREADBARE_ORACLE_PROGRAMS=200000 cargo test --release --locked --package threadbare-explore --test programs oracle -- --nocapture

# Mutated litmus tests for a minute: no text may break the parser.
fuzz-litmus:
	@echo "== litmus parser, mutated tests for 60 seconds"
	THREADBARE_FUZZ_SECONDS=60 cargo test --release --locked --package threadbare-litmus --test fuzz -- --nocapture

setup:
	@scripts/setup.sh
