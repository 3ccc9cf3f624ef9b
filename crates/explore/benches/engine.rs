//! The engine alone, on programs as data: nanoseconds per execution without a front end, up to `co` and up to `rf`.
//!
//! `cargo bench -p threadbare-explore --bench engine -- [NAME]`

#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "a benchmark prints times")]

use base::{ReadOrder, WriteOrder};
use explore::{Equivalence, Model, Options};
use std::time::Instant;
use testkit::TestProgram;
use testkit::known::{self, Known, known};

/// Programs, besides the known ones, that take long enough to be measured.
fn larger() -> Vec<Known> {
    let row = |name: &str, program, co, rf| Known { name: name.to_owned(), program, co, rf };
    let (acq, rel) = (ReadOrder::Acquire, WriteOrder::Release);
    let (sc, sc_write) = (ReadOrder::SeqCst, WriteOrder::SeqCst);
    vec![
        row("fib_bench(5)", known::fib_bench(5, acq, rel), Some(525_630), 525_630),
        row("fib_bench, seq_cst(4)", known::fib_bench(4, sc, sc_write), Some(19_605), 19_605),
        row("ainc(8)", known::ainc(8), Some(40_320), 40_320),
        row("binc(5)", known::binc(5), Some(14_400), 14_400),
        row("lastzero(7)", known::lastzero(7), Some(320), 320),
    ]
}

/// Nanoseconds per execution, the best of five runs.
fn measure(program: &mut TestProgram, equivalence: Equivalence, expected: u64, name: &str) -> f64 {
    let options = Options { equivalence, ..Options::default() };
    let run = |program: &mut TestProgram| {
        let start = Instant::now();
        let outcome = explore::explore(program, Model::Rc11, &options);
        assert_eq!(outcome.executions.complete, expected, "{name}, {equivalence:?}");
        start.elapsed().as_nanos() as f64 / expected as f64
    };
    (0..5).map(|_| run(program)).fold(f64::MAX, f64::min)
}

fn main() {
    println!("{:24} {:>10} {:>10} {:>10} {:>10}", "program", "co", "ns/exec", "rf", "ns/exec");
    let wanted = std::env::args().nth(1).filter(|name| !name.starts_with("--"));
    for Known { name, mut program, co, rf } in known().into_iter().chain(larger()) {
        if wanted.as_ref().is_some_and(|wanted| *wanted != name) {
            continue;
        }
        let up_to_co = co.map(|co| (co, measure(&mut program, Equivalence::Co, co, &name)));
        let (co, co_time) =
            up_to_co.map_or(("-".into(), "-".into()), |(co, t)| (co.to_string(), format!("{t:.1}")));
        let rf_time = measure(&mut program, Equivalence::Rf, rf, &name);
        println!("{name:24} {co:>10} {co_time:>10} {rf:>10} {rf_time:>10.1}");
    }
}
