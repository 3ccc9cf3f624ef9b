//! Programs whose loads may be one event with the compare-exchange after them, and which executions are left then.

use crate::build::{exchange, fadd, r, w};
use crate::oracle::Oracle;
use crate::program::{Condition, Expr, Instr, Modify, TestProgram};
use base::{EventId, ReadOrder, RmwOrder, Value, WriteOrder};
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
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1405_7b7e_f767_814f);
    for _ in 0..4 {
        dice.below(2);
    }
    let (threads, wild) = (2 + dice.below(2), dice.below(4) == 0);
    let thread = |dice: &mut Dice| {
        let mut code = Vec::new();
        for _ in 0..1 + dice.below(if threads == 2 { 3 } else { 2 }) {
            dice.step(&mut code, wild);
        }
        code
    };
    let codes = (0..threads).map(|_| thread(&mut dice)).collect();
    TestProgram { pairs: true, ..TestProgram::parallel(DATA + 1, codes) }
}

struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }

    fn step(&mut self, code: &mut Vec<Instr>, wild: bool) {
        let loc = u8::from(self.below(4) == 0);
        match self.below(12) {
            0..6 => self.pair(code, loc),
            6 => code.push(fadd(loc, self.rmw())),
            7 => {
                let less = Modify::Add(Expr::Const(Value::MAX));
                let (order, failure) = (self.rmw(), ReadOrder::Relaxed);
                code.push(Instr::Rmw { dst: 4, loc, op: less, order, failure });
            }
            8 => code.push(exchange(loc, self.below(2), self.rmw())),
            9 if wild => {
                let plain = self.below(4) == 0;
                let order = if plain { WriteOrder::NotAtomic } else { WriteOrder::Release };
                code.push(Instr::Store { loc, value: Expr::Const(self.below(2)), order });
            }
            9 | 10 => {
                let plain = self.below(2) == 0;
                code.push(w(DATA, if plain { WriteOrder::NotAtomic } else { WriteOrder::Relaxed }));
            }
            _ => {
                let plain = self.below(2) == 0;
                code.push(r(DATA, if plain { ReadOrder::NotAtomic } else { ReadOrder::Relaxed }));
            }
        }
    }

    fn rmw(&mut self) -> RmwOrder {
        let orders =
            [RmwOrder::Relaxed, RmwOrder::Acquire, RmwOrder::Release, RmwOrder::AcqRel, RmwOrder::SeqCst];
        orders[self.below(5) as usize]
    }

    fn pair(&mut self, code: &mut Vec<Instr>, loc: u8) {
        let (a, b) = (2, 3);
        let order = [ReadOrder::Relaxed, ReadOrder::Acquire, ReadOrder::SeqCst][self.below(3) as usize];
        code.push(Instr::Load { dst: a, loc, order });
        if self.below(3) > 0 {
            let (equal, value) = (self.below(2) == 0, self.below(2));
            code.push(Instr::Assume(Condition { reg: a, equal, value }));
        }
        let new = match self.below(4) {
            0 => Expr::Const(0),
            1 => Expr::Plus(a, Value::MAX),
            _ => Expr::Plus(a, 1),
        };
        let (op, order, failure) = (Modify::Cas(Expr::Reg(a), new), self.rmw(), ReadOrder::Relaxed);
        code.extend([Instr::Rmw { dst: b, loc, op, order, failure }, Instr::AssumeSame(a, b)]);
    }
}
