//! Random programs with critical sections: nested, hand over hand, with accesses inside and outside; threads are created by
//! `main` or by another thread, and joined.
//!
//! Some are strange: fences, SC accesses, attempts that give up, threads that are created or joined in a section, choices,
//! assumptions, mutexes that are initialised again.
//!
//! The first locations are data, the others are mutexes.

use crate::program::{Condition, Expr, Instr, Modify, TestProgram};
use base::{FenceOrder, ReadOrder, RmwOrder, Rng, WriteOrder};
use program::{AwaitOp, Patience};

/// A random program with one, two or three mutexes.
pub fn random_critical(seed: u64) -> TestProgram {
    let rng = Rng::new(seed ^ 0xc717_1ca1);
    let mut draw = Draw { rng, data: 0, mutexes: 0, left: 0, plain: 0, inner: 0, next: 0, strange: 0 };
    draw.program()
}

/// The number of locations that are no mutexes.
pub fn data_locations(program: &TestProgram) -> u8 {
    let mutexes = program.lists().flatten().filter_map(|instr| match instr {
        Instr::Lock(loc) | Instr::Unlock(loc) | Instr::Await { loc, .. } => Some(*loc),
        _ => None,
    });
    mutexes.min().unwrap_or(program.locations)
}

struct Draw {
    rng: Rng,
    data: u8,
    mutexes: u8,
    /// How many accesses there may still be.
    left: u64,
    /// How many of a hundred accesses are plain, and how many pieces are sections.
    plain: u64,
    inner: u64,
    /// The next value to write.
    next: u64,
    /// How many of a hundred accesses are something else, too.
    strange: u64,
}

impl Draw {
    fn program(&mut self) -> TestProgram {
        self.data = 1 + self.rng.below(3) as u8;
        self.mutexes = *[1, 1, 1, 2, 2, 2, 2, 3].get(self.rng.index(8)).unwrap_or(&1);
        self.left = 5 + self.rng.below(4);
        self.plain = *[0, 0, 40, 100].get(self.rng.index(4)).unwrap_or(&0);
        self.inner = 50 + 25 * self.rng.below(3);
        self.strange = if self.rng.percent(30) { 12 } else { 0 };
        let threads = 2 + self.rng.below(3) as usize;
        let mut codes: Vec<Vec<Instr>> = (0..threads).map(|_| self.code()).collect();
        let mut main: Vec<Instr> = Vec::new();
        if self.rng.percent(15) {
            self.access(&mut main);
        }
        if self.rng.percent(self.strange) {
            main.push(self.initialise());
        }
        // The last one may be created by the first one, outside of sections.
        let child = threads as u8 - 1;
        let is_nested = self.rng.percent(20);
        if is_nested {
            codes[0].insert(0, Instr::Create(child));
            shift(&mut codes[0]);
            if self.rng.percent(50) {
                codes[0].push(Instr::Join(child));
            }
        }
        let mut order: Vec<u8> = (0..child + u8::from(!is_nested)).collect();
        for n in (1..order.len()).rev() {
            order.swap(n, self.rng.index(n + 1));
        }
        main.extend(order.iter().map(|&code| Instr::Create(code)));
        if self.rng.percent(self.strange) {
            // One of them is created or joined in a section.
            let (mutex, at) = (self.mutex(), self.rng.index(main.len() + 1));
            main.insert(at, Instr::Lock(mutex));
            if self.rng.percent(30) {
                main.push(Instr::Join(order.remove(0)));
            }
            main.push(Instr::Unlock(mutex));
            shift_from(&mut main, at as u16);
        }
        if self.rng.percent(20) {
            self.piece(&mut main);
        }
        if self.rng.percent(60) {
            main.extend(order.iter().map(|&code| Instr::Join(code)));
            if self.rng.percent(50) {
                main.push(Instr::Load { dst: 3, loc: 0, order: ReadOrder::Relaxed });
            }
            if self.rng.percent(self.strange) {
                main.push(self.initialise());
                self.piece(&mut main);
            }
        }
        TestProgram { locations: self.data + self.mutexes, main, codes, ..TestProgram::default() }
    }

    fn code(&mut self) -> Vec<Instr> {
        let mut code = Vec::new();
        for _ in 0..1 + self.rng.below(2) {
            self.piece(&mut code);
        }
        code
    }

    /// An access, or a section, or two that overlap.
    fn piece(&mut self, code: &mut Vec<Instr>) {
        if !self.rng.percent(self.inner) {
            return self.access(code);
        }
        let a = self.mutex();
        let b = self.data + (a - self.data + 1) % self.mutexes;
        code.push(Instr::Lock(a));
        if a == b || self.rng.percent(60) {
            self.accesses(code);
            if self.rng.percent(98) {
                code.push(Instr::Unlock(a));
            }
            return;
        }
        self.accesses(code);
        code.push(Instr::Lock(b));
        if self.rng.percent(50) {
            self.accesses(code);
            code.extend([Instr::Unlock(b), Instr::Unlock(a)]);
        } else {
            code.push(Instr::Unlock(a));
            self.accesses(code);
            code.push(Instr::Unlock(b));
        }
    }

    fn mutex(&mut self) -> u8 {
        self.data + self.rng.below(u64::from(self.mutexes)) as u8
    }

    /// A mutex is initialised.
    fn initialise(&mut self) -> Instr {
        Instr::Store { loc: self.mutex(), value: Expr::Const(0), order: WriteOrder::NotAtomic }
    }

    /// Something that sections seldom have.
    fn something(&mut self, code: &mut Vec<Instr>) {
        let loc = self.rng.below(u64::from(self.data)) as u8;
        match self.rng.below(7) {
            0 | 1 => {
                let order = self.rng.pick(&[FenceOrder::Acquire, FenceOrder::Release, FenceOrder::AcqRel]);
                code.push(Instr::Fence(order));
            }
            2 => code.push(Instr::Fence(FenceOrder::SeqCst)),
            3 => code.push(Instr::Load { dst: 1, loc, order: ReadOrder::SeqCst }),
            4 => code.push(Instr::Choose { dst: 1, values: 2 }),
            5 => {
                let condition = Condition { reg: 1, equal: self.rng.percent(50), value: 0 };
                code.push(Instr::Assume(condition));
            }
            _ => {
                // An attempt that gives up; if it succeeds, the mutex is free again at once, or never.
                let (loc, op) = (self.mutex(), AwaitOp::Take(9));
                code.push(Instr::Await { dst: 2, loc, op, patience: Patience::GivesUp });
                let condition = Condition { reg: 2, equal: false, value: 0 };
                code.push(Instr::Branch { condition, target: code.len() as u16 + 2 });
                code.push(Instr::Store { loc, value: Expr::Const(0), order: WriteOrder::Release });
            }
        }
    }

    fn accesses(&mut self, code: &mut Vec<Instr>) {
        for _ in 0..self.rng.below(4) {
            self.access(code);
        }
    }

    /// An access, sometimes one that depends on the last one; very seldom something else.
    fn access(&mut self, code: &mut Vec<Instr>) {
        if self.left == 0 {
            return;
        }
        self.left -= 1;
        if self.rng.below(200) == 0 {
            let condition = Condition { reg: 1, equal: true, value: 0 };
            code.push(Instr::Assume(condition));
        }
        if self.rng.percent(15) {
            let condition = Condition { reg: 1, equal: self.rng.percent(50), value: 0 };
            code.push(Instr::Branch { condition, target: code.len() as u16 + 2 });
        }
        if self.rng.percent(self.strange) {
            return self.something(code);
        }
        let access = self.one();
        code.push(access);
    }

    fn one(&mut self) -> Instr {
        let loc = self.rng.below(u64::from(self.data)) as u8;
        let plain = self.rng.percent(self.plain);
        self.next += 1;
        let value = Expr::Const(self.next);
        match self.rng.below(100) {
            0..45 => {
                let order = if plain {
                    ReadOrder::NotAtomic
                } else {
                    self.rng.pick(&[ReadOrder::Relaxed, ReadOrder::Acquire])
                };
                Instr::Load { dst: 1, loc, order }
            }
            45..85 => {
                let order = if plain {
                    WriteOrder::NotAtomic
                } else {
                    self.rng.pick(&[WriteOrder::Relaxed, WriteOrder::Release])
                };
                Instr::Store { loc, value, order }
            }
            _ => {
                let op = match self.rng.below(3) {
                    0 => Modify::Add(Expr::Const(16)),
                    1 => Modify::Exchange(value),
                    _ => Modify::Cas(Expr::Const(0), value),
                };
                let order = self.rng.pick(&[RmwOrder::Relaxed, RmwOrder::AcqRel]);
                Instr::Rmw { dst: 1, loc, op, order, failure: ReadOrder::Relaxed }
            }
        }
    }
}

/// An instruction was put before all others.
fn shift(code: &mut [Instr]) {
    shift_from(code, 0);
}

/// An instruction was put at this index.
fn shift_from(code: &mut [Instr], at: u16) {
    for instr in code {
        if let Instr::Branch { target, .. } = instr
            && *target >= at
        {
            *target += 1;
        }
    }
}
