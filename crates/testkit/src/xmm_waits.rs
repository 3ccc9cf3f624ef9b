//! Random programs for XMM in which threads wait: rounds of loops that are repeated until they succeed.
//!
//! Each program comes in two forms. With *assumptions*, a round is there once, and a thread whose round fails goes no
//! further: that is what is left of a loop that waits, and the explorer has shortcuts for it. *Unrolled*, a failing round is
//! followed by another one.

use crate::program::{Condition, Expr, Instr, Modify, REGISTERS, TestProgram, location};
use base::{ReadOrder, RmwOrder, Rng, ThreadId, Value, WriteOrder};
use graph::{ExecutionGraph, Label};
use program::{Program, Request};

/// A program, piece by piece.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Waits {
    locations: u8,
    threads: Vec<Vec<Piece>>,
}

/// A part of a thread.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Piece {
    /// Something that is done once.
    Once(Instr),
    /// A store that is left out if the register has this value.
    Unless(u8, Value, Instr),
    /// Reads, until the last one finds what it wants; that may be a compare-exchange, which writes if the round succeeds,
    /// or an exchange, which takes a lock.
    Round(Vec<Instr>, Until),
    /// The same with a mutex, which a round that fails releases.
    Locked(Vec<Instr>, Until, u8),
}

/// When a round succeeds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Until {
    Holds(Condition),
    Same(u8, u8),
}

/// No other value is ever written: constants are less, and loads are copied.
const MOST: Value = 3;

impl Waits {
    /// A random program of 2 or 3 threads, some of which wait. More often than not, what a thread reads first another one
    /// writes last.
    pub fn random(seed: u64) -> Waits {
        let mut rng = Rng::new(seed ^ 0x0077_6169_7473);
        let threads = if rng.below(4) == 0 { 3 } else { 2 };
        let locations = if rng.below(3) == 0 { 3 } else { 2 };
        let waiting = rng.below(threads);
        let code = |thread: u64| {
            let waits = thread == waiting || (threads == 2 && rng.below(3) == 0);
            thread_code(&mut rng, locations, if threads == 2 { 3 } else { 2 }, waits)
        };
        Waits { locations: locations as u8, threads: (0..threads).map(code).collect() }
    }

    /// One of 2 threads, of which the first waits for a value and looks for it under a mutex.
    pub fn random_locked(seed: u64) -> Waits {
        let mut rng = Rng::new(seed ^ 0x006d_7574_6578);
        let (locations, mutex) = (2, 2);
        let condition = Condition { reg: 0, equal: rng.percent(50), value: rng.below(2) };
        let found = Instr::Load { dst: 0, loc: rng.below(locations) as u8, order: ReadOrder::Relaxed };
        let looks = Piece::Locked(vec![found], Until::Holds(condition), mutex);
        let mut first = vec![looks, Piece::Once(Instr::Unlock(mutex)), random_store(&mut rng, locations)];
        if rng.percent(50) {
            first.swap(1, 2);
        }
        let mut second = thread_code(&mut rng, locations, 2, false);
        if rng.percent(60) {
            let place = rng.index(second.len());
            second.insert(place + 1, Piece::Once(Instr::Unlock(mutex)));
            second.insert(place, Piece::Once(Instr::Lock(mutex)));
        }
        Waits { locations: mutex + 1, threads: vec![first, second] }
    }

    /// With assumptions.
    pub fn assumed(&self) -> TestProgram {
        self.program(1)
    }

    /// With so many rounds of each loop; an assumption is about the last one.
    pub fn unrolled(&self, rounds: usize) -> TestProgram {
        self.program(rounds)
    }

    fn program(&self, rounds: usize) -> TestProgram {
        let code = |pieces: &Vec<Piece>| {
            let mut code = Vec::new();
            pieces.iter().for_each(|piece| write_down(piece, rounds, &mut code));
            code
        };
        TestProgram::parallel(self.locations, self.threads.iter().map(code).collect())
    }
}

fn thread_code(rng: &mut Rng, locations: u64, most: u64, waits: bool) -> Vec<Piece> {
    let length = 1 + rng.below(most);
    let place = if waits { Some(rng.below(length)) } else { None };
    let mut pieces = Vec::new();
    for index in 0..length {
        if place == Some(index) {
            pieces.push(round(rng, locations));
        }
        let loads = index + 1 < length && rng.below(2) == 0 || (index == 0 && !waits);
        if loads {
            let (dst, loc) = (rng.below(2) as u8, rng.below(locations) as u8);
            pieces.push(Piece::Once(Instr::Load { dst, loc, order: read_order(rng) }));
        }
        if !loads || index + 1 == length {
            pieces.push(random_store(rng, locations));
        }
    }
    pieces
}

/// One in ten acquires.
fn read_order(rng: &mut Rng) -> ReadOrder {
    if rng.percent(10) { ReadOrder::Acquire } else { ReadOrder::Relaxed }
}

fn random_store(rng: &mut Rng, locations: u64) -> Piece {
    let value = match rng.below(5) {
        0..3 => Expr::Const(1 + rng.below(2)),
        _ => Expr::Reg(rng.below(3) as u8),
    };
    let order = if rng.percent(10) { WriteOrder::Release } else { WriteOrder::Relaxed };
    let store = Instr::Store { loc: rng.below(locations) as u8, value, order };
    if rng.percent(15) { Piece::Unless(rng.below(2) as u8, rng.below(2), store) } else { Piece::Once(store) }
}

fn round(rng: &mut Rng, locations: u64) -> Piece {
    let loc = rng.below(locations) as u8;
    let other = rng.below(locations) as u8;
    let order = read_order(rng);
    let load = |dst, loc| Instr::Load { dst, loc, order };
    let rmw = if order == ReadOrder::Acquire { RmwOrder::Acquire } else { RmwOrder::Relaxed };
    let cas = |expected, new| {
        let op = Modify::Cas(expected, Expr::Const(new));
        Instr::Rmw { dst: 2, loc, op, order: rmw, failure: ReadOrder::Relaxed }
    };
    let holds = |reg, equal, value| Until::Holds(Condition { reg, equal, value });
    match rng.below(10) {
        0 | 1 => {
            let (equal, value) = (rng.percent(50), rng.below(MOST));
            Piece::Round(vec![load(0, loc)], holds(0, equal, value))
        }
        2 => Piece::Round(vec![load(1, other), load(0, loc)], holds(0, true, rng.below(MOST))),
        3 => Piece::Round(vec![cas(Expr::Const(0), MOST)], holds(2, true, 0)),
        4 | 5 => Piece::Round(vec![load(0, loc), load(1, other), load(2, loc)], Until::Same(0, 2)),
        6 => {
            let op = Modify::Exchange(Expr::Const(MOST));
            let take = Instr::Rmw { dst: 2, loc, op, order: rmw, failure: ReadOrder::Relaxed };
            Piece::Round(vec![take], holds(2, false, MOST))
        }
        7 => Piece::Round(vec![load(0, loc), cas(Expr::Reg(0), MOST)], Until::Same(0, 2)),
        _ => Piece::Round(vec![load(0, loc), load(1, other), cas(Expr::Reg(0), MOST)], Until::Same(0, 2)),
    }
}

fn write_down(piece: &Piece, rounds: usize, code: &mut Vec<Instr>) {
    match piece {
        Piece::Once(instr) => code.push(*instr),
        &Piece::Unless(reg, value, instr) => {
            let target = code.len() as u16 + 2;
            code.push(Instr::Branch { condition: Condition { reg, equal: true, value }, target });
            code.push(instr);
        }
        Piece::Round(reads, until) => {
            // Where each round's test is, to be filled in when it is known where the loop ends.
            let mut tests = Vec::new();
            for _ in 1..rounds {
                code.extend(reads);
                tests.push(code.len());
                code.extend(until.leave(code.len(), 0));
            }
            code.extend(reads);
            code.push(until.assume());
            for at in tests {
                let test = until.leave(at, code.len());
                code.splice(at..at + test.len(), test);
            }
        }
        Piece::Locked(reads, until, mutex) => {
            let mut tests = Vec::new();
            for _ in 0..rounds {
                code.push(Instr::Lock(*mutex));
                code.extend(reads);
                tests.push(code.len());
                code.extend(until.leave(code.len(), 0));
                code.push(Instr::Unlock(*mutex));
            }
            // This assumption fails.
            code.push(until.assume());
            for at in tests {
                let test = until.leave(at, code.len());
                code.splice(at..at + test.len(), test);
            }
        }
    }
}

impl Until {
    fn assume(self) -> Instr {
        match self {
            Until::Holds(condition) => Instr::Assume(condition),
            Until::Same(a, b) => Instr::AssumeSame(a, b),
        }
    }

    /// Code at `at` that goes to `end` if the round has succeeded, and on otherwise.
    fn leave(self, at: usize, end: usize) -> Vec<Instr> {
        let go = |reg, equal, value, target: usize| Instr::Branch {
            condition: Condition { reg, equal, value },
            target: target as u16,
        };
        match self {
            Until::Holds(condition) => vec![Instr::Branch { condition, target: end as u16 }],
            // One value after the other: if `a` has it, `b` decides.
            Until::Same(a, b) => {
                let after = at + 3 * (MOST as usize + 1);
                let one = |value: Value| {
                    let next = at + 3 * (value as usize + 1);
                    [go(a, false, value, next), go(b, true, value, end), go(b, false, value, after)]
                };
                (0..=MOST).flat_map(one).collect()
            }
        }
    }
}

/// `a := Z; b := Q; if (a = 0) exchange(X, 1); Y := 1 ‖ c := Y; Q := 1 ‖ d := X.acq; e := Y; assume cas(X, d, 2); Z := 1`
///
/// With a = 0, e = 1 and d = 0, the last thread is too late: its compare-exchange fails. But that justifies the execution
/// in which a and e are 1 and d is 0, where the exchange is not there, and nothing else does.
pub fn failing_round() -> TestProgram {
    let (x, y, z, q) = (0, 1, 2, 3);
    let load = |dst, loc, order| Instr::Load { dst, loc, order };
    let store = |loc| Instr::Store { loc, value: Expr::Const(1), order: WriteOrder::Relaxed };
    let update =
        |dst, op| Instr::Rmw { dst, loc: x, op, order: RmwOrder::Relaxed, failure: ReadOrder::Relaxed };
    let (relaxed, acquire) = (ReadOrder::Relaxed, ReadOrder::Acquire);
    let skip = Instr::Branch { condition: Condition { reg: 0, equal: false, value: 0 }, target: 4 };
    let first = vec![
        load(0, z, relaxed),
        load(1, q, relaxed),
        skip,
        update(2, Modify::Exchange(Expr::Const(1))),
        store(y),
    ];
    let second = vec![load(0, y, relaxed), store(q)];
    let third = vec![
        load(0, x, acquire),
        load(1, y, relaxed),
        update(2, Modify::Cas(Expr::Reg(0), Expr::Const(2))),
        Instr::AssumeSame(0, 2),
        store(z),
    ];
    TestProgram::parallel(4, vec![first, second, third])
}

/// What a complete execution leaves behind: the registers of each thread, and memory.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct FinalState {
    registers: Vec<[Value; REGISTERS]>,
    memory: Vec<Value>,
}

impl FinalState {
    /// The final state of a complete execution of a program without joins.
    pub fn of(program: &TestProgram, graph: &ExecutionGraph) -> FinalState {
        let registers = |code: usize| {
            let thread = ThreadId(code as u32 + 1);
            let mut state = program.start(thread, code as Value, 0);
            let mut request = program.resume(&mut state, 0);
            for label in &graph.threads[thread.index()] {
                request = program.resume(&mut state, label.value_read().unwrap_or(0));
            }
            assert!(matches!(request, Request::Finish { .. }), "{request:?}");
            state.registers()
        };
        let last = |loc: u8| {
            let write = graph.writes_of(location(loc)).last();
            write.and_then(|&write| graph.label(write).and_then(Label::written)).unwrap_or(0)
        };
        FinalState {
            registers: (0..program.codes.len()).map(registers).collect(),
            memory: (0..program.locations).map(last).collect(),
        }
    }
}
