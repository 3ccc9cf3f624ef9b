//! `verify --estimate` against explorations of the same programs: the interval has the true number of executions.

use crate::common::threadbare_in;
use serde_json::Value;
use std::path::Path;

/// Program, options, flags for clang, executions.
const PROGRAMS: [(&str, &[&str], &[&str], u64); 12] = [
    ("bench/lastzero", &[], &["-DN=12"], 15_360),
    ("bench/casrot", &[], &["-DN=10"], 38_486),
    ("bench/sigma", &["--equivalence", "co"], &["-DN=6"], 10_395),
    ("bench/fib_bench", &["--model", "tso"], &["-DK=4"], 34_205),
    ("locks/mcslock", &[], &["-DN=4"], 1_322),
    ("locks/chase_lev", &[], &["-DTHIEVES=3", "-DTASKS=3", "-DTAKES=2"], 9_967),
    ("locks/treiber_stack", &[], &["-DREADERS=2", "-DWRITERS=4"], 19_446),
    ("locks/seqlock", &["--equivalence", "rf"], &["-DREADERS=2", "-DWRITERS=3"], 1_770),
    ("fuzz/dekker", &[], &["-DOPS=3"], 3_506),
    ("fuzz/treiber", &["--no-symmetry"], &["-DN=3"], 9_299),
    ("fuzz/ms_queue", &[], &["-DN=3"], 22_872),
    ("right/hazard_pointers", &[], &["-DN=3"], 1_677),
];

fn verify(program: &str, options: &[&str], flags: &[&str]) -> Value {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests");
    let file = format!("{program}.c");
    let arguments = [&["verify", &file, "--format", "json"], options, &["--"], flags].concat();
    let answer = threadbare_in(&tests, &arguments);
    serde_json::from_str(&answer.stdout).unwrap_or_else(|error| panic!("{error} in {answer:#?}"))
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is not a number"))
}

/// Low, estimate and high.
fn estimated(answer: &Value) -> [u64; 3] {
    ["low", "executions", "high"].map(|field| number(&answer["estimate"][field]))
}

/// A tenth of the usual amount, so that most of the programs are too large to be counted. One of the twelve may be outside.
#[test]
fn the_true_number_is_in_the_interval() {
    let (mut outside, mut sampled, mut narrow) = (Vec::new(), 0, 0);
    for (program, options, flags, pinned) in PROGRAMS {
        let explored = &verify(program, options, flags)["executions"];
        assert_eq!(number(&explored["complete"]) + number(&explored["blocked"]), pinned, "{program}");
        let [low, about, high] = estimated(&verify(program, &[&["--estimate=100"], options].concat(), flags));
        assert!(low <= about && about <= high, "{program}: {low} {about} {high}");
        if pinned < low || high < pinned {
            outside.push((program, low, pinned, high));
        }
        sampled += usize::from(low < high);
        narrow += usize::from(high <= 10 * low);
    }
    assert!(outside.len() <= 1, "{outside:?}");
    assert!(sampled >= 6 && narrow >= 6, "{sampled} were sampled, {narrow} intervals are narrow");
}

/// With the usual amount, a program with some thousand executions is counted.
#[test]
fn a_small_program_is_counted() {
    let (program, options, flags, pinned) = PROGRAMS[4];
    let answer = verify(program, &[&["--estimate"], options].concat(), flags);
    assert_eq!(estimated(&answer), [pinned; 3]);
    assert!(answer["reason"].as_str().is_some_and(|reason| reason.contains("1,322 executions")), "{answer}");
}

/// More sampling, a narrower interval.
#[test]
fn a_larger_amount_makes_the_interval_narrower() {
    let (program, options, flags, _) = PROGRAMS[3];
    let width = |amount: &str| {
        let [low, _, high] = estimated(&verify(program, &[&[amount], options].concat(), flags));
        high as f64 / low as f64
    };
    let (few, many) = (width("--estimate=5"), width("--estimate=80"));
    assert!(many < few, "{many} against {few}");
}

/// For people, the interval is in the reason.
#[test]
fn the_interval_is_told() {
    let (program, options, flags, _) = PROGRAMS[1];
    let answer = verify(program, &[&["--estimate=10"], options].concat(), flags);
    let reason = answer["reason"].as_str().expect("an estimate is no verdict");
    let words = ["there are about ", ",000 executions (between ", " and ", "); nothing was wrong on the way"];
    assert!(words.iter().all(|&word| reason.contains(word)), "{reason}");
}
