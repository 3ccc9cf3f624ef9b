//! Random programs with threads that take a lock by an addition, undo it if the lock was taken, and try again.

use crate::build::{r, w, write};
use crate::program::{Condition, Cuts, Expr, Instr, Modify, REGISTERS, TestProgram};
use base::{ReadOrder, RmwOrder, Rng, Value, WriteOrder};

/// The locations: the lock, a number, and data.
const LOCK: u8 = 0;
const NUMBER: u8 = 1;
const DATA: u8 = 2;

/// When a thread finds out that its attempt has failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Failing {
    /// By the answer to the addition.
    AtOnce,
    /// Some after another read.
    Later,
}

/// Two or three threads, the same for the same seed. `main` waits for them, and mostly looks at the lock then.
pub fn random_attempts(seed: u64, failing: Failing) -> TestProgram {
    let mut rng = Rng::new(seed ^ 0x6174_7465);
    let threads = if rng.one_in(4) { 3 } else { 2 };
    let mut codes: Vec<Vec<Instr>> = (1..threads).map(|_| trying(&mut rng, failing)).collect();
    codes.push(match rng.below(4) {
        0 => codes[0].clone(),
        1 | 2 => trying(&mut rng, failing),
        _ => (0..4 - threads).flat_map(|_| looking(&mut rng, 2)).collect(),
    });
    let mut program = TestProgram::parallel(DATA + 1, codes).joined();
    if rng.percent(70) {
        program.main.push(Instr::Load { dst: REGISTERS as u8 - 1, loc: LOCK, order: ReadOrder::Relaxed });
    }
    TestProgram { cuts: Cuts::Unwritten, rounds: 1 + u8::from(threads == 2 && rng.one_in(3)), ..program }
}

/// Attempts until one succeeds, something with the lock taken, and mostly a release.
fn trying(rng: &mut Rng, failing: Failing) -> Vec<Instr> {
    let number = 1 + rng.below(2);
    let mut code = Vec::new();
    if rng.one_in(8) {
        code.extend(looking(rng, 2));
    }
    code.push(Instr::Round);
    if rng.one_in(8) {
        code.push(Instr::Load { dst: 3, loc: NUMBER, order: ReadOrder::Relaxed });
    }
    code.push(add(rng, 0, number));
    let exit = code.len();
    let condition = Condition { reg: 0, equal: rng.percent(75), value: rng.below(2) };
    code.push(Instr::Branch { condition, target: 0 });
    if failing == Failing::Later && rng.percent(50) {
        let loc = if rng.one_in(2) { LOCK } else { NUMBER };
        code.push(Instr::Load { dst: 3, loc, order: ReadOrder::Relaxed });
    }
    let undone = if rng.one_in(8) { rng.below(3) } else { number };
    code.extend([add(rng, 1, undone.wrapping_neg()), Instr::Again]);
    code[exit] = Instr::Branch { condition, target: code.len() as u16 };
    if rng.percent(70) {
        code.push(Instr::Set { dst: 0, value: Expr::Const(0) });
    }
    if rng.one_in(3) {
        code.extend(looking(rng, 4));
    }
    if rng.percent(70) {
        code.push(add(rng, 1, number.wrapping_neg()));
        if rng.percent(70) {
            code.push(Instr::Set { dst: 1, value: Expr::Const(0) });
        }
    }
    code
}

fn add(rng: &mut Rng, dst: u8, number: Value) -> Instr {
    let (op, failure) = (Modify::Add(Expr::Const(number)), ReadOrder::Relaxed);
    let order = rng.pick(&[RmwOrder::Relaxed, RmwOrder::Acquire, RmwOrder::AcqRel, RmwOrder::SeqCst]);
    Instr::Rmw { dst, loc: LOCK, op, order, failure }
}

/// Something that may observe an attempt, or be protected by the lock. It uses this register.
fn looking(rng: &mut Rng, dst: u8) -> Vec<Instr> {
    let read = rng.pick(&[ReadOrder::Relaxed, ReadOrder::Acquire]);
    let forget = Instr::Set { dst, value: Expr::Const(0) };
    let look = Instr::Load { dst, loc: LOCK, order: read };
    let plain = rng.one_in(2);
    match rng.below(16) {
        0..3 => vec![look],
        3..6 => {
            let condition = Condition { reg: dst, equal: rng.one_in(2), value: rng.below(3) };
            vec![look, Instr::Assume(condition), forget]
        }
        6 => vec![add(rng, dst, 1), forget],
        7 => vec![add(rng, dst, Value::MAX)],
        8 => {
            let (op, order) = (Modify::Cas(Expr::Const(0), Expr::Const(1)), RmwOrder::AcqRel);
            vec![Instr::Rmw { dst, loc: LOCK, op, order, failure: read }]
        }
        9 => vec![write(LOCK, rng.below(2), WriteOrder::Release)],
        10 => vec![Instr::Load { dst, loc: NUMBER, order: read }],
        11 => vec![w(NUMBER, WriteOrder::Release)],
        12 => vec![r(LOCK, ReadOrder::NotAtomic), Instr::Set { dst: 0, value: Expr::Const(0) }],
        13 => vec![w(DATA, if plain { WriteOrder::NotAtomic } else { WriteOrder::Relaxed })],
        _ => {
            let order = if plain { ReadOrder::NotAtomic } else { ReadOrder::Relaxed };
            vec![Instr::Load { dst, loc: DATA, order }]
        }
    }
}
