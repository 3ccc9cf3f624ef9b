//! Random programs with locks that are taken by an exchange, which changes nothing if the lock is taken.

use crate::build::{fadd, r, w, write};
use crate::program::{Condition, Cuts, Expr, Instr, Modify, TestProgram};
use base::{ReadOrder, RmwOrder, Rng, Value, WriteOrder};
use graph::{ExecutionGraph, Label};

/// The locations: a word, another one, and this one.
const DATA: u8 = 2;
/// The register that an exchange reads into.
const WORD: u8 = 4;

/// Whether an exchange or an addition is a mere read in this execution, in a program without branches. Then brute force need not
/// have it: as a read-modify-write, it would exclude others, and synchronise with what reads from it.
pub fn has_idle_read(program: &TestProgram, graph: &ExecutionGraph) -> bool {
    let is_update =
        |instr: &Instr| matches!(instr, Instr::Rmw { op: Modify::Add(_) | Modify::Exchange(_), .. });
    let asks =
        |instr: &&Instr| !matches!(instr, Instr::Assume(_) | Instr::AssumeSame(..) | Instr::Set { .. });
    graph.threads.iter().skip(1).zip(&program.codes).any(|(labels, code)| {
        let mut events = labels.iter().zip(code.iter().filter(asks));
        events.any(|(label, instr)| is_update(instr) && matches!(label, Label::Read { .. }))
    })
}

/// A program of two or three threads, the same for the same seed.
pub fn random_exchanges(seed: u64) -> TestProgram {
    let mut rng = Rng::new(seed);
    let (threads, wild) = (2 + rng.below(2), rng.one_in(3));
    let mut thread = || {
        let mut code = Vec::new();
        for _ in 0..1 + rng.below(if threads == 2 { 3 } else { 2 }) {
            step(&mut rng, &mut code, wild);
        }
        code
    };
    let codes = (0..threads).map(|_| thread()).collect();
    let mut program = TestProgram::parallel(DATA + 1, codes);
    if wild && rng.one_in(2) {
        // The word is taken before any thread begins: a plain read races with exchanges that fail, and with no other.
        program.main.insert(0, w(0, WriteOrder::Relaxed));
    }
    TestProgram { cuts: Cuts::Unchanged, ..program }
}

fn step(rng: &mut Rng, code: &mut Vec<Instr>, wild: bool) {
    let loc = u8::from(rng.one_in(4));
    match rng.below(10) {
        0..5 => {
            take(rng, code, loc);
            if rng.percent(40) {
                touch_data(rng, code);
            }
            if rng.percent(70) {
                code.push(write(loc, 0, WriteOrder::Release));
            }
        }
        5 => touch_data(rng, code),
        6 if wild => code.push(r(loc, rng.pick(&[ReadOrder::NotAtomic, ReadOrder::Acquire]))),
        7 if wild && rng.one_in(2) => {
            code.push(w(loc, rng.pick(&[WriteOrder::NotAtomic, WriteOrder::Relaxed])))
        }
        8 => code.push(fadd(loc, RmwOrder::AcqRel)),
        _ => code.push(r(loc, rng.pick(&[ReadOrder::Relaxed, ReadOrder::Acquire]))),
    }
}

/// Exchange, and go on if the word was free. Sometimes an addition of 0 that waits for a value.
fn take(rng: &mut Rng, code: &mut Vec<Instr>, loc: u8) {
    let (value, failure) = (1 + rng.below(2), ReadOrder::Relaxed);
    let order = rng.pick(&[RmwOrder::Acquire, RmwOrder::AcqRel, RmwOrder::Relaxed, RmwOrder::SeqCst]);
    let adds = rng.one_in(6);
    let op = if adds { Modify::Add(Expr::Const(0)) } else { Modify::Exchange(Expr::Const(value)) };
    code.push(Instr::Rmw { dst: WORD, loc, op, order, failure });
    let condition = match rng.below(3) {
        0 => Condition { reg: WORD, equal: false, value },
        _ => Condition { reg: WORD, equal: true, value: Value::from(adds) },
    };
    code.push(Instr::Assume(condition));
}

fn touch_data(rng: &mut Rng, code: &mut Vec<Instr>) {
    let plain = rng.one_in(2);
    code.push(match rng.one_in(2) {
        true => w(DATA, if plain { WriteOrder::NotAtomic } else { WriteOrder::Relaxed }),
        false => r(DATA, if plain { ReadOrder::NotAtomic } else { ReadOrder::Relaxed }),
    });
}
