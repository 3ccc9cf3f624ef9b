//! Random executions: how fast long ones are and how much memory they take, and how soon seeded bugs are found.
//!
//! `cargo bench --package threadbare-cli --bench fuzz`, with `-- NAME` only the programs with this in their names. One worker. The
//! first table has the programs of \[RF\] table 2 that are no applications, and some of our own, cut after a million events and
//! after ten million: events per second of the longer run, by the clock and by the processor's time (with compiling), and
//! the peak memory of both. Then the seconds of processor time that the incremental consistency checker takes for events of a run, those
//! of a reference whose order is always closed, and the ratio. The second table has, for each
//! strategy, the number of the run that found the bug and the seconds until then, the median of three campaigns with different
//! seeds; `-` if it was not found in ten seconds. Times compare within one run of the table only.

#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "a benchmark prints times")]

use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;

mod recorded;

/// Name, program, its parameters. Without end, for ten million events.
const LONG: [(&str, &str, &str); 30] = [
    ("control-flow(24)", "fuzz/control_flow", "-DN=11 -DROUNDS=10000000"),
    ("sigma(9)", "fuzz/sigma", "-DN=9 -DOPS=10000000"),
    ("dq(3)", "fuzz/dq", "-DTAKERS=2 -DOPS=10000000"),
    ("seqlock(8r 8w)", "fuzz/seqlock", "-DREADERS=8 -DWRITERS=8 -DOPS=10000000"),
    ("exp-bug", "fuzz/exp_bug", "-DOPS=10000000"),
    ("chase-lev(4)", "fuzz/chase_lev", "-DTHIEVES=3 -DSIZE=16 -DOPS=10000000"),
    ("linuxrwlocks(3r 2w)", "fuzz/linuxrwlocks", "-DREADERS=3 -DWRITERS=2 -DOPS=1000000"),
    ("mcs-lock(10)", "locks/mcslock", "-DN=10 -DOPS=10000000"),
    ("lamport", "fuzz/lamport", "-DOPS=10000000"),
    ("peterson", "fuzz/peterson", "-DOPS=10000000"),
    ("spsc(2)", "locks/spsc_ring", "-DSTAGES=2 -DSIZE=4 -DOPS=10000000"),
    ("dekker", "fuzz/dekker", "-DOPS=10000000"),
    ("twalock(10)", "locks/twalock", "-DN=10 -DOPS=10000000"),
    ("mutex(10)", "locks/mutex", "-DN=10 -DOPS=10000000"),
    ("spinlock(10)", "locks/spinlock", "-DN=10 -DOPS=10000000"),
    ("ticketlock(5)", "locks/ticketlock", "-DN=5 -DOPS=10000000"),
    ("ttaslock(10)", "locks/ttaslock", "-DN=10 -DOPS=10000000"),
    ("fib-bench", "bench/fib_bench", "-DK=10000000"),
    ("qu(9)", "fuzz/qu", "-DN=9 -DOPS=10000000"),
    ("treiber(5)", "fuzz/treiber", "-DN=5 -DOPS=10000000"),
    ("barrier(4)", "fuzz/barrier", "-DN=4 -DROUNDS=10000000"),
    ("mpmc(9)", "fuzz/mpmc", "-DN=9 -DSIZE=4 -DOPS=10000000"),
    ("indexer(16)", "fuzz/indexer", "-DN=16 -DOPS=10000000"),
    ("buf-ring(4r 4w)", "fuzz/buf_ring", "-DPRODUCERS=4 -DCONSUMERS=4 -DSIZE=8 -DOPS=10000000"),
    ("ms-queue(10)", "fuzz/ms_queue", "-DN=10 -DOPS=10000000"),
    ("gcd", "fuzz/gcd", "-DA=10000000 -DB=1"),
    ("szymanski", "fuzz/szymanski", "-DOPS=10000000"),
    ("qspinlock(4)", "locks/qspinlock", "-DN=4 -DOPS=10000000"),
    ("mutex-musl(10)", "locks/mutex_musl", "-DN=10 -DOPS=10000000"),
    ("hash-table(6)", "fuzz/hash_table", "-DN=6 -DOPS=10000000"),
];

/// Programs with a bug, most of them with one order weakened, larger than `verify` can explore.
const WRONG: [(&str, &str, &str); 20] = [
    ("spinlock(8)", "locks/spinlock", "-DN=8 -DOPS=100"),
    ("ttaslock(8)", "locks/ttaslock", "-DN=8 -DOPS=100"),
    ("ticketlock(8)", "locks/ticketlock", "-DN=8 -DOPS=100"),
    ("twalock(8)", "locks/twalock", "-DN=8 -DOPS=100"),
    ("mcslock(8)", "locks/mcslock", "-DN=8 -DOPS=100"),
    ("qspinlock(8)", "locks/qspinlock", "-DN=8 -DOPS=100"),
    ("mutex(8)", "locks/mutex", "-DN=8 -DOPS=100"),
    ("mutex-musl(8)", "locks/mutex_musl", "-DN=8 -DOPS=100"),
    ("seqlock(4r 4w)", "locks/seqlock", "-DREADERS=4 -DWRITERS=4"),
    ("rwlock(4r 4w)", "locks/rwlock", "-DREADERS=4 -DWRITERS=4"),
    ("linuxrwlocks(4r 4w)", "locks/linuxrwlocks", "-DREADERS=4 -DWRITERS=4"),
    ("barrier(8)", "locks/barrier", "-DN=8 -DROUNDS=100"),
    ("scgather(6)", "locks/scgather", "-DN=6"),
    ("spsc-ring(4)", "locks/spsc_ring", "-DSTAGES=4 -DSIZE=2 -DOPS=100"),
    ("treiber-stack(4r 4w)", "locks/treiber_stack", "-DREADERS=4 -DWRITERS=4"),
    ("ms-queue(4)", "locks/ms_queue", "-DBOTH=4 -DOPS=50"),
    ("mpmc-queue(8 x rw)", "locks/mpmc_queue", "-DBOTH=8"),
    ("chase-lev(6)", "locks/chase_lev", "-DTHIEVES=6 -DTASKS=6"),
    ("hash-table(6)", "fuzz/hash_table", "-DN=6 -DOPS=1000"),
    ("late-handover", "fuzz/late_handover", "-DROUNDS=1000"),
];

const STRATEGIES: [&str; 4] = ["uniform", "pct", "pos", "urw"];
const CAMPAIGNS: u64 = 3;

fn file(program: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests").join(format!("{program}.c"))
}

fn fuzz(program: &str, arguments: &[&str], cflags: &str) -> Option<Value> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_threadbare"));
    let command = command.arg("fuzz").arg(file(program)).args(["--format", "json"]).args(arguments).arg("--");
    let output = command.args(cflags.split_whitespace()).output().expect("the command runs");
    serde_json::from_slice(&output.stdout).ok()
}

fn megabytes(value: &Value) -> u64 {
    value["peak_memory_bytes"].as_u64().unwrap_or(0) >> 20
}

/// Whose time?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Of {
    /// Of this process.
    Itself,
    /// Of the commands that it has run.
    Commands,
}

/// The seconds of processor time that were taken so far, where the system says so: in hundredths, in two fields each of a
/// line whose second one is a name in brackets.
fn processor_seconds(of: Of) -> Option<f64> {
    let line = std::fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<&str> = line.rsplit(')').next()?.split_whitespace().collect();
    let places = if of == Of::Itself { [11, 12] } else { [13, 14] };
    let [user, system] = places.map(|field: usize| fields.get(field)?.parse::<f64>().ok());
    Some((user? + system?) / 100.0)
}

fn long(name: &str, program: &str, cflags: &str) {
    let run = |events: &str| fuzz(program, &["--runs", "1", "--events", events], cflags);
    let short = run("1000000");
    let before = processor_seconds(Of::Commands);
    let (Some(short), Some(long)) = (short, run("10000000")) else {
        println!("| {name} | no answer | | | | | | |");
        return;
    };
    let taken = before.zip(processor_seconds(Of::Commands)).map(|(before, after)| after - before);
    let events = long["events"].as_f64().unwrap_or(0.0);
    println!(
        "| {name} | {} | {:.2} | {} | {} | {} | {} |",
        long["events"],
        long["events_per_second"].as_f64().unwrap_or(0.0) / 1e6,
        taken.map_or("-".to_owned(), |seconds| format!("{:.2}", events / seconds / 1e6)),
        megabytes(&short),
        megabytes(&long),
        consistency(program, cflags),
    );
}

/// Events, seconds of both checkers, ratio.
fn consistency(program: &str, cflags: &str) -> String {
    let Some(it) = recorded::compare(&file(program), cflags) else { return "- | - | - | -".to_owned() };
    let (lazy, closed) = (it.lazy, it.closed);
    let model = if it.model == model::Model::Ra { "" } else { " (SC)" };
    format!("{}{model} | {lazy:.2} | {closed:.2} | {:.1}", it.events, closed / lazy)
}

/// The number of the run that finds the bug and the seconds until then.
fn until_found(program: &str, strategy: &str, seed: u64, cflags: &str) -> Option<(u64, f64)> {
    let seed = (1_000_000 * seed).to_string();
    let value = fuzz(program, &["--strategy", strategy, "--time", "10", "--seed", &seed], cflags)?;
    let run = value["found"][0]["run"].as_u64()?;
    Some((run, value["seconds"]["exploration"].as_f64()?))
}

fn wrong(name: &str, program: &str, cflags: &str) {
    let cflags = format!("{cflags} -DBUG");
    let cells = STRATEGIES.map(|strategy| {
        let found = (0..CAMPAIGNS).map(|seed| until_found(program, strategy, seed, &cflags));
        let mut found: Vec<Option<(u64, f64)>> = found.collect();
        found.sort_by(|a, b| key(a).total_cmp(&key(b)));
        match found[found.len() / 2] {
            Some((run, seconds)) => format!("{run}, {seconds:.2} s"),
            None => "-".to_owned(),
        }
    });
    println!("| {name} | {} |", cells.join(" | "));
}

/// What was not found comes last.
fn key(found: &Option<(u64, f64)>) -> f64 {
    found.map_or(f64::INFINITY, |(run, _)| run as f64)
}

fn main() {
    // Cargo adds a flag of its own.
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|part| name.contains(part.as_str()));
    println!(
        "| program | events | million events per second | per second of processor time | MB at 1 M events \
         | MB at 10 M events | events checked | lazy (s) | always closed (s) | ratio |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for (name, program, cflags) in LONG.into_iter().filter(|&(name, ..)| is_wanted(name)) {
        long(name, program, cflags);
    }
    println!("\n| program | {} |", STRATEGIES.join(" | "));
    println!("|---|---|---|---|---|");
    for (name, program, cflags) in WRONG.into_iter().filter(|&(name, ..)| is_wanted(name)) {
        wrong(name, program, cflags);
    }
}
