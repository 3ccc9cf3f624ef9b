//! The tables of times: every benchmark program with its exact number of executions; and programs explored up to
//! reads-from against up to coherence order.
//!
//! `make bench`. Times are the best of three runs, front end excluded. Only ratios within one run of the table mean
//! anything. The table against a peer is in `peer`.

#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "a benchmark prints times")]

use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Program, parameter, executions.
const PROGRAMS: [(&str, &str, u64); 15] = [
    ("fib_bench", "-DK=5", 525_630),
    ("casw", "-DN=5", 32_880),
    ("casrot", "-DN=11", 182_905),
    ("binc", "-DN=5", 14_400),
    ("ainc", "-DN=8", 40_320),
    ("readers", "-DN=15", 32_768),
    ("lastzero", "-DN=15", 147_456),
    ("indexer", "-DN=15", 4_096),
    ("fib_bench", "-DK=4", 34_205),
    ("casrot", "-DN=10", 38_486),
    ("casw", "-DN=6", 1_270_080),
    ("binc", "-DN=6", 518_400),
    ("ainc", "-DN=9", 362_880),
    ("lastzero", "-DN=10", 3_328),
    ("indexer", "-DN=14", 512),
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
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/bench");
    println!(
        "{:<18} {:>10} {:>8} {:>10} {:>10} {:>8}",
        "program", "executions", "blocked", "seconds", "exec/s", "MiB"
    );
    for (program, parameter, executions) in PROGRAMS {
        let file = corpus.join(program).with_extension("c");
        let Ours { seconds, blocked, memory } = best(&file, "co", parameter, executions);
        let name = format!("{program}({})", &parameter[4..]);
        let rate = executions as f64 / seconds;
        println!(
            "{name:<18} {executions:>10} {blocked:>8} {seconds:>10.4} {rate:>10.0} {:>8.1}",
            memory as f64 / 1_048_576.0
        );
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
