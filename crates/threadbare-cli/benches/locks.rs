//! The tables of locks: every program of `tests/locks` under each kind of cutting, and some of them against a peer.
//!
//! `make bench`, or `GENMC=/path/to/genmc make bench` for the second table. Executions are complete + blocked, then
//! seconds: ours of exploration alone, the best of three runs; the peer's less what its run with the smallest parameter
//! takes. A run that takes longer than the limit is given up. Only ratios within one run of the table mean anything.

#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "a benchmark prints times")]

use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

const RUNS: u32 = 3;
/// Seconds after which a run is given up.
const LIMIT: &str = "25";
const KINDS: [&str; 4] = ["none", "static", "dynamic", "all"];

/// Name, program, its parameters, its threads: without cutting, loops are bounded by one more.
const PROGRAMS: [(&str, &str, &str, u32); 36] = [
    ("spinlock(3)", "spinlock", "-DN=3", 3),
    ("spinlock(4)", "spinlock", "-DN=4", 4),
    ("ttaslock(3)", "ttaslock", "-DN=3", 3),
    ("ttaslock(4)", "ttaslock", "-DN=4", 4),
    ("ticketlock(3)", "ticketlock", "-DN=3", 3),
    ("ticketlock(4)", "ticketlock", "-DN=4", 4),
    ("twalock(3)", "twalock", "-DN=3", 3),
    ("twalock(4)", "twalock", "-DN=4", 4),
    ("mcslock(3)", "mcslock", "-DN=3", 3),
    ("mcslock(4)", "mcslock", "-DN=4", 4),
    ("qspinlock(2)", "qspinlock", "-DN=2", 2),
    ("qspinlock(3)", "qspinlock", "-DN=3", 3),
    ("mutex(2)", "mutex", "-DN=2", 2),
    ("mutex(3)", "mutex", "-DN=3", 3),
    ("mutex-musl(2)", "mutex_musl", "-DN=2", 2),
    ("mutex-musl(3)", "mutex_musl", "-DN=3", 3),
    ("seqlock(1r 2w)", "seqlock", "-DREADERS=1 -DWRITERS=2", 3),
    ("seqlock(2r 2w)", "seqlock", "-DREADERS=2 -DWRITERS=2", 4),
    ("rwlock(2r 1w)", "rwlock", "-DREADERS=2 -DWRITERS=1", 3),
    ("rwlock(2r 2w)", "rwlock", "-DREADERS=2 -DWRITERS=2", 4),
    ("linuxrwlocks(2r 1w)", "linuxrwlocks", "-DREADERS=2 -DWRITERS=1", 3),
    ("linuxrwlocks(2r 2w)", "linuxrwlocks", "-DREADERS=2 -DWRITERS=2", 4),
    ("barrier(3)", "barrier", "-DN=3", 3),
    ("barrier(4)", "barrier", "-DN=4", 4),
    ("scgather(2)", "scgather", "-DN=2", 3),
    ("scgather(3)", "scgather", "-DN=3", 4),
    ("spsc-ring(2)", "spsc_ring", "-DSTAGES=2", 2),
    ("spsc-ring(3)", "spsc_ring", "-DSTAGES=3", 3),
    ("treiber-stack(1r 2w)", "treiber_stack", "-DREADERS=1 -DWRITERS=2", 3),
    ("treiber-stack(2r 2w)", "treiber_stack", "-DREADERS=2 -DWRITERS=2", 4),
    ("ms-queue(1r 2w)", "ms_queue", "-DBOTH=0 -DREADERS=1 -DWRITERS=2", 3),
    ("ms-queue(2r 2w)", "ms_queue", "-DBOTH=0 -DREADERS=2 -DWRITERS=2", 4),
    ("mpmc-queue(2 x rw)", "mpmc_queue", "-DBOTH=2", 2),
    ("mpmc-queue(3 x rw)", "mpmc_queue", "-DBOTH=3", 3),
    ("chase-lev(2)", "chase_lev", "-DTHIEVES=2", 3),
    ("chase-lev(3)", "chase_lev", "-DTHIEVES=3", 4),
];

/// Those whose rounds are cut by watching only: they are bounded with `static`, too.
const WATCHED: [&str; 1] = ["scgather"];

/// Name, program, parameters, the smallest parameters, and what must be switched off in the peer.
const COMPARED: [(&str, &str, &str, &str, &str); 13] = [
    // Its in-place revisits make an error of writes that race for the lock.
    ("ttaslock(4)", "ttaslock", "-DN=4", "-DN=1", "-disable-ipr"),
    ("ticketlock(5)", "ticketlock", "-DN=5", "-DN=1", ""),
    ("mcslock(4)", "mcslock", "-DN=4", "-DN=1", ""),
    ("linuxrwlocks(2r 2w)", "linuxrwlocks", "-DREADERS=2 -DWRITERS=2", "-DREADERS=0 -DWRITERS=1", ""),
    // With it, it misses the execution where the reader comes first, and the bug.
    (
        "seqlock(2r 2w)",
        "seqlock",
        "-DREADERS=2 -DWRITERS=2",
        "-DREADERS=0 -DWRITERS=1",
        "-disable-assume-propagation",
    ),
    ("treiber-stack(2r 2w)", "treiber_stack", "-DREADERS=2 -DWRITERS=2", "-DREADERS=0 -DWRITERS=1", ""),
    (
        "treiber-stack(3 x rw)",
        "treiber_stack",
        "-DREADERS=0 -DWRITERS=0 -DBOTH=3",
        "-DREADERS=0 -DWRITERS=1",
        "",
    ),
    ("ms-queue(2r 2w)", "ms_queue", "-DBOTH=0 -DREADERS=2 -DWRITERS=2", "-DBOTH=1", ""),
    ("ms-queue(3 x rw)", "ms_queue", "-DBOTH=3", "-DBOTH=1", ""),
    ("mpmc-queue(3 x rw)", "mpmc_queue", "-DBOTH=3", "-DBOTH=1", ""),
    ("mutex(4)", "mutex", "-DN=4", "-DN=1", ""),
    ("twalock(5)", "twalock", "-DN=5", "-DN=1", ""),
    (
        "linuxrwlocks(4 x rw)",
        "linuxrwlocks",
        "-DREADERS=0 -DWRITERS=0 -DBOTH=4",
        "-DREADERS=0 -DWRITERS=1",
        "",
    ),
];

/// What a run told, unless it was given up.
#[derive(Clone, Copy)]
struct Answer {
    complete: u64,
    blocked: u64,
    seconds: f64,
}

fn main() {
    kinds();
    if let Ok(genmc) = std::env::var("GENMC") {
        println!();
        compare(&genmc);
    }
}

fn kinds() {
    print!("{:<22}", "program");
    KINDS.iter().for_each(|kind| print!(" {kind:>28}"));
    println!();
    for (name, program, parameters, threads) in PROGRAMS {
        print!("{name:<22}");
        for kind in KINDS {
            let bounded = kind == "none" || kind == "static" && WATCHED.contains(&program);
            print!(" {}", cell(best(|| ours(program, parameters, kind, bounded.then_some(threads + 1)))));
        }
        println!();
    }
}

fn compare(genmc: &str) {
    println!("{:<22} {:>28} {:>28} {:>8}", "program", "threadbare", "genmc", "times");
    for (name, program, parameters, smallest, off) in COMPARED {
        let ours = best(|| ours(program, parameters, "all", None));
        let start = best(|| peer(genmc, program, smallest, off)).map_or(0.0, |it| it.seconds);
        let peer = best(|| peer(genmc, program, parameters, off));
        let peer = peer.map(|it| Answer { seconds: it.seconds - start, ..it });
        let times = match (ours, peer) {
            (Some(ours), Some(peer)) => format!("{:.1}", peer.seconds / ours.seconds),
            (Some(ours), None) => format!(">{:.0}", LIMIT.parse::<f64>().expect("a number") / ours.seconds),
            (None, _) => "-".to_owned(),
        };
        println!("{name:<22} {} {} {times:>8}", cell(ours), cell(peer));
    }
}

fn cell(answer: Option<Answer>) -> String {
    let text = match answer {
        Some(it) => format!("{} + {} {:>8.4}", it.complete, it.blocked, it.seconds),
        None => format!(">{LIMIT}"),
    };
    format!("{text:>28}")
}

/// The fastest of a few runs; one that is given up is not repeated.
fn best(run: impl Fn() -> Option<Answer>) -> Option<Answer> {
    let mut best = run()?;
    for _ in 1..RUNS {
        best = run().filter(|it| it.seconds < best.seconds).unwrap_or(best);
    }
    Some(best)
}

fn path(program: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/locks").join(program).with_extension("c")
}

fn ours(program: &str, parameters: &str, kind: &str, bound: Option<u32>) -> Option<Answer> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_threadbare"));
    command.args([
        "verify",
        "--jobs",
        "1",
        "--format",
        "json",
        "--no-symmetry",
        "--timeout",
        LIMIT,
        "--spin",
        kind,
    ]);
    command.args(bound.map(|bound| format!("--unroll={bound}")));
    let output = command.arg(path(program)).arg("--").args(parameters.split(' ')).output();
    let json: Value = serde_json::from_slice(&output.expect("the binary runs").stdout).expect("an object");
    assert!(json["violations"].as_array().expect("a list").is_empty(), "{program} is right: {json}");
    (json["verdict"] != "inconclusive").then(|| Answer {
        complete: json["executions"]["complete"].as_u64().expect("a number"),
        blocked: json["executions"]["blocked"].as_u64().expect("a number"),
        seconds: json["seconds"]["exploration"].as_f64().expect("a number"),
    })
}

fn peer(genmc: &str, program: &str, parameters: &str, off: &str) -> Option<Answer> {
    let mut command = Command::new("timeout");
    command.args([LIMIT, genmc, "-rc11", "-disable-estimation", "-disable-mm-detector"]);
    command.args((!off.is_empty()).then_some(off)).arg("--").args(parameters.split(' ')).arg(path(program));
    let start = Instant::now();
    let output = command.output().expect("the peer runs");
    let seconds = start.elapsed().as_secs_f64();
    let text = String::from_utf8_lossy(&output.stdout);
    let number = |words: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix("Number of ")?.strip_prefix(words))?;
        line.trim().parse().ok()
    };
    (output.status.code() != Some(124)).then(|| Answer {
        complete: number("complete executions explored:").expect("it says so"),
        blocked: number("blocked executions seen:").unwrap_or(0),
        seconds,
    })
}
