//! The command line.

pub(crate) use crate::format::Format;
use crate::input::Input;
use crate::memory::Bytes;
use crate::models;
use crate::unroll::Unroll;
use clap::{Args, Parser, Subcommand, ValueEnum};
use engine::{Check, Checks, LockOrders, Reduction, ReductionSet};
use model::{Cycles, Model};
use std::path::PathBuf;
use std::time::Duration;

/// Runs a concurrent C program through every behaviour that a weak memory model allows, once each, and shows the
/// first wrong one with the source lines that cause it.
#[derive(Parser, Debug)]
// The last of repeated options wins, in every command: scripts append theirs.
#[command(name = "threadbare", version, after_help = AFTER_HELP, args_override_self = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

const AFTER_HELP: &str = "\
Exit status: 0 no violation, 1 violation (or an inconsistent trace), 2 usage, input or internal error, 3 inconclusive,
130, 143, 129 ended by Ctrl-C or another signal.

Examples:
  threadbare verify mp.c                        every execution under RC11 (C++: under C20)
  threadbare verify mp.c --model sc             under sequential consistency
  threadbare verify queue.c --unroll 3          at most 3 iterations of each loop
  threadbare verify queue.c -- -DN=3 -Iinclude  with flags for clang
  threadbare verify test.c queue.c lib/*.c      several files, linked
  threadbare litmus MP.litmus tests/litmus/     litmus tests, answered as herd does
  threadbare check mp.trace --model rc20        is this execution consistent?
  threadbare fuzz server.c --time 60            random executions of a large program
  threadbare merge 1.json 2.json                the results of shards, added up
  threadbare models                             the memory models";

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Explore every execution of a program
    Verify(VerifyArguments),
    /// List the memory models
    Models,
    /// Run litmus tests in herd's C format
    Litmus(LitmusArguments),
    /// Check whether an execution, given as a trace, is consistent
    Check(CheckArguments),
    /// Run random executions of a large program
    Fuzz(FuzzArguments),
    /// Explore one unit of an exploration, for a time
    Work(WorkArguments),
    /// Add up the results of units and shards
    Merge(MergeArguments),
    /// Say where compiled parts of the C library are kept, and how large they are
    Cache(CacheArguments),
    /// Compile a program to bytecode (for this program itself, which starts it as a process of its own)
    #[command(hide = true)]
    Compile(CompileArguments),
}

#[derive(Args, Debug)]
#[command(after_help = CACHE_HELP)]
pub(crate) struct CacheArguments {
    #[command(subcommand)]
    pub(crate) action: Option<CacheAction>,
}

const CACHE_HELP: &str = "\
The cache is in $THREADBARE_CACHE, or else in threadbare in $XDG_CACHE_HOME, which is ~/.cache if it is not set. If
THREADBARE_CACHE is empty, there is none.

Examples:
  threadbare cache                              where it is, and how large
  threadbare cache clean                        remove all of it";

#[derive(Subcommand, Clone, Copy, Debug)]
pub(crate) enum CacheAction {
    /// Remove all of it
    Clean,
}

#[derive(Args, Debug)]
pub(crate) struct CompileArguments {
    #[arg(long)]
    pub(crate) memory: Bytes,

    #[arg(long)]
    pub(crate) parent: u32,
}

#[derive(Args, Clone, Debug)]
#[command(after_help = verify_help())]
pub(crate) struct VerifyArguments {
    #[command(flatten)]
    pub(crate) input: Input,

    #[arg(
        long,
        value_parser = models::parser(),
        hide_possible_values = true,
        value_name = "MODEL",
        help = models::help()
    )]
    pub(crate) model: Option<Model>,

    /// Which executions count as the same: rf (same reads-from), or co (same coherence order as well); if not said, rf, and
    /// co under xmm
    #[arg(long, value_enum, hide_possible_values = true, value_name = "EQUIVALENCE")]
    pub(crate) equivalence: Option<Equivalence>,

    #[command(flatten)]
    pub(crate) unroll: Unroll,

    /// Explore with N threads (as many as there are cores, unless you say otherwise); the result is the same with any number
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<usize>,

    /// Stop after this time; the verdict is then `inconclusive`
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    pub(crate) timeout: Option<Duration>,

    /// Stop when this much memory is used, as `512M` or `2G`; the verdict is then `inconclusive`. If not said, three quarters of
    /// the machine's
    #[arg(long, value_name = "LIMIT")]
    pub(crate) memory: Option<Bytes>,

    /// How to print the result: full, concise or json
    #[arg(long, value_enum, default_value = "full", hide_possible_values = true, value_name = "FORMAT")]
    pub(crate) format: Format,

    /// Draw the first violation's execution, or the replayed one, as .dot, .svg or .html: the end of the name says which
    #[arg(long, value_name = "FILE")]
    pub(crate) graph: Option<PathBuf>,

    /// Show exactly the execution of this string, which an earlier run printed
    #[arg(long, value_name = "STRING", allow_hyphen_values = true)]
    pub(crate) replay: Option<String>,

    /// Report every violation, not only the first
    #[arg(long)]
    pub(crate) keep_going: bool,

    /// Report the violation that some thread finds first, which may be another one the next time
    #[arg(long)]
    pub(crate) fast_fail: bool,

    /// Write the first violation's execution, or the first one at all, as a trace
    #[arg(long, value_name = "FILE")]
    pub(crate) trace_out: Option<PathBuf>,

    /// Write what is left to this file from time to time, and when the run is cut short; --resume goes on from there
    #[arg(long, value_name = "FILE")]
    pub(crate) checkpoint: Option<PathBuf>,

    /// Write the checkpoint this often: every 60 seconds, if not said
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) checkpoint_every: Option<Duration>,

    /// Go on from this checkpoint, with the same program and options
    #[arg(long, value_name = "FILE")]
    pub(crate) resume: Option<PathBuf>,

    /// Explore the K-th of N parts, which are always the same; `threadbare merge` adds up what --format json prints
    #[arg(long, value_name = "K/N", value_parser = shard)]
    pub(crate) shard: Option<Shard>,

    /// Do not explore: write the compiled program and the first unit of work to this directory
    #[arg(long, value_name = "DIR")]
    pub(crate) units: Option<PathBuf>,

    /// Explore also executions that differ only in which of several symmetric threads does what: --without symmetry
    #[arg(long)]
    pub(crate) no_symmetry: bool,

    /// Explore without these reductions, a list (below): more executions, the same violations
    #[arg(long, value_parser = without, value_name = "LIST")]
    pub(crate) without: Option<ReductionSet>,

    /// Explore also with these reductions, which are off otherwise, a list: lock-order. Fewer executions, the same violations
    #[arg(long, value_parser = with, value_name = "LIST")]
    pub(crate) with: Option<ReductionSet>,

    /// Which spinloops to cut to one iteration: none; static, which the code shows to be without effect; dynamic, also
    /// those that turn out to write nothing; all, also those that turn out to repeat the state of their thread
    #[arg(long, value_enum, default_value = "all", hide_possible_values = true, value_name = "WHICH")]
    pub(crate) spin: Spin,

    /// What allocations do, a list: fresh, give no address twice; reuse, also give freed ones again, where a comparison could
    /// tell; fail, also fail. If not said, reuse (under xmm: fresh)
    #[arg(long, value_parser = alloc, value_name = "LIST")]
    pub(crate) alloc: Option<Alloc>,

    /// Under xmm, which executions with cycles to look for: complete, all; heuristic, those that the thesis' tool finds
    #[arg(long, value_enum, default_value = "complete", hide_possible_values = true, value_name = "WHICH")]
    pub(crate) xmm: Xmm,

    /// What is a violation, a list: assertion, race, memory, deadlock, liveness, leak (below). If not said, the first four
    #[arg(long, value_parser = checks, value_name = "LIST")]
    pub(crate) check: Option<Checks>,

    /// Report threads that spin for ever because nobody will write what they wait for (explored up to co): adds liveness to
    /// --check
    #[arg(long)]
    pub(crate) check_liveness: bool,

    /// A thread may make N events, and 400 N instructions without one; then its loop is cut, and the verdict is `inconclusive`
    /// unless a violation is found. If not said, 250000
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MOST_STEPS))]
    pub(crate) max_steps: Option<u64>,

    /// Say on stderr what became of each loop: cut, watched or left alone, and why
    #[arg(short, long)]
    pub(crate) verbose: bool,

    /// Count executions that are explored more than once, which needs memory for all of them
    #[arg(long, hide = true)]
    pub(crate) count_duplicates: bool,

    /// Do not explore: estimate how many executions there are, with an interval; more sampling (1000 if not said) makes it
    /// narrower
    #[arg(long, value_name = "AMOUNT", num_args = 0..=1, require_equals = true, default_missing_value = "1000")]
    pub(crate) estimate: Option<u64>,
}

impl From<Equivalence> for engine::Equivalence {
    fn from(equivalence: Equivalence) -> engine::Equivalence {
        match equivalence {
            Equivalence::Co => engine::Equivalence::Co,
            Equivalence::Rf => engine::Equivalence::Rf,
        }
    }
}

/// How many instructions a thread may run without an event, with this `--max-steps`.
pub(crate) fn instructions(max_steps: u64) -> u64 {
    400 * max_steps
}

/// More events of one thread would not fit into a graph.
const MOST_STEPS: u64 = 1_000_000_000;

impl VerifyArguments {
    /// What is a violation.
    pub(crate) fn checks(&self) -> Checks {
        let checks = self.check.unwrap_or_default();
        if self.check_liveness { checks.with(Check::Liveness) } else { checks }
    }

    /// The memory model, as far as is known what the program is written in.
    pub(crate) fn model(&self) -> Model {
        self.model.unwrap_or_else(|| models::usual(self.input.is_cxx()))
    }

    /// The same for a program of which the compiler has said what it is written in.
    pub(crate) fn of_program(&self, is_cxx: bool) -> VerifyArguments {
        VerifyArguments { input: self.input.of_program(is_cxx), ..self.clone() }
    }

    /// What allocations do.
    pub(crate) fn allocation(&self) -> Alloc {
        self.alloc.unwrap_or(Alloc { reuse: self.model().rules().cycles == Cycles::Forbidden, fail: false })
    }

    /// The reductions that are not switched off, and those that are switched on.
    pub(crate) fn reductions(&self) -> ReductionSet {
        let left = self.without.unwrap_or(ReductionSet::ALL);
        let left = if self.no_symmetry { left.without(Reduction::Symmetry) } else { left };
        let left = OPTIONAL.into_iter().fold(left, ReductionSet::without);
        self.asked_for().fold(left, ReductionSet::with)
    }

    /// The reductions that are on because they are asked for.
    pub(crate) fn asked_for(&self) -> impl Iterator<Item = Reduction> {
        OPTIONAL.into_iter().filter(|&it| self.with.is_some_and(|with| with.has(it)))
    }

    /// Where the order of critical sections is left open.
    pub(crate) fn locks(&self) -> LockOrders {
        match self.asked_for().any(|it| it == Reduction::LockOrder) {
            true => LockOrders::Commuting,
            false => LockOrders::Paying,
        }
    }
}

/// The help of `verify` after its options: the reductions are those that there are.
fn verify_help() -> String {
    let line = |it: Reduction| format!("  {:<12}  {}\n", it.name(), it.about());
    let (others, usual): (Vec<_>, Vec<_>) = Reduction::ALL.into_iter().partition(|it| OPTIONAL.contains(it));
    let [usual, others] = [usual, others].map(|list| list.into_iter().map(line).collect::<String>());
    format!(
        "Reductions, by what they leave out:\n{usual}\nOff unless --with switches them on:\n{others}\n{VERIFY_HELP}"
    )
}

const VERIFY_HELP: &str = "\
Checks:
  assertion     assert, abort, __VERIFIER_error; left out, the process ends there
  race          data races; left out, plain accesses are the weakest ones that the model has
  memory        use after free, double and invalid free, access out of bounds, read of memory that was never written, unlock
                of a mutex that the thread does not own; left out, a thread stops there and the verdict is `inconclusive`
  deadlock      threads that wait for each other; only together with assertion
  liveness      threads that spin for ever; only together with assertion
  leak          memory that is never freed and that nothing points to at the end; only together with assertion and memory

Verdicts:
  verified      every execution was explored and none is wrong
  bounded       the same, up to an --unroll that was hit, or clocks stood still
  violated      an execution is wrong: it is shown
  inconclusive  the time was up, or something that is not modelled was reached

Examples:
  threadbare verify mp.c --model ra
  threadbare verify mp.c --unroll 3 --timeout 60 --format json
  threadbare verify mp.c --unroll 3 --unroll dequeue=5 --unroll queue.c:31=2
  threadbare verify mp.c --estimate
  threadbare verify mp.c --graph mp.html
  threadbare verify test.c src/ring.c --compile-commands build --entry two_producers
  threadbare verify spin.c --volatile=relaxed --stubs missing.c
  threadbare verify mp.c --without symmetry,pairs
  threadbare verify mp.c --check assertion,memory          races and deadlocks are no violations
  threadbare verify queue.c --max-steps 1000000            loops of up to a million events
  threadbare verify mp.c --keep-going --trace-out mp.trace -- -DWRITERS=2
  threadbare verify mp.c --jobs 8 --checkpoint mp.json     every minute; --resume mp.json goes on
  threadbare verify mp.c --shard 1/4 --format json         the first of four parts, for `threadbare merge`";

/// One of several parts of an exploration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Shard {
    /// Counted from 1.
    pub(crate) number: usize,
    pub(crate) of: usize,
}

#[derive(Args, Debug)]
#[command(after_help = WORK_HELP)]
pub(crate) struct WorkArguments {
    /// The unit: a file of `verify --units`, `merge --output` or --checkpoint, or some subtrees of one
    pub(crate) unit: PathBuf,

    /// Explore for this time, and write what is left
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) budget: Duration,

    /// The compiled program; if not said, the file that the unit names, beside it
    #[arg(long, value_name = "FILE")]
    pub(crate) program: Option<PathBuf>,

    /// Explore with N threads
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) jobs: usize,

    /// Stop when this much memory is used, as `512M` or `2G`. If not said, three quarters of the machine's
    #[arg(long, value_name = "LIMIT")]
    pub(crate) memory: Option<Bytes>,

    /// Write the result to this file, whole or not at all; if not said, to stdout
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

const WORK_HELP: &str = "\
The result is a JSON object: executions, violations, and in its field `unit` the subtrees that were taken and those that are
left. `threadbare merge STATE RESULT...` adds it to the state that the unit was taken from.

Exit status:
  0  the unit was explored and nothing is wrong
  1  there is a violation, which need not be the first one
  2  usage, input or internal error
  3  the time was up: subtrees are left

Examples:
  threadbare verify queue.c --units run -- -DN=4
  threadbare work run/state.json --budget 60 --output run/1.json
  threadbare merge run/state.json run/1.json --output run/state.json";

#[derive(Args, Debug)]
#[command(after_help = MERGE_HELP)]
pub(crate) struct MergeArguments {
    /// A state and results of its units, or the results of shards
    #[arg(required = true, value_name = "FILE")]
    pub(crate) results: Vec<PathBuf>,

    /// Write the state to this file, whole or not at all: units of it can be explored next
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// How to print the result: full, concise or json
    #[arg(long, value_enum, default_value = "full", hide_possible_values = true, value_name = "FORMAT")]
    pub(crate) format: Format,
}

const MERGE_HELP: &str = "\
Exit status: as of `threadbare verify`; 3 also as long as something is left.

Examples:
  threadbare merge 1.json 2.json 3.json                        the shards 1/3, 2/3 and 3/3
  threadbare merge state.json 1.json --output state.json       the result of a unit
  threadbare merge state.json --format json                    how far it is";

#[derive(Args, Debug)]
#[command(after_help = LITMUS_HELP)]
pub(crate) struct LitmusArguments {
    /// Tests, or directories: all `*.litmus` files below them, in the order of their names
    #[arg(required = true, value_name = "FILE|DIR")]
    pub(crate) paths: Vec<PathBuf>,

    /// The memory model (`threadbare models` says which there are)
    #[arg(long, value_parser = models::parser(), default_value = models::usual_name(), hide_possible_values = true, value_name = "MODEL")]
    pub(crate) model: Model,

    /// Which executions count as the same: co (same reads-from and coherence order), as herd counts; under models without
    /// a coherence order (wra, wrc11) rf (same reads-from)
    #[arg(long, value_enum, hide_possible_values = true, value_name = "EQUIVALENCE")]
    pub(crate) equivalence: Option<Equivalence>,

    /// Explore at most N iterations of each loop; executions with more are no states
    #[arg(long, value_name = "N")]
    pub(crate) unroll: Option<u32>,

    /// Run N tests at the same time (as many as there are cores, unless you say otherwise)
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<usize>,

    /// Stop each test after this time; it is then inconclusive
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    pub(crate) timeout: Option<Duration>,

    /// Stop when this much memory is used, as `512M` or `2G`; the verdict is then `inconclusive`. If not said, three quarters of
    /// the machine's
    #[arg(long, value_name = "LIMIT")]
    pub(crate) memory: Option<Bytes>,

    /// How to print the answers: full (as herd), concise (a line each) or json (an object each)
    #[arg(long, value_enum, default_value = "full", hide_possible_values = true, value_name = "FORMAT")]
    pub(crate) format: Format,

    /// Draw an execution that decides the condition, or else a fault, as .dot, .svg or .html; for one test
    #[arg(long, value_name = "FILE")]
    pub(crate) graph: Option<PathBuf>,

    /// There is nothing to switch off: executions are counted as herd counts them
    #[arg(long, hide = true)]
    pub(crate) no_symmetry: bool,

    /// Which spinloops to cut to one iteration: none, static, dynamic or all, as for `verify`
    #[arg(long, value_enum, default_value = "all", hide_possible_values = true, value_name = "WHICH")]
    pub(crate) spin: Spin,

    /// Under xmm, which executions with cycles to look for: complete, all; heuristic, those that the thesis' tool finds
    #[arg(long, value_enum, default_value = "complete", hide_possible_values = true, value_name = "WHICH")]
    pub(crate) xmm: Xmm,

    /// Compare with a table of the columns test, models, observation and, if you like, positive, negative, flags, states
    #[arg(long, value_name = "FILE.csv")]
    pub(crate) expect: Option<PathBuf>,
}

const LITMUS_HELP: &str = "\
Exit status:
  0  every test was explored, whatever its condition says
  1  a test has a data race or another fault, or answers otherwise than --expect says
  2  a test cannot be read
  3  a test was not explored completely

Examples:
  threadbare litmus MP.litmus                            the final states under RC11
  threadbare litmus MP.litmus SB.litmus --model sc       under sequential consistency
  threadbare litmus tests/litmus --format concise        a directory, one line a test
  threadbare litmus tests/litmus/mp --expect expect.csv  compared with expected answers
  threadbare litmus SB.litmus --graph SB.svg             a witness, drawn
  threadbare litmus SB.litmus --format json --timeout 60 for machines";

#[derive(Args, Debug)]
#[command(after_help = CHECK_HELP)]
pub(crate) struct CheckArguments {
    /// The trace, as `verify --trace-out` writes it; - is stdin
    pub(crate) trace: PathBuf,

    /// The memory model (`threadbare models` says which there are)
    #[arg(long, value_parser = models::parser(), default_value = models::usual_name(), hide_possible_values = true, value_name = "MODEL")]
    pub(crate) model: Model,

    /// If it is consistent, write the trace with a coherence order that shows it
    #[arg(long, value_name = "FILE")]
    pub(crate) witness: Option<PathBuf>,

    /// Stop after this time; the verdict is then `inconclusive`
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) timeout: Option<Duration>,

    /// Stop when this much memory is used, as `512M` or `2G`; the verdict is then `inconclusive`. If not said, three quarters of
    /// the machine's
    #[arg(long, value_name = "LIMIT")]
    pub(crate) memory: Option<Bytes>,

    /// How to print the result: full, concise or json
    #[arg(long, value_enum, default_value = "full", hide_possible_values = true, value_name = "FORMAT")]
    pub(crate) format: Format,

    /// There is nothing to switch off yet
    #[arg(long, hide = true)]
    pub(crate) no_symmetry: bool,

    /// There is nothing to switch off yet
    #[arg(long, value_enum, default_value = "all", hide = true)]
    pub(crate) spin: Spin,
}

const CHECK_HELP: &str = "\
The trace has one event a line: id, thread, operation, order, location, where it reads from:

  # threadbare trace 1
  e0 t0 W   rel     x
  e1 t1 R   acq     x  rf=e0
  e2 t1 RMW acq_rel x  rf=init
  e3 t1 F   acq

Operations are W, R, RMW and F, orders na, rlx, acq, rel, acq_rel and sc. Lines of one thread are in program order.
With `co=K` on all writes to a location, K from 0, that coherence order is checked; without, any will do.

Exit status:
  0  consistent
  1  inconsistent: it says why, event by event
  2  the trace cannot be read
  3  neither is known: the time was up, or the model has no check for a trace like this

Examples:
  threadbare check mp.trace                              under RC11
  threadbare check mp.trace --model sra --format json    under SRA, for machines
  threadbare check mp.trace --witness mp-co.trace        with a coherence order that shows it
  threadbare verify mp.c --trace-out mp.trace            where traces come from";

#[derive(Args, Clone, Debug)]
#[command(after_help = FUZZ_HELP)]
pub(crate) struct FuzzArguments {
    #[command(flatten)]
    pub(crate) input: Input,

    #[arg(
        long,
        value_parser = models::parser(),
        hide_possible_values = true,
        value_name = "MODEL",
        help = models::help_for_random_runs()
    )]
    pub(crate) model: Option<Model>,

    /// Which thread steps next: uniform, any; pct, by priorities that change a few times; pos, by priorities of steps; urw, by
    /// how much a thread still has to do
    #[arg(long, value_enum, default_value = "uniform", hide_possible_values = true, value_name = "STRATEGY")]
    pub(crate) strategy: Strategy,

    /// For pct: how many orderings a bug may need, 3 if not said
    #[arg(long, value_name = "N")]
    pub(crate) depth: Option<u32>,

    /// The seed of the first run; the others have the numbers after it
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,

    /// Make so many runs (if not said, as many as there is time for)
    #[arg(long, value_name = "N")]
    pub(crate) runs: Option<u64>,

    /// Stop after this time (if neither runs nor time are said, after 10 seconds)
    #[arg(long, visible_alias = "timeout", value_name = "SECONDS", value_parser = seconds)]
    pub(crate) time: Option<Duration>,

    /// Stop when this much memory is used, as `512M` or `2G`. If not said, three quarters of
    /// the machine's
    #[arg(long, value_name = "LIMIT")]
    pub(crate) memory: Option<Bytes>,

    /// Stop when hardly anything new is to be expected
    #[arg(long)]
    pub(crate) until_saturated: bool,

    /// Run with N threads
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) jobs: usize,

    /// Cut a run after N events
    #[arg(long, value_name = "N", default_value_t = 100_000_000)]
    pub(crate) events: u64,

    /// A thread may run 400 N instructions without an event. If not said, N is 250000
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MOST_STEPS))]
    pub(crate) max_steps: Option<u64>,

    /// What is a violation, a list: assertion, race, memory, deadlock. If not said, all of them
    #[arg(long, value_parser = checks, value_name = "LIST")]
    pub(crate) check: Option<Checks>,

    /// Keep at most N writes of a location that can still be read
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub(crate) history: usize,

    #[command(flatten)]
    pub(crate) unroll: Unroll,

    /// Look for more violations after the first
    #[arg(long)]
    pub(crate) keep_going: bool,

    /// Write the first violation's execution as a trace
    #[arg(long, value_name = "FILE")]
    pub(crate) trace_out: Option<PathBuf>,

    /// Draw the first violation's execution as .dot, .svg or .html: the end of the name says which
    #[arg(long, value_name = "FILE")]
    pub(crate) graph: Option<PathBuf>,

    /// How to print the result: full, concise or json
    #[arg(long, value_enum, default_value = "full", hide_possible_values = true, value_name = "FORMAT")]
    pub(crate) format: Format,

    /// There is nothing to switch off
    #[arg(long, hide = true)]
    pub(crate) no_symmetry: bool,

    /// What allocations do, a list: fresh, give no address twice; fail, also fail. If not said, fresh
    #[arg(long, value_parser = alloc, value_name = "LIST")]
    pub(crate) alloc: Option<Alloc>,

    /// There is nothing to switch off: loops that wait are run as they are
    #[arg(long, value_enum, default_value = "none", hide = true)]
    pub(crate) spin: Spin,
}

impl FuzzArguments {
    /// The memory model, as far as is known what the program is written in.
    pub(crate) fn model(&self) -> Model {
        self.model.unwrap_or_else(|| models::usual(self.input.is_cxx()))
    }

    /// The same for a program of which the compiler has said what it is written in.
    pub(crate) fn of_program(&self, is_cxx: bool) -> FuzzArguments {
        FuzzArguments { input: self.input.of_program(is_cxx), ..self.clone() }
    }

    /// For the strategy pct: how many orderings a bug may need.
    pub(crate) fn depth(&self) -> u32 {
        self.depth.unwrap_or(3)
    }
}

const FUZZ_HELP: &str = "\
Every run has a seed, and the same seed gives the same run: what is found is shown with its seed. A violation is made
shorter before it is shown; `verify --replay` shows it again, too. That nothing was found proves nothing.

Exit status:
  0  no violation was found
  1  a violation
  2  usage, input or internal error
  3  something that is not modelled was reached

Examples:
  threadbare fuzz server.c                              ten seconds of random executions under RC11
  threadbare fuzz server.c --time 600 --jobs 4          ten minutes of them, four at a time
  threadbare fuzz server.c --seed 17 --runs 1           the run of seed 17
  threadbare fuzz server.c --strategy pct --depth 4     with priorities
  threadbare fuzz server.c --check assertion,race       nothing else is a violation
  threadbare fuzz server.c --until-saturated -- -DN=8   until hardly anything new comes out";

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub(crate) enum Strategy {
    Uniform,
    Pct,
    Pos,
    Urw,
}

impl Strategy {
    /// As the user names it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Strategy::Uniform => "uniform",
            Strategy::Pct => "pct",
            Strategy::Pos => "pos",
            Strategy::Urw => "urw",
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub(crate) enum Equivalence {
    Co,
    Rf,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub(crate) enum Xmm {
    Complete,
    Heuristic,
}

impl From<Xmm> for engine::XmmSearch {
    fn from(xmm: Xmm) -> engine::XmmSearch {
        match xmm {
            Xmm::Complete => engine::XmmSearch::Complete,
            Xmm::Heuristic => engine::XmmSearch::Heuristic,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub(crate) enum Spin {
    None,
    Static,
    Dynamic,
    All,
}

impl Spin {
    /// As the user names it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Spin::None => "none",
            Spin::Static => "static",
            Spin::Dynamic => "dynamic",
            Spin::All => "all",
        }
    }
}

impl From<Spin> for vm::Spin {
    fn from(spin: Spin) -> vm::Spin {
        match spin {
            Spin::None => vm::Spin::None,
            Spin::Static => vm::Spin::Static,
            Spin::Dynamic => vm::Spin::Dynamic,
            Spin::All => vm::Spin::All,
        }
    }
}

/// What allocations may do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Alloc {
    pub(crate) reuse: bool,
    pub(crate) fail: bool,
}

impl Alloc {
    /// As the user names it.
    pub(crate) fn name(self) -> &'static str {
        match (self.reuse, self.fail) {
            (false, false) => "fresh",
            (true, false) => "reuse",
            (false, true) => "fresh,fail",
            (true, true) => "reuse,fail",
        }
    }
}

impl From<Alloc> for vm::Alloc {
    fn from(Alloc { reuse, fail }: Alloc) -> vm::Alloc {
        vm::Alloc { reuse, fail }
    }
}

/// The reductions that are left without those of a list.
fn without(text: &str) -> Result<ReductionSet, String> {
    text.split(',').try_fold(ReductionSet::ALL, |left, name| {
        match Reduction::ALL.into_iter().find(|reduction| reduction.name() == name) {
            Some(reduction) => Ok(left.without(reduction)),
            None if matches!(name, "barriers" | "sleeping") => Err(format!(
                "`{name}` cannot be switched off: there is no other way to explore what waits there"
            )),
            None => Err(format!(
                "`{name}` is no reduction; there are: {}",
                Reduction::ALL.map(Reduction::name).join(", ")
            )),
        }
    })
}

/// The reductions that are off unless they are asked for.
const OPTIONAL: [Reduction; 1] = [Reduction::LockOrder];

/// The reductions of a list, of those that are off unless they are asked for.
fn with(text: &str) -> Result<ReductionSet, String> {
    text.split(',').try_fold(ReductionSet::NONE, |on, name| {
        let names = || OPTIONAL.map(Reduction::name).join(", ");
        match OPTIONAL.into_iter().find(|reduction| reduction.name() == name) {
            Some(reduction) => Ok(on.with(reduction)),
            None if Reduction::ALL.iter().any(|reduction| reduction.name() == name) => {
                Err(format!("`{name}` is on anyway; this is for: {}", names()))
            }
            None => Err(format!("`{name}` is no reduction; this is for: {}", names())),
        }
    })
}

/// The checks of a list.
fn checks(text: &str) -> Result<Checks, String> {
    let names = || Check::ALL.map(Check::name).join(", ");
    text.split(',').try_fold(Checks::NONE, |checks, name| {
        match Check::ALL.into_iter().find(|check| check.name() == name) {
            Some(check) => Ok(checks.with(check)),
            None => Err(format!("`{name}` is nothing to check; there is: {}", names())),
        }
    })
}

/// The names of checks, as a list.
pub(crate) fn names_of(checks: Checks) -> String {
    let names: Vec<&str> = Check::ALL.into_iter().filter(|&it| checks.has(it)).map(Check::name).collect();
    names.join(",")
}

/// The options about checks and steps, for a command line that shows the same again.
pub(crate) fn words_of(check: Option<Checks>, max_steps: Option<u64>) -> impl Iterator<Item = String> {
    let check = check.map(|checks| format!("--check {}", names_of(checks)));
    check.into_iter().chain(max_steps.map(|steps| format!("--max-steps {steps}")))
}

fn alloc(text: &str) -> Result<Alloc, String> {
    let mut alloc = Alloc::default();
    for word in text.split(',') {
        match word {
            "fresh" => {}
            "reuse" => alloc.reuse = true,
            "fail" => alloc.fail = true,
            _ => return Err("a list of fresh, reuse and fail".to_owned()),
        }
    }
    if alloc.reuse && text.split(',').any(|word| word == "fresh") {
        return Err("fresh addresses are never given again: either fresh or reuse".to_owned());
    }
    Ok(alloc)
}

fn shard(text: &str) -> Result<Shard, String> {
    let numbers =
        text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
    match numbers {
        Some((number, of)) if 1 <= number && number <= of => Ok(Shard { number, of }),
        _ => Err("expected K/N, with K from 1 to N".to_owned()),
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: Option<f64> = text.parse().ok();
    let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.ok_or_else(|| "not a number of seconds".to_owned())
}
