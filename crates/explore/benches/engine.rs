//! The engine alone, on programs as data: nanoseconds per execution without a front end.
//!
//! `cargo bench -p threadbare-explore --bench engine -- [NAME]`

#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "a benchmark prints times")]

use base::{ReadOrder, RmwOrder, WriteOrder};
use explore::{Model, Options};
use std::time::Instant;
use testkit::TestProgram;
use testkit::build::{cas, fadd, r, write};
use testkit::program::{Expr, Instr};

const ACQ: ReadOrder = ReadOrder::Acquire;
const REL: WriteOrder = WriteOrder::Release;
const RLX: RmwOrder = RmwOrder::Relaxed;

fn fib(rounds: usize, read: ReadOrder, store: WriteOrder) -> TestProgram {
    let load = |dst, loc| Instr::Load { dst, loc, order: read };
    // r1 = i; r0 = i + j by way of an addition that the small language has: j is read into r0, then stored plus 1.
    let body = |target: u8| -> Vec<Instr> {
        let round =
            [load(1, 0), load(0, 1), Instr::Store { loc: target, value: Expr::Plus(0, 1), order: store }];
        std::iter::repeat_n(round, rounds).flatten().collect()
    };
    TestProgram::parallel(2, vec![body(0), body(1), vec![load(0, 0), load(1, 1)]]).joined()
}

fn suite() -> Vec<(&'static str, TestProgram, u64)> {
    let readers = |n| {
        let mut codes = vec![vec![write(0, 42, REL)]];
        codes.extend(vec![vec![r(0, ACQ)]; n]);
        TestProgram::parallel(1, codes).joined()
    };
    let casw = |n: u64| (0..n).map(|i| vec![cas(0, 0, i + 1, RLX), write(0, i + 3, REL)]).collect();
    let casrot = |n: u64| (1..=n).map(|i| vec![cas(0, i - 1, i, RLX)]).collect();
    vec![
        ("fib_bench(4)", fib(4, ACQ, REL), 34_205),
        ("fib_bench(5)", fib(5, ACQ, REL), 525_630),
        ("fib_bench(4) seq_cst", fib(4, ReadOrder::SeqCst, WriteOrder::SeqCst), 19_605),
        ("readers(7)", readers(7), 128),
        ("casw(5)", TestProgram::parallel(1, casw(5)).joined(), 32_880),
        ("casrot(8)", TestProgram::parallel(1, casrot(8)).joined(), 2_048),
        ("ainc(8)", TestProgram::parallel(1, vec![vec![fadd(0, RLX)]; 8]).joined(), 40_320),
        ("binc(5)", TestProgram::parallel(2, vec![vec![fadd(0, RLX), fadd(1, RLX)]; 5]).joined(), 14_400),
    ]
}

fn main() {
    println!("{:24} {:>10} {:>10}", "program", "executions", "ns/exec");
    let wanted = std::env::args().nth(1).filter(|name| !name.starts_with("--"));
    for (name, mut program, expected) in suite() {
        if wanted.as_ref().is_some_and(|wanted| wanted != name) {
            continue;
        }
        let mut best = f64::MAX;
        for _ in 0..5 {
            let start = Instant::now();
            let outcome = explore::explore(&mut program, Model::Rc11, &Options::default());
            assert_eq!(outcome.executions.complete, expected, "{name}");
            best = best.min(start.elapsed().as_nanos() as f64 / expected as f64);
        }
        println!("{name:24} {expected:>10} {best:>10.1}");
    }
}
