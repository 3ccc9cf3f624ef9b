//! Random executions: how fast long ones are and how much memory they take, and how soon seeded bugs are found.
//!
//! `cargo bench --package threadbare-cli --bench fuzz`. One worker. The first table cuts each program after a million events and
//! after ten million: events per second of the longer run, and the peak memory of both. The second one has, for each
//! strategy, the number of the run that found the bug and the seconds until then, the median of three campaigns with different
//! seeds; `-` if it was not found in ten seconds. Times compare within one run of the table only.

#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "a benchmark prints times")]

use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;

/// Name, program, its parameters.
const LONG: [(&str, &str, &str); 11] = [
    ("spinlock(10)", "locks/spinlock", "-DN=10 -DOPS=1000000"),
    ("ttaslock(10)", "locks/ttaslock", "-DN=10 -DOPS=1000000"),
    ("ticketlock(5)", "locks/ticketlock", "-DN=5 -DOPS=1000000"),
    ("twalock(10)", "locks/twalock", "-DN=10 -DOPS=1000000"),
    ("mcslock(10)", "locks/mcslock", "-DN=10 -DOPS=1000000"),
    ("qspinlock(4)", "locks/qspinlock", "-DN=4 -DOPS=1000000"),
    ("mutex(10)", "locks/mutex", "-DN=10 -DOPS=1000000"),
    ("mutex-musl(10)", "locks/mutex_musl", "-DN=10 -DOPS=1000000"),
    ("spsc-ring(2)", "locks/spsc_ring", "-DSTAGES=2 -DSIZE=4 -DOPS=1000000"),
    ("fib-bench", "bench/fib_bench", "-DK=1000000"),
    ("hash-table(6)", "fuzz/hash_table", "-DN=6 -DOPS=1000000"),
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

fn fuzz(program: &str, arguments: &[&str], cflags: &str) -> Option<Value> {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests").join(format!("{program}.c"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_threadbare"));
    let command = command.arg("fuzz").arg(file).args(["--format", "json"]).args(arguments).arg("--");
    let output = command.args(cflags.split_whitespace()).output().expect("the command runs");
    serde_json::from_slice(&output.stdout).ok()
}

fn megabytes(value: &Value) -> u64 {
    value["peak_memory_bytes"].as_u64().unwrap_or(0) >> 20
}

fn long(name: &str, program: &str, cflags: &str) {
    let run = |events: &str| fuzz(program, &["--runs", "1", "--events", events], cflags);
    let (Some(short), Some(long)) = (run("1000000"), run("10000000")) else {
        println!("| {name} | no answer | | | |");
        return;
    };
    println!(
        "| {name} | {} | {:.2} | {} | {} |",
        long["events"],
        long["events_per_second"].as_f64().unwrap_or(0.0) / 1e6,
        megabytes(&short),
        megabytes(&long),
    );
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
    println!("| program | events | million events per second | MB at 1 M events | MB at 10 M events |");
    println!("|---|---|---|---|---|");
    for (name, program, cflags) in LONG {
        long(name, program, cflags);
    }
    println!("\n| program | {} |", STRATEGIES.join(" | "));
    println!("|---|---|---|---|---|");
    for (name, program, cflags) in WRONG {
        wrong(name, program, cflags);
    }
}
