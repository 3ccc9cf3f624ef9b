//! Programs whose numbers of executions are known, up to `co` and up to `rf`: most from \[RCMC\] and \[Tracer\].

use crate::build::{cas, fadd, r, w, write};
use crate::program::{Condition, Expr, Instr, TestProgram};
use base::{ReadOrder, RmwOrder, Value, WriteOrder};

const ACQ: ReadOrder = ReadOrder::Acquire;
const REL: WriteOrder = WriteOrder::Release;
const RLX: RmwOrder = RmwOrder::Relaxed;

fn factorial(n: u64) -> u64 {
    (1..=n).product()
}

/// A program with its numbers of complete executions under RC11.
#[derive(Clone, Debug)]
pub struct Known {
    /// Its name and size.
    pub name: String,
    /// The program.
    pub program: TestProgram,
    /// Executions up to `co`, if somebody knows and they are not too many.
    pub co: Option<u64>,
    /// Executions up to `rf`.
    pub rf: u64,
}

/// Programs that are explored in a moment up to `rf`.
pub fn known() -> Vec<Known> {
    let row = |name: &str, n: u64, program, co, rf| Known { name: format!("{name}({n})"), program, co, rf };
    vec![
        row("fib_bench", 3, fib_bench(3, ACQ, REL), Some(2258), 2258),
        row("fib_bench", 4, fib_bench(4, ACQ, REL), Some(34_205), 34_205),
        row("fib_bench, seq_cst", 3, fib_bench(3, ReadOrder::SeqCst, WriteOrder::SeqCst), Some(1698), 1698),
        row("readers", 7, readers(7), Some(128), 128),
        row("casw", 3, casw(3), Some(66), 24),
        row("casw", 4, casw(4), Some(1200), 200),
        row("casw", 5, casw(5), Some(32_880), 2160),
        row("casw", 6, casw(6), None, 28_812),
        row("casrot", 8, casrot(8), Some(2048), 2048),
        row("ainc", 6, ainc(6), Some(factorial(6)), factorial(6)),
        row("binc", 4, binc(4), Some(factorial(4).pow(2)), factorial(4).pow(2)),
        row("lastzero", 5, lastzero(5), Some(64), 64),
        row("N_writers_a_reader", 4, n_writers_a_reader(4), Some(5 * factorial(4)), 5),
        row("N_writers_a_reader", 7, n_writers_a_reader(7), None, 8),
        row("Redundant_co", 5, redundant_co(5), None, 91),
        row("Redundant_co", 20, redundant_co(20), None, 1261),
        row("Sigma", 4, sigma(4), Some(105), factorial(4)),
        row("Sigma", 6, sigma(6), Some(10_395), factorial(6)),
        row("Control_flow", 3, control_flow(3), None, 15),
        row("CO-MP", 4, co_mp(4), Some(113_400), 69),
        row("CoRR2", 4, corr2(4), Some(5400), 429),
        row("wrr", 5, wrr(5), None, 82_141),
    ]
}

/// Two threads add to each other's number, a third one reads both.
pub fn fib_bench(rounds: usize, read: ReadOrder, store: WriteOrder) -> TestProgram {
    let load = |dst, loc| Instr::Load { dst, loc, order: read };
    // What is added does not matter for the executions: one, for the small language has no sums.
    let round = |target| {
        [load(1, 0), load(0, 1), Instr::Store { loc: target, value: Expr::Plus(0, 1), order: store }]
    };
    let body = |target| std::iter::repeat_n(round(target), rounds).flatten().collect();
    TestProgram::parallel(2, vec![body(0), body(1), vec![load(0, 0), load(1, 1)]]).joined()
}

/// One writer, `n` readers.
pub fn readers(n: usize) -> TestProgram {
    let writer = vec![write(0, 42, REL)];
    let codes = [writer].into_iter().chain(vec![vec![r(0, ACQ)]; n]).collect();
    TestProgram::parallel(1, codes).joined()
}

/// `n` threads compare-and-exchange, then write.
pub fn casw(n: u64) -> TestProgram {
    let codes = (0..n).map(|i| vec![cas(0, 0, i + 1, RLX), write(0, i + 3, REL)]).collect();
    TestProgram::parallel(1, codes).joined()
}

/// `n` threads, each of which needs the value of the one before.
pub fn casrot(n: u64) -> TestProgram {
    let codes = (1..=n).map(|i| vec![cas(0, i - 1, i, RLX)]).collect();
    TestProgram::parallel(1, codes).joined()
}

/// `n` threads increment a counter.
pub fn ainc(n: usize) -> TestProgram {
    TestProgram::parallel(1, vec![vec![fadd(0, RLX)]; n]).joined()
}

/// `n` threads increment two counters.
pub fn binc(n: usize) -> TestProgram {
    TestProgram::parallel(2, vec![vec![fadd(0, RLX), fadd(1, RLX)]; n]).joined()
}

/// `n` threads write the elements of an array, each one more than the element before; one looks for the last zero.
pub fn lastzero(n: u8) -> TestProgram {
    let is_zero = Condition { reg: 0, equal: true, value: 0 };
    let end = 2 * (u16::from(n) + 1);
    let look = (0..=n).rev().flat_map(|loc| [r(loc, ACQ), Instr::Branch { condition: is_zero, target: end }]);
    let set = |loc| vec![r(loc - 1, ACQ), Instr::Store { loc, value: Expr::Plus(0, 1), order: REL }];
    let codes = [look.collect()].into_iter().chain((1..=n).map(set)).collect();
    TestProgram::parallel(n + 1, codes)
}

/// `n` writers of one location, one reader.
pub fn n_writers_a_reader(n: u64) -> TestProgram {
    let writers = (1..=n).map(|value| vec![write(0, value, REL)]);
    TestProgram::parallel(1, writers.chain([vec![r(0, ACQ)]]).collect())
}

/// Two threads write a location `n` times each, one reads it twice.
pub fn redundant_co(n: usize) -> TestProgram {
    let writer = vec![w(0, REL); n];
    TestProgram::parallel(1, vec![writer.clone(), writer, vec![r(0, ACQ); 2]])
}

/// `main` counts and creates a thread each time, which reads the counter and writes the element of an array that it
/// has read.
pub fn sigma(n: u8) -> TestProgram {
    let count = Instr::Store { loc: 0, value: Expr::Plus(0, 1), order: REL };
    let main = (0..n).flat_map(|child| [r(0, ACQ), count, Instr::Create(child)]).collect();
    let writes = (1..=n).flat_map(|element| {
        let condition = Condition { reg: 0, equal: false, value: Value::from(element) };
        [Instr::Branch { condition, target: 2 * u16::from(element) + 1 }, w(element, REL)]
    });
    let code: Vec<Instr> = [r(0, ACQ)].into_iter().chain(writes).collect();
    TestProgram { locations: n + 1, main, codes: vec![code; usize::from(n)], ..TestProgram::default() }
}

/// `n` readers of x, which is written only if somebody sees y before and somebody else after it is written; `n` writers
/// of y.
pub fn control_flow(n: usize) -> TestProgram {
    let (x, y, z) = (0, 1, 2);
    let unless =
        |value, target| Instr::Branch { condition: Condition { reg: 0, equal: false, value }, target };
    let early = vec![r(y, ACQ), unless(0, 3), w(z, REL)];
    let late = vec![r(z, ACQ), unless(1, 5), r(y, ACQ), unless(0, 5), w(x, REL)];
    let many = |code: Vec<Instr>| std::iter::repeat_n(code, n);
    let codes = many(vec![r(x, ACQ)]).chain(many(vec![w(y, REL)])).chain([early, late]).collect();
    TestProgram::parallel(3, codes)
}

/// `n` threads write a location twice, one reads it twice.
pub fn co_mp(n: usize) -> TestProgram {
    let writers = vec![vec![w(0, REL), write(0, 2, REL)]; n];
    TestProgram::parallel(1, writers.into_iter().chain([vec![r(0, ACQ); 2]]).collect())
}

/// `n` writers of a location, two threads that read it twice.
pub fn corr2(n: usize) -> TestProgram {
    let readers = vec![vec![r(0, ACQ); 2]; 2];
    TestProgram::parallel(1, vec![vec![w(0, REL)]; n].into_iter().chain(readers).collect())
}

/// `n` threads write a location and read it twice: many writes that reads put in order.
pub fn wrr(n: u64) -> TestProgram {
    let code = |i| vec![write(0, i + 1, REL), r(0, ACQ), r(0, ACQ)];
    TestProgram::parallel(1, (0..n).map(code).collect())
}
