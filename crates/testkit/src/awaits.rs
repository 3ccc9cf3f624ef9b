//! Random programs with words that threads await: semaphores, read-write locks, things that are done once.

use crate::build::{assume_eq, assume_ne, cas, exchange, fadd, r, w, write};
use crate::program::{Expr, Instr, Modify, TestProgram};
use base::{ReadOrder, RmwOrder, Rng, Value, WriteOrder};
use program::{AwaitOp, Patience};

/// The locations: a word, another one, and data.
const WORDS: u8 = 2;
const DATA: u8 = 2;
/// From here on a read-write lock is a writer's.
const WRITER: Value = 4;
/// What is done once is done.
const DONE: Value = 7;

/// What a word is used as.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Use {
    Semaphore,
    Shared,
    Once,
}

/// A program of two to four threads, the same for the same seed.
pub fn random_awaits(seed: u64) -> TestProgram {
    let mut rng = Rng::new(seed);
    let uses = [0; WORDS as usize].map(|_| match rng.below(4) {
        0 | 1 => Use::Semaphore,
        2 => Use::Shared,
        _ => Use::Once,
    });
    let wild = rng.one_in(8);
    let threads = 2 + rng.below(3);
    let steps = if threads == 2 { 3 } else { 2 };
    let thread = |rng: &mut Rng, thread: u64| {
        let mut code = Vec::new();
        for _ in 0..1 + rng.below(steps) {
            step(rng, &mut code, uses, thread, wild);
        }
        code
    };
    let threads = (0..threads).map(|i| thread(&mut rng, i)).collect();
    TestProgram::parallel(DATA + 1, threads)
}

/// A program of two or three threads whose loads wait for values that may come and go, the same for the same seed.
pub fn random_waiting_loads(seed: u64) -> TestProgram {
    let mut rng = Rng::new(seed ^ 0x6c6f_6164);
    let threads = if rng.one_in(4) { 3 } else { 2 };
    let mut thread = || {
        let mut code = Vec::new();
        for _ in 0..1 + rng.below(if threads == 2 { 3 } else { 2 }) {
            value_step(&mut rng, &mut code);
        }
        code
    };
    TestProgram::parallel(2, (0..threads).map(|_| thread()).collect())
}

fn value_step(rng: &mut Rng, code: &mut Vec<Instr>) {
    let (loc, value) = (u8::from(rng.one_in(8)), rng.below(3));
    let order = rng.pick(&[ReadOrder::Relaxed, ReadOrder::Acquire]);
    match rng.below(6) {
        0 | 1 => {
            code.push(r(loc, order));
            code.push(if rng.percent(70) { assume_eq(value) } else { assume_ne(value) });
        }
        2 | 3 => code.push(cas(loc, rng.below(2), value, RmwOrder::AcqRel)),
        _ => code.push(write(loc, value, rng.pick(&[WriteOrder::Relaxed, WriteOrder::Release]))),
    }
}

fn step(rng: &mut Rng, code: &mut Vec<Instr>, uses: [Use; WORDS as usize], thread: u64, wild: bool) {
    let loc = rng.below(u64::from(WORDS)) as u8;
    if wild && rng.one_in(6) {
        return code.push(w(loc, WriteOrder::Relaxed));
    }
    match (rng.below(6), uses[usize::from(loc)]) {
        (0, _) => code.push(r(DATA, ReadOrder::Relaxed)),
        (1, _) => code.push(w(DATA, WriteOrder::Relaxed)),
        (2 | 3, Use::Semaphore) => code.push(fadd(loc, RmwOrder::Release)),
        (_, Use::Semaphore) => code.push(pass(rng, loc, AwaitOp::Decrement)),
        (2 | 3, Use::Shared) => {
            code.push(pass(rng, loc, AwaitOp::Share { limit: WRITER }));
            touch_data(rng, code);
            let less = Modify::Add(Expr::Const(Value::MAX));
            let (order, failure) = (RmwOrder::Release, ReadOrder::Relaxed);
            code.push(Instr::Rmw { dst: 1, loc, op: less, order, failure });
        }
        (_, Use::Shared) => {
            code.push(pass(rng, loc, AwaitOp::Take(WRITER + thread)));
            touch_data(rng, code);
            code.push(exchange(loc, 0, RmwOrder::Release));
        }
        (_, Use::Once) => {
            code.push(pass(rng, loc, AwaitOp::Once { running: 1 + thread, done: DONE }));
            touch_data(rng, code);
            code.push(exchange(loc, DONE, RmwOrder::Release));
        }
    }
}

fn pass(rng: &mut Rng, loc: u8, op: AwaitOp) -> Instr {
    let patience = if rng.one_in(5) { Patience::GivesUp } else { Patience::Waits };
    Instr::Await { dst: 0, loc, op, patience }
}

fn touch_data(rng: &mut Rng, code: &mut Vec<Instr>) {
    match rng.below(3) {
        0 => code.push(r(DATA, ReadOrder::Relaxed)),
        1 => code.push(w(DATA, WriteOrder::Relaxed)),
        _ => {}
    }
}
