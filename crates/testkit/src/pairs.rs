//! Programs whose loads may be one event with the compare-exchange after them, and which executions are left then.

use crate::build::{exchange, fadd, r, w};
use crate::oracle::Oracle;
use crate::program::{Condition, Expr, Instr, Modify, TestProgram};
use base::{EventId, ReadOrder, RmwOrder, Rng, Value, WriteOrder};
use graph::{ExecutionGraph, Label};

/// The locations: a word, another one, and this one.
const DATA: u8 = 2;

/// Of the complete executions, those in which the two events of a pair read the same. (In these programs no other load
/// comes right before a compare-exchange of the same location.)
pub fn with_pairs(oracle: Oracle) -> Oracle {
    let complete = oracle.complete.into_iter().filter(is_one_event).collect();
    Oracle { complete, ..oracle }
}

fn is_one_event(graph: &ExecutionGraph) -> bool {
    graph.events().all(|(id, label)| {
        let next = EventId { index: id.index + 1, ..id };
        match (label, graph.label(next)) {
            (&Label::Read { at, order, .. }, Some(&Label::Rmw { at: other, order: rmw, .. }))
                if at == other && order != ReadOrder::NotAtomic && rmw.read() >= order =>
            {
                graph.rf_of(id) == graph.rf_of(next)
            }
            _ => true,
        }
    })
}

/// What becomes of the loads of a program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Loads {
    /// Not every load of a word comes before a compare-exchange and an assumption about the two, or not every one of these
    /// after a load: smaller programs may be like that.
    Stray,
    /// Some are of a stronger order than the compare-exchange.
    Apart,
    /// All are the first of a pair.
    Paired,
}

impl Loads {
    /// Those of this program.
    pub fn of(program: &TestProgram) -> Loads {
        program.lists().map(|code| Loads::in_code(code)).min().unwrap_or(Loads::Paired)
    }

    fn in_code(mut code: &[Instr]) -> Loads {
        let mut loads = Loads::Paired;
        while let [first, rest @ ..] = code {
            code = rest;
            match *first {
                Instr::Load { loc, order, .. } if loc < DATA => {
                    let guards = rest.iter().take_while(|it| matches!(it, Instr::Assume(_))).count();
                    let [Instr::Rmw { op: Modify::Cas(..), order: rmw, .. }, Instr::AssumeSame(..), ..] =
                        rest[guards..]
                    else {
                        return Loads::Stray;
                    };
                    code = &rest[guards + 2..];
                    loads = loads.min(if rmw.read() >= order { Loads::Paired } else { Loads::Apart });
                }
                Instr::Assume(_) | Instr::AssumeSame(..) => return Loads::Stray,
                _ => {}
            }
        }
        loads
    }
}

/// A program of two or three threads, the same for the same seed.
pub fn random_pairs(seed: u64) -> TestProgram {
    let mut rng = Rng::new(seed);
    let (threads, wild) = (2 + rng.below(2), rng.one_in(4));
    let thread = |rng: &mut Rng| {
        let mut code = Vec::new();
        for _ in 0..1 + rng.below(if threads == 2 { 3 } else { 2 }) {
            step(rng, &mut code, wild);
        }
        code
    };
    let codes = (0..threads).map(|_| thread(&mut rng)).collect();
    TestProgram { pairs: true, ..TestProgram::parallel(DATA + 1, codes) }
}

fn step(rng: &mut Rng, code: &mut Vec<Instr>, wild: bool) {
    let loc = u8::from(rng.one_in(4));
    match rng.below(12) {
        0..6 => pair(rng, code, loc),
        6 => code.push(fadd(loc, rmw(rng))),
        7 => {
            let less = Modify::Add(Expr::Const(Value::MAX));
            let (order, failure) = (rmw(rng), ReadOrder::Relaxed);
            code.push(Instr::Rmw { dst: 4, loc, op: less, order, failure });
        }
        8 => code.push(exchange(loc, rng.below(2), rmw(rng))),
        9 | 10 if wild => {
            let plain = rng.one_in(2);
            let order = if plain { WriteOrder::NotAtomic } else { WriteOrder::Release };
            let value = Expr::Const(rng.below(2));
            match plain && rng.one_in(2) {
                false => code.push(Instr::Store { loc, value, order }),
                // A compare-exchange that acquires the last one comes after the plain write, but the load before it may race.
                true => code.extend([
                    exchange(loc, 0, RmwOrder::Relaxed),
                    Instr::Store { loc, value: Expr::Const(0), order },
                    w(loc, WriteOrder::Release),
                ]),
            }
        }
        9 | 10 => {
            let plain = rng.one_in(2);
            code.push(w(DATA, if plain { WriteOrder::NotAtomic } else { WriteOrder::Relaxed }));
        }
        _ => {
            let plain = rng.one_in(2);
            code.push(r(DATA, if plain { ReadOrder::NotAtomic } else { ReadOrder::Relaxed }));
        }
    }
}

fn rmw(rng: &mut Rng) -> RmwOrder {
    let orders =
        [RmwOrder::Relaxed, RmwOrder::Acquire, RmwOrder::Release, RmwOrder::AcqRel, RmwOrder::SeqCst];
    rng.pick(&orders)
}

fn pair(rng: &mut Rng, code: &mut Vec<Instr>, loc: u8) {
    let (a, b) = (2, 3);
    let order = rng.pick(&[ReadOrder::Relaxed, ReadOrder::Acquire, ReadOrder::SeqCst]);
    code.push(Instr::Load { dst: a, loc, order });
    if rng.below(3) > 0 {
        let (equal, value) = (rng.one_in(2), rng.below(2));
        code.push(Instr::Assume(Condition { reg: a, equal, value }));
    }
    let new = match rng.below(4) {
        0 => Expr::Const(0),
        1 => Expr::Plus(a, Value::MAX),
        _ => Expr::Plus(a, 1),
    };
    let (op, order, failure) = (Modify::Cas(Expr::Reg(a), new), rmw(rng), ReadOrder::Relaxed);
    code.extend([Instr::Rmw { dst: b, loc, op, order, failure }, Instr::AssumeSame(a, b)]);
}
