//! The table against a peer: GenMC's own programs, user processor time of both, one job.
//!
//! `GENMC=/path/to/genmc make bench`. The programs are read from the peer's own tests, in `tests/correct` beside the
//! binary, or where `GENMC_TESTS` says; none of them is here. Both explore under RC11 up to coherence order and without
//! symmetry reduction, so that the complete executions are the same.
//!
//! Ours is the user time of the exploration alone: the program is compiled in this process, and explored so often that it
//! takes half a second, with one job. The peer's is the user time of the command, less that of its run with the smallest
//! parameter. Both are the best of three. The system counts in hundredths of a second.

#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "a benchmark prints times")]

use engine::{Control, Executions, Job, Model};
use std::path::{Path, PathBuf};
use std::process::Command;

const RUNS: usize = 3;
/// Explorations are repeated until they have taken so many seconds.
const ENOUGH: f64 = 0.5;

/// A program of the peer.
struct Row {
    name: &'static str,
    file: &'static str,
    flags: &'static str,
    /// The smallest parameters.
    smallest: &'static str,
}

const fn row(name: &'static str, file: &'static str, flags: &'static str, smallest: &'static str) -> Row {
    Row { name, file, flags, smallest }
}

const SYNTHETIC: [Row; 8] = [
    row("fib_bench(5)", "synthetic/fib_bench/variants/fib_bench0.c", "-DNUM=5", "-DNUM=1"),
    row("casw(5)", "synthetic/casw/variants/casw0.c", "-DN=5", "-DN=1"),
    row("casrot(11)", "synthetic/casrot/variants/casrot0.c", "-DN=11", "-DN=1"),
    row("binc(5)", "synthetic/binc/variants/binc0.c", "-DN=5", "-DN=1"),
    row("ainc(8)", "synthetic/ainc/variants/ainc0.c", "-DN=8", "-DN=1"),
    row("readers(15)", "synthetic/readers/variants/readers0.c", "-DN=15", "-DN=1"),
    row("lastzero(15)", "synthetic/lastzero/variants/lastzero0.c", "-DN=15", "-DN=1"),
    row("indexer(15)", "synthetic/indexer/variants/indexer0.c", "-DN=15", "-DN=1"),
];

const STRUCTURES: [Row; 5] = [
    row("spinlock(6)", "data-structures/spinlock/variants/main0.c", "-DN=6", "-DN=1"),
    row("ticketlock(7)", "data-structures/ticketlock/variants/main0.c", "-DN=7", "-DN=1"),
    row("twalock(4)", "data-structures/twalock/variants/main0.c", "-DN=4", "-DN=1"),
    row(
        "seqlock-atomic(3r 3w)",
        "data-structures/seqlock-atomic/variants/main0.c",
        "-DCONFIG_SEQ_READERS=3 -DCONFIG_SEQ_WRITERS=3",
        "-DCONFIG_SEQ_READERS=1 -DCONFIG_SEQ_WRITERS=1",
    ),
    row(
        "treiber-stack(2r 3w)",
        "data-structures/treiber-stack/variants/main0.c",
        "-DCONFIG_STACK_READERS=2 -DCONFIG_STACK_WRITERS=3",
        "-DCONFIG_STACK_READERS=1 -DCONFIG_STACK_WRITERS=1",
    ),
];

fn main() {
    let Ok(genmc) = std::env::var("GENMC") else {
        println!("no peer: set GENMC to a genmc binary");
        return;
    };
    let beside = || Path::new(&genmc).with_file_name("tests").join("correct");
    let tests = std::env::var("GENMC_TESTS").map_or_else(|_| beside(), PathBuf::from);
    let wanted: Vec<String> = std::env::args().skip(1).filter(|it| !it.starts_with("--")).collect();
    println!(
        "{:<22} {:>10} {:>8} {:>10} {:>9} {:>10} {:>8} {:>9} {:>7}",
        "program", "executions", "blocked", "user s", "µs each", "genmc", "blocked", "user s", "times"
    );
    for rows in [&SYNTHETIC[..], &STRUCTURES[..]] {
        let is_wanted =
            |row: &&Row| wanted.is_empty() || wanted.iter().any(|it| row.name.starts_with(it.as_str()));
        let times: Vec<f64> = rows.iter().filter(is_wanted).map(|row| compare(&genmc, &tests, row)).collect();
        let mean = (times.iter().map(|it| it.ln()).sum::<f64>() / times.len() as f64).exp();
        let least = times.iter().copied().fold(f64::MAX, f64::min);
        println!("these {}: {mean:.1} times in geometric mean, {least:.1} at least", times.len());
    }
}

/// Prints the row, and returns how many times as long the peer takes.
fn compare(genmc: &str, tests: &Path, row: &Row) -> f64 {
    let file = tests.join(row.file);
    let (seconds, ours) = ours(&file, row.flags);
    let (all, theirs) = peer(genmc, &file, row.flags);
    let peer_seconds = all - peer(genmc, &file, row.smallest).0;
    assert_eq!(ours.complete, theirs.complete, "{}: both have the same complete executions", row.name);
    let times = peer_seconds / seconds;
    println!(
        "{:<22} {:>10} {:>8} {seconds:>10.4} {:>9.2} {:>10} {:>8} {peer_seconds:>9.2} {times:>7.1}",
        row.name,
        ours.complete,
        ours.blocked,
        seconds / ours.complete as f64 * 1e6,
        theirs.complete,
        theirs.blocked,
    );
    times
}

/// The user time of one exploration, and its executions.
fn ours(file: &Path, flags: &str) -> (f64, Executions) {
    let job = Job::new(Model::Rc11);
    let machine = vm::Machine::new(module(file, flags), options(&job)).expect("a machine");
    let explore = || engine::explore(&mut machine.clone(), &job, &Control::default(), &mut ()).executions;
    let seconds = best(|| {
        let before = user_seconds(Of::Itself);
        let mut count = 0;
        loop {
            explore();
            count += 1;
            let taken = user_seconds(Of::Itself) - before;
            if taken >= ENOUGH {
                return taken / f64::from(count);
            }
        }
    });
    (seconds, explore())
}

fn module(file: &Path, flags: &str) -> vm::bytecode::Module {
    // What the peer's programs include of the peer.
    let stub = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/peer/include");
    let mut cflags: Vec<String> = flags.split(' ').map(str::to_owned).collect();
    cflags.extend(includes(file).map(|directory| format!("-I{}", directory.display())));
    cflags.push(format!("-I{}", stub.display()));
    let request = llvm::CompileRequest { cflags, ..llvm::CompileRequest::new(file) };
    llvm::compile(&request).expect("the program compiles").module
}

/// As `threadbare verify` has them.
fn options(job: &Job) -> vm::Options {
    vm::Options { alloc: vm::Alloc { reuse: true, fail: false }, ..job.machine_options() }
}

/// Where the program's own headers are: above its variants.
fn includes(file: &Path) -> impl Iterator<Item = &Path> {
    file.ancestors().skip(2).take(1)
}

/// The user time of the command, and the executions that it has found.
fn peer(genmc: &str, file: &Path, flags: &str) -> (f64, Executions) {
    let mut executions = Executions::default();
    let seconds = best(|| {
        let mut command = Command::new(genmc);
        command.args(["-rc11", "-disable-estimation", "-disable-mm-detector", "-disable-sr", "--"]);
        command.args(flags.split(' ')).args(includes(file).map(|it| format!("-I{}", it.display()))).arg(file);
        let before = user_seconds(Of::Commands);
        let output = command.output().expect("the peer runs");
        let taken = user_seconds(Of::Commands) - before;
        assert!(output.status.success(), "{genmc} failed on {}", file.display());
        let text = String::from_utf8_lossy(&output.stdout);
        let number = |words: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix("Number of ")?.strip_prefix(words))?;
            line.trim().parse().ok()
        };
        executions.complete = number("complete executions explored:").expect("it says so");
        executions.blocked = number("blocked executions seen:").unwrap_or(0);
        taken
    });
    (seconds, executions)
}

fn best(mut run: impl FnMut() -> f64) -> f64 {
    (0..RUNS).map(|_| run()).fold(f64::MAX, f64::min)
}

/// Whose time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Of {
    /// Of this process.
    Itself,
    /// Of the commands that it has run.
    Commands,
}

/// The seconds of user time that were taken so far: a field, in hundredths, of a line whose second one is a name in
/// brackets.
fn user_seconds(of: Of) -> f64 {
    let line = std::fs::read_to_string("/proc/self/stat").expect("the system says it");
    let fields = line.rsplit(')').next().expect("a name in brackets");
    let place = if of == Of::Itself { 11 } else { 13 };
    let field = fields.split_whitespace().nth(place).expect("the line has more fields");
    field.parse::<f64>().expect("a number") / 100.0
}
