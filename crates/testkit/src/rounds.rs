//! Random programs with loops: rounds without effect, rounds that confirm what they have read, and threads that bring about, after
//! their loop, what races with its rounds.

use crate::build::{fadd, w, write};
use crate::program::{Condition, Cuts, Expr, Instr, Modify, REGISTERS, TestProgram};
use base::{ReadOrder, RmwOrder, Rng, WriteOrder};

/// The locations: a word, a flag, and data.
const WORD: u8 = 0;
const FLAG: u8 = 1;
const DATA: u8 = 2;

/// What most loops of a program are like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Loops {
    /// Rounds of loads and exchanges, which may read plainly.
    Looking,
    /// Rounds that load a word and confirm it by a compare-exchange, some after a write.
    Confirming,
}

/// Two or three threads, the same for the same seed. `main` waits for them, and mostly looks at the word then.
pub fn random_rounds(seed: u64, loops: Loops) -> TestProgram {
    let mut rng = Rng::new(seed ^ 0x0072_6e64);
    let threads = if rng.one_in(3) { 3 } else { 2 };
    let mut codes = vec![waiting(&mut rng, loops)];
    for _ in 1..threads {
        let waits = loops == Loops::Confirming && rng.percent(60);
        codes.push(if waits { waiting(&mut rng, loops) } else { other(&mut rng) });
    }
    let mut program = TestProgram::parallel(DATA + 1, codes).joined();
    if rng.percent(60) {
        program.main.push(Instr::Load { dst: REGISTERS as u8 - 1, loc: WORD, order: ReadOrder::Relaxed });
    }
    TestProgram { cuts: Cuts::Unchanged, rounds: 1 + u8::from(threads == 2 && rng.one_in(3)), ..program }
}

/// Rounds until one succeeds, and something after that.
fn waiting(rng: &mut Rng, loops: Loops) -> Vec<Instr> {
    let mut code = Vec::new();
    if rng.one_in(5) {
        code.extend(step(rng));
    }
    code.push(Instr::Round);
    match loops {
        Loops::Looking => look(rng, &mut code),
        Loops::Confirming => confirm(rng, &mut code),
    }
    let value = if loops == Loops::Looking { rng.below(2) } else { 0 };
    let equal = loops == Loops::Confirming || rng.one_in(2);
    let condition = Condition { reg: 0, equal, value };
    let late = if loops == Loops::Looking && rng.one_in(2) { Some(late(rng)) } else { None };
    let target = code.len() as u16 + 2 + u16::from(late.is_some());
    code.push(Instr::Branch { condition, target });
    code.extend(late);
    code.push(Instr::Again);
    for _ in 0..1 + rng.below(2) {
        code.extend(step(rng));
    }
    code
}

/// Reads, the last one into register 0.
fn look(rng: &mut Rng, code: &mut Vec<Instr>) {
    let order = read(rng);
    match rng.below(4) {
        0 => code.push(Instr::Load { dst: 1, loc: DATA, order: ReadOrder::NotAtomic }),
        1 => code.push(Instr::Load { dst: 1, loc: FLAG, order }),
        _ => {}
    }
    code.push(match rng.below(6) {
        0 => update(rng, 0, Modify::Exchange(Expr::Const(1))),
        1 => update(rng, 0, Modify::Add(Expr::Const(0))),
        2 => update(rng, 0, Modify::Cas(Expr::Const(0), Expr::Const(1))),
        _ => Instr::Load { dst: 0, loc: WORD, order },
    });
}

/// An access that the last round does without, so that it may race where no access of the last round does.
fn late(rng: &mut Rng) -> Instr {
    match rng.below(3) {
        0 => Instr::Load { dst: 1, loc: DATA, order: ReadOrder::NotAtomic },
        1 => Instr::Load { dst: 1, loc: DATA, order: ReadOrder::Relaxed },
        _ => {
            let (op, order) = (Modify::Add(Expr::Const(0)), RmwOrder::Relaxed);
            Instr::Rmw { dst: 1, loc: DATA, op, order, failure: ReadOrder::Relaxed }
        }
    }
}

/// A load of the word, and a compare-exchange that expects 0 there.
fn confirm(rng: &mut Rng, code: &mut Vec<Instr>) {
    let taken = Condition { reg: 1, equal: rng.percent(30), value: 0 };
    code.push(Instr::Load { dst: 1, loc: WORD, order: read(rng) });
    match rng.below(4) {
        // The round is over if the word is taken.
        0 => {
            let target = code.len() as u16 + 3;
            code.push(Instr::Branch { condition: Condition { equal: false, ..taken }, target });
        }
        // Or it writes first.
        1 => {
            code.push(Instr::Branch {
                condition: Condition { equal: true, ..taken },
                target: code.len() as u16 + 2,
            });
            code.push(Instr::Rmw {
                dst: 2,
                loc: FLAG,
                op: Modify::Add(Expr::Const(1)),
                order: rmw(rng),
                failure: ReadOrder::Relaxed,
            });
        }
        2 => code.push(Instr::Load { dst: 2, loc: FLAG, order: read(rng) }),
        _ => {}
    }
    let new = 1 + rng.below(2);
    code.push(update(rng, 0, Modify::Cas(Expr::Const(0), Expr::Const(new))));
}

fn update(rng: &mut Rng, dst: u8, op: Modify) -> Instr {
    Instr::Rmw { dst, loc: WORD, op, order: rmw(rng), failure: ReadOrder::Relaxed }
}

fn read(rng: &mut Rng) -> ReadOrder {
    rng.pick(&[ReadOrder::Relaxed, ReadOrder::Relaxed, ReadOrder::Acquire])
}

fn rmw(rng: &mut Rng) -> RmwOrder {
    rng.pick(&[RmwOrder::Relaxed, RmwOrder::Acquire, RmwOrder::AcqRel])
}

/// A thread without a loop: it lets others go on, and writes plainly once a flag is set.
fn other(rng: &mut Rng) -> Vec<Instr> {
    let mut code = Vec::new();
    if rng.percent(70) {
        let order = rng.pick(&[WriteOrder::Relaxed, WriteOrder::Release]);
        code.push(write(WORD, rng.below(2), order));
    }
    if rng.percent(60) {
        code.push(Instr::Load { dst: 3, loc: FLAG, order: read(rng) });
        let (equal, target) = (rng.percent(25), code.len() as u16 + 2);
        code.push(Instr::Branch { condition: Condition { reg: 3, equal, value: 1 }, target });
        let loc = if rng.one_in(3) { WORD } else { DATA };
        code.push(match rng.below(3) {
            0 => Instr::Load { dst: 4, loc, order: ReadOrder::NotAtomic },
            1 => w(loc, WriteOrder::Relaxed),
            _ => w(loc, WriteOrder::NotAtomic),
        });
    }
    if code.is_empty() || rng.one_in(4) {
        code.extend(step(rng));
    }
    code
}

fn step(rng: &mut Rng) -> Vec<Instr> {
    let order = rng.pick(&[WriteOrder::Relaxed, WriteOrder::Release]);
    let forget = Instr::Set { dst: 0, value: Expr::Const(0) };
    match rng.below(8) {
        0..3 => vec![w(FLAG, order)],
        3 | 4 => vec![write(WORD, rng.below(3), order)],
        5 => vec![fadd(WORD, rmw(rng)), forget],
        6 => vec![Instr::Load { dst: 5, loc: WORD, order: read(rng) }],
        _ => vec![Instr::Load {
            dst: 5,
            loc: DATA,
            order: if rng.one_in(2) { ReadOrder::NotAtomic } else { ReadOrder::Relaxed },
        }],
    }
}
