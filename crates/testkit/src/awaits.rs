//! Random programs with words that threads await: semaphores, read-write locks, things that are done once.

use crate::build::{exchange, fadd, r, w};
use crate::program::{Expr, Instr, Modify, TestProgram};
use base::{ReadOrder, RmwOrder, Value, WriteOrder};
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
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d);
    for _ in 0..4 {
        dice.below(2);
    }
    let uses = [0; WORDS as usize].map(|_| match dice.below(4) {
        0 | 1 => Use::Semaphore,
        2 => Use::Shared,
        _ => Use::Once,
    });
    let wild = dice.below(8) == 0;
    let threads = 2 + dice.below(3);
    let steps = if threads == 2 { 3 } else { 2 };
    let thread = |dice: &mut Dice, thread: u64| {
        let mut code = Vec::new();
        for _ in 0..1 + dice.below(steps) {
            dice.step(&mut code, uses, thread, wild);
        }
        code
    };
    let threads = (0..threads).map(|i| thread(&mut dice, i)).collect();
    TestProgram::parallel(DATA + 1, threads)
}

struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }

    fn step(&mut self, code: &mut Vec<Instr>, uses: [Use; WORDS as usize], thread: u64, wild: bool) {
        let loc = self.below(u64::from(WORDS)) as u8;
        if wild && self.below(6) == 0 {
            return code.push(w(loc, WriteOrder::Relaxed));
        }
        match (self.below(6), uses[usize::from(loc)]) {
            (0, _) => code.push(r(DATA, ReadOrder::Relaxed)),
            (1, _) => code.push(w(DATA, WriteOrder::Relaxed)),
            (2 | 3, Use::Semaphore) => code.push(fadd(loc, RmwOrder::Release)),
            (_, Use::Semaphore) => code.push(self.pass(loc, AwaitOp::Decrement)),
            (2 | 3, Use::Shared) => {
                code.push(self.pass(loc, AwaitOp::Share { limit: WRITER }));
                self.touch_data(code);
                let less = Modify::Add(Expr::Const(Value::MAX));
                let (order, failure) = (RmwOrder::Release, ReadOrder::Relaxed);
                code.push(Instr::Rmw { dst: 1, loc, op: less, order, failure });
            }
            (_, Use::Shared) => {
                code.push(self.pass(loc, AwaitOp::Take(WRITER + thread)));
                self.touch_data(code);
                code.push(exchange(loc, 0, RmwOrder::Release));
            }
            (_, Use::Once) => {
                code.push(self.pass(loc, AwaitOp::Once { running: 1 + thread, done: DONE }));
                self.touch_data(code);
                code.push(exchange(loc, DONE, RmwOrder::Release));
            }
        }
    }

    fn pass(&mut self, loc: u8, op: AwaitOp) -> Instr {
        let patience = if self.below(5) == 0 { Patience::GivesUp } else { Patience::Waits };
        Instr::Await { dst: 0, loc, op, patience }
    }

    fn touch_data(&mut self, code: &mut Vec<Instr>) {
        match self.below(3) {
            0 => code.push(r(DATA, ReadOrder::Relaxed)),
            1 => code.push(w(DATA, WriteOrder::Relaxed)),
            _ => {}
        }
    }
}
