//! The tables of times: every benchmark program with its exact number of executions, ours and a peer's; and programs
//! explored up to reads-from against up to coherence order.
//!
//! `make bench`, or `GENMC=/path/to/genmc make bench` for the peer's columns. Times are the best of three runs, front end
//! excluded (for the peer: less what a run with the smallest parameter takes). Only ratios within one run of the table
//! mean anything.

#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "a benchmark prints times")]

use serde_json::Value;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// Program, parameter, smallest parameter, executions, whether it is one of those that are compared with the peer.
const PROGRAMS: [(&str, &str, &str, u64, bool); 15] = [
    ("fib_bench", "-DK=5", "-DK=1", 525_630, true),
    ("casw", "-DN=5", "-DN=1", 32_880, true),
    ("casrot", "-DN=11", "-DN=1", 182_905, true),
    ("binc", "-DN=5", "-DN=1", 14_400, true),
    ("ainc", "-DN=8", "-DN=1", 40_320, true),
    ("readers", "-DN=15", "-DN=1", 32_768, true),
    ("lastzero", "-DN=15", "-DN=1", 147_456, true),
    ("indexer", "-DN=15", "-DN=1", 4_096, true),
    ("fib_bench", "-DK=4", "-DK=1", 34_205, false),
    ("casrot", "-DN=10", "-DN=1", 38_486, false),
    ("casw", "-DN=6", "-DN=1", 1_270_080, false),
    ("binc", "-DN=6", "-DN=1", 518_400, false),
    ("ainc", "-DN=9", "-DN=1", 362_880, false),
    ("lastzero", "-DN=10", "-DN=1", 3_328, false),
    ("indexer", "-DN=14", "-DN=1", 512, false),
];

/// Program, parameter, executions up to `co` (if that is feasible) and up to `rf`, all under RC11.
const EQUIVALENCES: [(&str, &str, Option<u64>, u64); 26] = [
    ("bench/casw", "-DN=5", Some(32_880), 2_160),
    ("bench/casw", "-DN=6", Some(1_270_080), 28_812),
    ("bench/n_writers_a_reader", "-DN=9", Some(3_628_800), 10),
    ("bench/n_writers_a_reader", "-DN=50", None, 51),
    ("bench/redundant_co", "-DN=6", Some(84_084), 127),
    ("bench/redundant_co", "-DN=20", None, 1_261),
    ("bench/sigma", "-DN=7", Some(135_135), 5_040),
    ("bench/sigma", "-DN=9", None, 362_880),
    ("bench/control_flow", "-DN=6", Some(55_440), 77),
    ("bench/control_flow", "-DN=12", None, 4_121),
    ("tracer/exponential_bug", "-DN=7", Some(2_833_112), 22_844),
    ("tracer/ticket_mutex", "-DL=10", Some(4_026), 4_026),
    ("tracer/barrier", "-DL=10", Some(31_944), 31_944),
    ("tracer/pthread_demo", "-DK=10", Some(184_756), 184_756),
    ("tracer/indexer_mutex", "-DN=16", Some(32_768), 32_768),
    ("tracer/stack_true", "-DSIZE=12", Some(2_704_156), 2_704_156),
    ("tracer/queue_ok", "-DN=9", Some(362_880), 362_880),
    ("bench/fib_bench", "-DK=5", Some(525_630), 525_630),
    ("bench/readers", "-DN=15", Some(32_768), 32_768),
    ("bench/ainc", "-DN=8", Some(40_320), 40_320),
    ("bench/lastzero", "-DN=15", Some(147_456), 147_456),
    ("bench/casrot", "-DN=10", Some(38_486), 38_486),
    ("bench/indexer", "-DN=15", Some(4_096), 4_096),
    ("locks/linuxrwlocks", "-DWRITERS=3", Some(3_181), 3_181),
    ("locks/ticketlock", "-DN=7", Some(5_040), 5_040),
    ("locks/mcslock", "-DN=4", Some(1_080), 1_080),
];

const RUNS: u32 = 3;

struct Ours {
    seconds: f64,
    blocked: u64,
    memory: u64,
}

fn main() {
    programs();
    println!();
    equivalences();
}

fn programs() {
    let genmc = std::env::var("GENMC").ok();
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/bench");
    print!(
        "{:<18} {:>10} {:>8} {:>10} {:>10} {:>8}",
        "program", "executions", "blocked", "seconds", "exec/s", "MiB"
    );
    println!("{}", if genmc.is_some() { "   genmc s   times" } else { "" });
    let mut ratios = Vec::new();
    for (program, parameter, smallest, executions, counts) in PROGRAMS {
        let file = corpus.join(program).with_extension("c");
        let Ours { seconds, blocked, memory } = best(&file, "co", parameter, executions);
        let name = format!("{program}({})", &parameter[4..]);
        let rate = executions as f64 / seconds;
        print!(
            "{name:<18} {executions:>10} {blocked:>8} {seconds:>10.4} {rate:>10.0} {:>8.1}",
            memory as f64 / 1_048_576.0
        );
        if let Some(genmc) = genmc.as_ref().filter(|_| counts) {
            let peer = peer(genmc, &file, parameter) - peer(genmc, &file, smallest);
            print!(" {peer:>9.3} {:>7.1}", peer / seconds);
            ratios.push(peer / seconds);
        }
        println!();
    }
    if !ratios.is_empty() {
        let mean = (ratios.iter().map(|r| r.ln()).sum::<f64>() / ratios.len() as f64).exp();
        let least = ratios.iter().copied().fold(f64::MAX, f64::min);
        println!("the first {}: {mean:.1} times in geometric mean, {least:.1} at least", ratios.len());
    }
}

fn equivalences() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests");
    println!(
        "{:<24} {:>10} {:>10} {:>10} {:>10} {:>9}",
        "program", "up to co", "seconds", "up to rf", "seconds", "times"
    );
    for (program, parameter, co, rf) in EQUIVALENCES {
        let file = corpus.join(program).with_extension("c");
        let name = program.split_once('/').expect("a directory and a name").1;
        print!("{:<24}", format!("{name}({})", &parameter[4..]));
        let co_seconds = co.map(|executions| (executions, best(&file, "co", parameter, executions).seconds));
        let rf_seconds = best(&file, "rf", parameter, rf).seconds;
        match co_seconds {
            Some((executions, seconds)) => print!(" {executions:>10} {seconds:>10.4}"),
            None => print!(" {:>10} {:>10}", "-", "-"),
        }
        print!(" {rf:>10} {rf_seconds:>10.4}");
        let times = co_seconds.map(|(_, seconds)| format!("{:.1}", seconds / rf_seconds));
        println!(" {:>9}", times.unwrap_or_else(|| "-".to_owned()));
    }
}

/// The fastest of a few runs.
fn best(file: &Path, equivalence: &str, parameter: &str, executions: u64) -> Ours {
    let runs = (0..RUNS).map(|_| run(file, equivalence, parameter, executions));
    runs.min_by(|a, b| a.seconds.total_cmp(&b.seconds)).expect("at least one run")
}

fn run(file: &Path, equivalence: &str, parameter: &str, executions: u64) -> Ours {
    let mut command = Command::new(env!("CARGO_BIN_EXE_threadbare"));
    command.args([
        "verify",
        "--jobs",
        "1",
        "--format",
        "json",
        "--no-symmetry",
        "--equivalence",
        equivalence,
    ]);
    let output = command.arg(file).args(["--", parameter]).output();
    let output = output.expect("the binary runs");
    let json: Value = serde_json::from_slice(&output.stdout).expect("an object");
    assert_eq!(json["executions"]["complete"], executions, "{json}");
    Ours {
        seconds: json["seconds"]["exploration"].as_f64().expect("a number"),
        blocked: json["executions"]["blocked"].as_u64().expect("a number"),
        memory: json["peak_memory_bytes"].as_u64().expect("a number"),
    }
}

/// The best time of the peer, in seconds.
fn peer(genmc: &str, file: &Path, parameter: &str) -> f64 {
    let time = || -> Duration {
        let start = Instant::now();
        let flags = ["-rc11", "-disable-estimation", "-disable-mm-detector", "--", parameter];
        let status = Command::new(genmc).args(flags).arg(file).output().expect("the peer runs").status;
        assert!(status.success(), "{genmc} failed on {}", file.display());
        start.elapsed()
    };
    (0..RUNS).map(|_| time()).min().expect("at least one run").as_secs_f64()
}
