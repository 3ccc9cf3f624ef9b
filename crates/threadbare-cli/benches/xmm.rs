//! XMM against RC11: programs without load-buffering races, programs with races that make no cycle, and the
//! load-buffering families of \[XMM\] with their numbers of executions and of cycles that are found again.
//!
//! `make bench`. Times are the best of three runs, front end excluded; only the ratio within a row means anything.

#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "a benchmark prints times")]

use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Program, flags, executions under RC11 and under XMM.
const PROGRAMS: [(&str, &[&str], u64, u64); 24] = [
    ("bench/fib_bench", &["-DK=5"], 525_630, 525_630),
    ("bench/indexer", &["-DN=15"], 4_096, 4_096),
    ("bench/nested_locks", &["-DN=7"], 5_040, 5_040),
    ("bench/reorder", &["-DN=3"], 147_456, 147_456),
    ("bench/ainc", &["-DN=7"], 5_040, 5_040),
    ("bench/casrot", &["-DN=10"], 38_486, 38_486),
    ("bench/casw", &["-DN=5"], 32_880, 32_880),
    ("locks/ticketlock", &["-DN=7"], 5_040, 5_040),
    ("locks/twalock", &[], 72, 72),
    ("locks/treiber_stack", &["-DREADERS=2"], 38, 38),
    ("locks/mpmc_queue", &[], 4, 4),
    ("locks/mutex", &[], 12, 12),
    ("locks/mutex_musl", &[], 28, 28),
    ("locks/qspinlock", &[], 6, 6),
    ("locks/chase_lev", &[], 47, 47),
    ("xmm/lbn", &["-DN=10"], 1_023, 1_024),
    ("xmm/lbn", &["-DN=14"], 16_383, 16_384),
    ("xmm/lbn", &["-DN=14", "-DDATA"], 16_383, 16_384),
    ("xmm/lbn", &["-DN=14", "-DCTRL"], 14, 15),
    ("xmm/lbn", &["-DN=8", "-DPAIRS"], 81, 256),
    ("xmm/lbn", &["-DN=10", "-DPAIRS"], 243, 1_024),
    ("xmm/lbn", &["-DN=12", "-DPAIRS"], 729, 4_096),
    ("xmm/lbn", &["-DN=14", "-DPAIRS"], 2_187, 16_384),
    ("xmm/lbn", &["-DN=12", "-DCTRL"], 12, 13),
];

const RUNS: usize = 3;

fn main() {
    println!(
        "{:<32} {:>10} {:>10} {:>10} {:>10} {:>8} {:>8}",
        "program", "rc11", "seconds", "xmm", "seconds", "times", "again"
    );
    for (program, flags, rc11, xmm) in PROGRAMS {
        let (strong, _) = best(program, flags, "rc11", rc11);
        let (weak, again) = best(program, flags, "xmm", xmm);
        let name = format!("{program} {}", flags.join(" "));
        println!(
            "{name:<32} {rc11:>10} {strong:>10.4} {xmm:>10} {weak:>10.4} {:>8.2} {again:>8}",
            weak / strong
        );
    }
}

/// The fastest of a few runs, and how many cycles were found again.
fn best(program: &str, flags: &[&str], model: &str, executions: u64) -> (f64, u64) {
    let runs = (0..RUNS).map(|_| run(program, flags, model, executions));
    runs.min_by(|a, b| a.0.total_cmp(&b.0)).expect("at least one run")
}

fn run(program: &str, flags: &[&str], model: &str, executions: u64) -> (f64, u64) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests").join(program).with_extension("c");
    let mut command = Command::new(env!("CARGO_BIN_EXE_threadbare"));
    command.args([
        "verify",
        "--jobs",
        "1",
        "--format",
        "json",
        "--model",
        model,
        "--equivalence",
        "co",
        "--no-symmetry",
    ]);
    command.arg(file);
    let output = command.arg("--").args(flags).output().expect("the binary runs");
    let json: Value = serde_json::from_slice(&output.stdout).expect("an object");
    assert_eq!(json["executions"]["complete"], executions, "{program}: {json}");
    let seconds = json["seconds"]["exploration"].as_f64().expect("a number");
    (seconds, json["executions"]["duplicate"].as_u64().expect("a number"))
}
