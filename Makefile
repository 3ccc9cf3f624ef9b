# make run    set up, build, verify an example that is right and one that is wrong
# make test   set up, run all tests: random ones on a tenth of their programs, the corpus without its largest rows
# make test-long   everything in full, before a change of the engine, the models or the reductions is called done
# make test-ray   explore on a Ray cluster of three nodes, all on this machine, one of which is killed (a minute)
# make lint   formatting, clippy, documentation, dependencies
# make instructions   instructions per execution: fails if one of nine explorations needs 5 % more than recorded
# make mutations   drop side conditions of the reductions, one at a time: a test must fail for each (half an hour)
# make bless  write the counts of the corpus and the pictures as they are now; make bless-instructions: the instructions
# make bench  the table of times
# make compare-herd HERD=/path/to/herd7  the litmus library, ours and herd's answers
SHELL := /bin/bash
THREADBARE := target/release/threadbare

.PHONY: run test test-ray test-long mutations lint instructions bless bless-instructions bench compare-herd fuzz-long fuzz-litmus setup

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

test-ray: setup
	@echo "== Ray"
	@scripts/test_ray.sh

# Everything in full; then more random C programs and more mutants than there is time for otherwise, from other seeds.
test-long: setup
	@echo "== all tests in full"
	THREADBARE_TESTS=long cargo test --locked --workspace
	@echo "== all ways to explore, 20,000 random C programs"
	THREADBARE_TESTS=x134 THREADBARE_SEED=1000000 cargo test --release --locked --package threadbare-cli --test it campaign:: -- --nocapture
	@echo "== ten times as many mutated inputs"
	THREADBARE_TESTS=x10 THREADBARE_SEED=1000000 cargo test --release --locked --package threadbare-cli --test it mutants:: -- --nocapture

mutations:
	@echo "== mutations of the reductions"
	@scripts/mutate.sh

lint: setup
	@echo "== formatting"
	cargo fmt --all --check
	@echo "== clippy"
	cargo clippy --locked --workspace --all-targets -- -D warnings
	@echo "== documentation"
	RUSTDOCFLAGS="-D warnings" cargo doc --locked --no-deps --workspace
	@echo "== dependencies: licences, bans, sources, advisories"
	@scripts/deny.sh

instructions: setup
	@scripts/setup.sh valgrind
	@echo "== instructions per execution"
	cargo bench --locked --package threadbare-cli --bench instructions

# Counts and pictures, never verdicts.
bless: setup
	THREADBARE_BLESS=1 THREADBARE_TESTS=long cargo test --locked --package threadbare-cli --test corpus
	THREADBARE_BLESS=1 cargo test --locked --package threadbare-report --test it pictures::
	THREADBARE_BLESS=1 cargo test --locked --package threadbare-cli --test it graph::

bless-instructions: setup
	@scripts/setup.sh valgrind
	THREADBARE_BLESS=1 cargo bench --locked --package threadbare-cli --bench instructions

bench: setup
	@echo "== against GenMC, on its own programs (set GENMC to a genmc binary)"
	cargo bench --locked --package threadbare-cli --bench peer
	@echo "== benchmarks"
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

# The comparison with the brute-force oracle on ten times as many programs as a full run has, from other seeds.
fuzz-long: setup
	@echo "== explorer against oracle, ten times as many random programs"
	THREADBARE_TESTS=x10 THREADBARE_SEED=4294967296 cargo test --release --locked --package threadbare-explore --test programs oracle -- --nocapture

# Mutated litmus tests, a hundred times as many: no text may break the parser.
fuzz-litmus:
	@echo "== litmus parser, 500,000 mutated tests"
	THREADBARE_TESTS=x100 cargo test --release --locked --package threadbare-litmus --test it fuzz:: -- --nocapture

setup:
	@scripts/setup.sh
