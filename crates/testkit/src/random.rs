//! Random programs from a seed, in mixes that go for different corners of the exploration.
//!
//! The mixes that found something while the algorithm was designed: one location with many read-modify-writes
//! (`wide`), accesses that alternate with SC fences (`scf`; fences at random places hardly ever make a psc cycle),
//! all SC (`allsc`), blocking (`blocky`), messages with writes of their own to the location that they are about (`ties`;
//! elsewhere hardly a read sees several writes that nothing orders). `big` is too big for the oracle: it is for comparing
//! explorations with each other. In `sequences` the release sequences of C11 and of C++20 differ, which they hardly do elsewhere.

use crate::program::{Condition, Expr, Instr, Modify, REGISTERS, TestProgram};
use crate::spins;
use base::{FenceOrder, ReadOrder, RmwOrder, Rng, Value, WriteOrder};

/// What to draw.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Mix {
    /// A bit of everything.
    General,
    /// Mostly read-modify-writes.
    Rmws,
    /// Mostly SC accesses and fences.
    Sc,
    /// Loads and stores only.
    Plain,
    /// Many assumptions.
    Blocky,
    /// One location, up to five short threads.
    Wide,
    /// Every access and fence is SC.
    AllSc,
    /// Many fences of all kinds.
    Fences,
    /// Accesses and SC fences alternate.
    ScFences,
    /// Too big for the oracle.
    Big,
    /// `main` takes part: joins, accesses before and after; threads create threads; choices.
    Spawn,
    /// The same with SC accesses and fences: creation and join are part of psc.
    SpawnSc,
    /// Mutexes with disciplined data accesses, taken and tried; sometimes two at once, in any order.
    Locks,
    /// Plain accesses: most programs race.
    NotAtomic,
    /// Message passing in which the receivers have written, too: reads see writes that nothing orders.
    Ties,
    /// Mutexes in all the ways they may be used: held at the same time, never released, tried, looked at; with awaits.
    Pure,
    /// The same with SC accesses.
    PureSc,
    /// Mutexes whose words are written by others, too.
    Locky,
    /// `Pure` with spinlocks for mutexes.
    Spins,
    /// `PureSc` with spinlocks for mutexes.
    SpinsSc,
    /// `Locky` with spinlocks for mutexes.
    SpinsWild,
    /// Rounds that load a value and confirm it by a compare-exchange, ticket locks, awaits.
    Rounds,
    /// Message passing with a flag that is written again, by its sender or by updates: release sequences.
    Sequences,
}

impl Mix {
    /// All mixes that the oracle can take.
    pub const ORACLE: [Mix; 22] = [
        Mix::General,
        Mix::Rmws,
        Mix::Sc,
        Mix::Plain,
        Mix::Blocky,
        Mix::Wide,
        Mix::AllSc,
        Mix::Fences,
        Mix::ScFences,
        Mix::Spawn,
        Mix::SpawnSc,
        Mix::Locks,
        Mix::NotAtomic,
        Mix::Ties,
        Mix::Pure,
        Mix::PureSc,
        Mix::Locky,
        Mix::Spins,
        Mix::SpinsSc,
        Mix::SpinsWild,
        Mix::Rounds,
        Mix::Sequences,
    ];

    /// Its name on command lines and in messages.
    pub fn name(self) -> &'static str {
        match self {
            Mix::General => "general",
            Mix::Rmws => "rmws",
            Mix::Sc => "sc",
            Mix::Plain => "plain",
            Mix::Blocky => "blocky",
            Mix::Wide => "wide",
            Mix::AllSc => "allsc",
            Mix::Fences => "fences",
            Mix::ScFences => "scf",
            Mix::Big => "big",
            Mix::Spawn => "spawn",
            Mix::SpawnSc => "spawnsc",
            Mix::Locks => "locks",
            Mix::NotAtomic => "na",
            Mix::Ties => "ties",
            Mix::Pure => "pure",
            Mix::PureSc => "puresc",
            Mix::Locky => "locky",
            Mix::Spins => "spins",
            Mix::SpinsSc => "spinssc",
            Mix::SpinsWild => "spinswild",
            Mix::Rounds => "rounds",
            Mix::Sequences => "sequences",
        }
    }

    fn weights(self) -> Weights {
        let w = Weights::GENERAL;
        match self {
            Mix::General => w,
            Mix::Rmws => Weights {
                ops: 4,
                total: 9,
                locations: 2,
                load: 20,
                store: 15,
                rmw: 35,
                cas: 30,
                assume: 5,
                ..w.relaxed()
            },
            Mix::Sc => Weights {
                load: 35,
                store: 35,
                rmw: 5,
                cas: 5,
                fence: 25,
                branch: 5,
                assume: 2,
                sc: 75,
                fence_sc: 75,
                ..w
            },
            Mix::Plain => Weights { total: 11, load: 50, store: 50, rmw: 0, cas: 0, ..w.relaxed() },
            Mix::Blocky => Weights { ops: 4, total: 9, locations: 2, cas: 25, assume: 40, ..w.relaxed() },
            Mix::Wide => Weights {
                threads: (3, 5),
                ops: 2,
                total: 7,
                locations: 1,
                load: 25,
                store: 25,
                rmw: 25,
                cas: 25,
                branch: 10,
                assume: 5,
                ..w.relaxed()
            },
            Mix::AllSc => Weights {
                threads: (3, 4),
                ops: 4,
                total: 9,
                load: 40,
                store: 35,
                rmw: 10,
                cas: 5,
                branch: 0,
                assume: 0,
                sc: 100,
                fence_sc: 100,
                ..w
            },
            Mix::Fences => Weights {
                total: 11,
                locations: 2,
                load: 35,
                store: 35,
                rmw: 8,
                cas: 4,
                fence: 35,
                branch: 0,
                assume: 0,
                sc: 45,
                fence_sc: 45,
                ..w
            },
            Mix::ScFences => Weights {
                total: 13,
                locations: 2,
                load: 48,
                store: 48,
                rmw: 3,
                cas: 1,
                fence: 0,
                branch: 0,
                assume: 0,
                sc: 8,
                fence_sc: 92,
                alternate: 88,
                ..w
            },
            Mix::Big => {
                Weights { threads: (3, 5), total: 13, rmw: 12, cas: 18, fence: 8, sc: 15, fence_sc: 15, ..w }
            }
            Mix::Spawn => Weights { threads: (2, 4), ops: 3, total: 7, locations: 2, choose: 4, ..w },
            Mix::SpawnSc => Weights {
                threads: (2, 4),
                ops: 3,
                total: 8,
                locations: 2,
                load: 40,
                store: 40,
                rmw: 4,
                cas: 2,
                fence: 20,
                branch: 0,
                assume: 0,
                sc: 80,
                fence_sc: 85,
                ..w
            },
            Mix::Locks => Weights { threads: (2, 3), ..w.relaxed() },
            Mix::NotAtomic => Weights { total: 8, locations: 2, plain: 30, ..w },
            Mix::Ties => Weights { total: 9, locations: 2, ..w.relaxed() },
            Mix::Spins => Mix::Pure.weights(),
            Mix::SpinsSc => Mix::PureSc.weights(),
            Mix::SpinsWild => Mix::Locky.weights(),
            Mix::Rounds => Weights { ops: 3, total: 7, locations: 2, sc: 15, ..w },
            Mix::Sequences => Weights { threads: (2, 3), total: 10, locations: 2, sc: 10, plain: 20, ..w },
            Mix::Pure => Weights { ops: 4, total: 10, locations: 2, ..w.relaxed() },
            Mix::PureSc => Weights { ops: 4, total: 9, locations: 2, sc: 60, ..w },
            Mix::Locky => Weights { ops: 3, total: 7, locations: 2, ..w.relaxed() },
        }
    }
}

/// How often what is drawn: `load` to `choose` relative to each other, the rest in percent.
#[derive(Clone, Copy, Debug)]
struct Weights {
    /// Least and most threads.
    threads: (u64, u64),
    /// Most operations in a thread.
    ops: u64,
    /// Most operations in all.
    total: u64,
    /// Most locations.
    locations: u64,
    load: u64,
    store: u64,
    rmw: u64,
    cas: u64,
    fence: u64,
    choose: u64,
    /// A branch, an assumption before an operation.
    branch: u64,
    assume: u64,
    /// SC instead of a weaker order, for accesses and for fences.
    sc: u64,
    fence_sc: u64,
    /// A fence after each access.
    alternate: u64,
    /// A plain access instead of an atomic one, for loads and stores.
    plain: u64,
}

impl Weights {
    const GENERAL: Weights = Weights {
        threads: (2, 4),
        ops: 5,
        total: 10,
        locations: 3,
        load: 30,
        store: 30,
        rmw: 15,
        cas: 15,
        fence: 10,
        choose: 0,
        branch: 15,
        assume: 8,
        sc: 25,
        fence_sc: 25,
        alternate: 0,
        plain: 0,
    };

    /// Without SC and without fences.
    fn relaxed(self) -> Weights {
        Weights { fence: 0, sc: 0, fence_sc: 0, ..self }
    }
}

/// The program of a mix and a seed.
pub fn random_program(mix: Mix, seed: u64) -> TestProgram {
    let mut draw = Draw { rng: Rng::new(seed), weights: mix.weights(), locations: 1, left: 0 };
    draw.left = draw.weights.total;
    if mix == Mix::Locks {
        return draw.locks();
    }
    draw.locations = 1 + draw.rng.below(draw.weights.locations);
    let (least, most) = draw.weights.threads;
    let threads = least + draw.rng.below(most - least + 1);
    if matches!(mix, Mix::Spawn | Mix::SpawnSc) {
        return draw.spawn(threads);
    }
    if mix == Mix::Ties {
        let codes = (0..threads).map(|_| draw.tie()).collect();
        return TestProgram::parallel(2, codes);
    }
    if mix == Mix::Sequences {
        let codes = (0..threads).map(|thread| draw.sequence(thread)).collect();
        return TestProgram::parallel(2, codes);
    }
    if matches!(mix, Mix::Pure | Mix::PureSc | Mix::Locky) {
        return draw.holders(threads, mix == Mix::Locky);
    }
    if matches!(mix, Mix::Spins | Mix::SpinsSc | Mix::SpinsWild) {
        let program = draw.holders(threads, mix == Mix::SpinsWild);
        return spins::with_spinlocks(&program, &mut draw.rng, draw.weights.sc);
    }
    if mix == Mix::Rounds {
        let codes = (0..threads).map(|_| spins::rounds(&mut draw.rng)).collect();
        return TestProgram::parallel(spins::LOCATIONS, codes);
    }
    let codes = (0..threads).map(|_| draw.code()).collect();
    TestProgram::parallel(draw.locations as u8, codes)
}

struct Draw {
    rng: Rng,
    weights: Weights,
    locations: u64,
    /// How many operations may still be drawn.
    left: u64,
}

impl Draw {
    /// One thread's code. Branches skip one or two operations.
    fn code(&mut self) -> Vec<Instr> {
        let mut code = Vec::new();
        let mut registers = 0;
        let mut open: Vec<(usize, u64)> = Vec::new();
        for _ in 0..1 + self.rng.below(self.weights.ops) {
            if self.left == 0 {
                break;
            }
            self.left -= 1;
            if registers > 0 && self.rng.percent(self.weights.branch) {
                let condition = self.condition(registers);
                open.push((code.len(), 1 + self.rng.below(2)));
                code.push(Instr::Branch { condition, target: 0 });
            }
            if registers > 0 && self.rng.percent(self.weights.assume) {
                code.push(Instr::Assume(self.condition(registers)));
            }
            let instr = self.operation(code.last(), registers);
            code.push(instr);
            if matches!(instr, Instr::Load { .. } | Instr::Rmw { .. } | Instr::Choose { .. }) {
                registers = (registers + 1).min(REGISTERS as u8 - 1);
            }
            open.iter_mut().for_each(|(_, operations)| *operations -= 1);
            close(&mut code, &mut open, |operations| operations == 0);
        }
        close(&mut code, &mut open, |_| true);
        code
    }

    fn operation(&mut self, before: Option<&Instr>, registers: u8) -> Instr {
        let w = self.weights;
        let fence_is_due = w.alternate > 0 && before.is_some_and(|i| !matches!(i, Instr::Fence(_)));
        if fence_is_due && self.rng.percent(w.alternate) {
            return Instr::Fence(self.fence_order());
        }
        let mut x = self.rng.below(w.load + w.store + w.rmw + w.cas + w.fence + w.choose);
        let mut falls_on = |weight: u64| {
            let falls = x < weight;
            x = x.wrapping_sub(weight);
            falls
        };
        if falls_on(w.load) {
            return Instr::Load { dst: registers, loc: self.location(), order: self.read_order() };
        }
        if falls_on(w.store) {
            return Instr::Store {
                loc: self.location(),
                value: self.expr(registers),
                order: self.write_order(),
            };
        }
        if falls_on(w.rmw) {
            let op = match self.rng.percent(60) {
                true => Modify::Add(Expr::Const(1)),
                false => Modify::Exchange(self.expr(registers)),
            };
            return self.update(registers, op);
        }
        if falls_on(w.cas) {
            let op = Modify::Cas(self.expr(registers), self.expr(registers));
            return self.update(registers, op);
        }
        if falls_on(w.fence) {
            return Instr::Fence(self.fence_order());
        }
        Instr::Choose { dst: registers, values: 2 }
    }

    fn update(&mut self, dst: u8, op: Modify) -> Instr {
        let order = match self.rng.percent(self.weights.sc) {
            true => RmwOrder::SeqCst,
            false => {
                self.rng.pick(&[RmwOrder::Relaxed, RmwOrder::Acquire, RmwOrder::Release, RmwOrder::AcqRel])
            }
        };
        let failure = match self.rng.percent(self.weights.sc) {
            true => ReadOrder::SeqCst,
            false => self.rng.pick(&[ReadOrder::Relaxed, ReadOrder::Acquire]),
        };
        Instr::Rmw { dst, loc: self.location(), op, order, failure }
    }

    fn location(&mut self) -> u8 {
        self.rng.below(self.locations) as u8
    }

    fn read_order(&mut self) -> ReadOrder {
        if self.rng.percent(self.weights.plain) {
            ReadOrder::NotAtomic
        } else if self.rng.percent(self.weights.sc) {
            ReadOrder::SeqCst
        } else {
            self.rng.pick(&[ReadOrder::Relaxed, ReadOrder::Acquire])
        }
    }

    fn write_order(&mut self) -> WriteOrder {
        if self.rng.percent(self.weights.plain) {
            WriteOrder::NotAtomic
        } else if self.rng.percent(self.weights.sc) {
            WriteOrder::SeqCst
        } else {
            self.rng.pick(&[WriteOrder::Relaxed, WriteOrder::Release])
        }
    }

    fn fence_order(&mut self) -> FenceOrder {
        if self.rng.percent(self.weights.fence_sc) {
            FenceOrder::SeqCst
        } else {
            self.rng.pick(&[FenceOrder::Acquire, FenceOrder::Release, FenceOrder::AcqRel])
        }
    }

    fn expr(&mut self, registers: u8) -> Expr {
        if registers == 0 || !self.rng.percent(30) {
            return Expr::Const(self.rng.below(3));
        }
        let reg = self.rng.below(u64::from(registers)) as u8;
        if self.rng.percent(50) { Expr::Reg(reg) } else { Expr::Plus(reg, 1) }
    }

    fn condition(&mut self, registers: u8) -> Condition {
        let reg = self.rng.below(u64::from(registers)) as u8;
        Condition { reg, equal: self.rng.percent(50), value: self.rng.below(3) }
    }

    /// Threads that create and join each other; `main` takes part.
    fn spawn(&mut self, threads: u64) -> TestProgram {
        let mut codes: Vec<Vec<Instr>> = (0..threads).map(|_| self.code()).collect();
        let mut main = self.some_operation();
        for thread in 0..codes.len() {
            let (create, join) = (Instr::Create(thread as u8), Instr::Join(thread as u8));
            if thread > 0 && self.rng.percent(35) {
                let place = self.rng.index(codes[thread - 1].len() + 1);
                insert(&mut codes[thread - 1], place, create);
                if self.rng.percent(50) {
                    codes[thread - 1].push(join);
                }
            } else {
                main.push(create);
                if self.rng.percent(20) {
                    main.push(join);
                }
            }
        }
        main.extend(self.some_operation());
        for thread in 0..codes.len() as u8 {
            if self.rng.percent(60) && !main.contains(&Instr::Join(thread)) {
                main.push(Instr::Join(thread));
            }
        }
        main.extend(self.some_operation());
        TestProgram { locations: self.locations as u8, main, codes, ..TestProgram::default() }
    }

    /// Half of the time an operation that needs no register.
    fn some_operation(&mut self) -> Vec<Instr> {
        if self.rng.percent(50) { vec![self.operation(None, 0)] } else { Vec::new() }
    }

    /// A write to x, a message by y, sent or received, and something with x after it, each more or less often.
    fn tie(&mut self) -> Vec<Instr> {
        let mut code = Vec::new();
        if self.rng.percent(65) {
            let value = Expr::Const(1 + self.rng.below(2));
            code.push(Instr::Store { loc: 0, value, order: self.mostly_release() });
        }
        code.push(match self.rng.below(3) {
            0 => Instr::Store { loc: 1, value: Expr::Const(1), order: self.mostly_release() },
            1 => Instr::Load { dst: 0, loc: 1, order: self.mostly_acquire() },
            _ => acq_rel(0, 1, Modify::Add(Expr::Const(1))),
        });
        if self.rng.percent(75) {
            code.push(match self.rng.below(5) {
                0 | 1 => Instr::Load { dst: 1, loc: 0, order: self.mostly_acquire() },
                2 => Instr::Store { loc: 0, value: Expr::Const(3), order: self.mostly_release() },
                3 => acq_rel(1, 0, Modify::Add(Expr::Const(1))),
                _ => acq_rel(1, 0, Modify::Cas(Expr::Const(1), Expr::Const(5))),
            });
        }
        if self.rng.percent(25) {
            let loc = u8::from(!self.rng.percent(70));
            code.push(Instr::Load { dst: 2, loc, order: self.mostly_acquire() });
        }
        code.truncate(self.left as usize);
        self.left -= code.len() as u64;
        code
    }

    /// The first thread sends x by y, which it may write again; the second receives; others update y, or are like these two.
    fn sequence(&mut self, thread: u64) -> Vec<Instr> {
        let role = if thread < 2 { thread } else { self.rng.below(3) };
        let data = Instr::Load { dst: 1, loc: 0, order: self.read_order() };
        let flag = |value, order| Instr::Store { loc: 1, value: Expr::Const(value), order };
        let add = |order| {
            let op = Modify::Add(Expr::Const(1));
            Instr::Rmw { dst: 2, loc: 1, op, order, failure: ReadOrder::Relaxed }
        };
        let mut code = match role {
            0 => {
                let mut code = vec![self.number(0)];
                match self.rng.percent(25) {
                    true => code.extend([Instr::Fence(FenceOrder::Release), flag(1, WriteOrder::Relaxed)]),
                    false => code.push(flag(1, self.mostly_release())),
                }
                code.extend(match self.rng.below(5) {
                    0..=2 => Some(flag(2, WriteOrder::Relaxed)),
                    3 => Some(add(RmwOrder::Relaxed)),
                    _ => None,
                });
                code
            }
            1 if self.rng.percent(25) => {
                let flag = Instr::Load { dst: 0, loc: 1, order: ReadOrder::Relaxed };
                vec![flag, Instr::Fence(FenceOrder::Acquire), data]
            }
            1 => vec![Instr::Load { dst: 0, loc: 1, order: self.mostly_acquire() }, data],
            _ => {
                let order = self.rng.pick(&[RmwOrder::Relaxed, RmwOrder::Acquire, RmwOrder::SeqCst]);
                vec![add(order), data]
            }
        };
        code.truncate(self.left as usize);
        self.left -= code.len() as u64;
        code
    }

    fn mostly_release(&mut self) -> WriteOrder {
        if self.rng.percent(85) { WriteOrder::Release } else { WriteOrder::Relaxed }
    }

    fn mostly_acquire(&mut self) -> ReadOrder {
        if self.rng.percent(85) { ReadOrder::Acquire } else { ReadOrder::Relaxed }
    }

    /// Mutex `i` protects location `locks + i`.
    fn locks(&mut self) -> TestProgram {
        let locks = 1 + self.rng.below(2) as u8;
        let threads = 2 + self.rng.below(2) as usize;
        let sections = if threads == 2 { 2 } else { 1 };
        let codes = (0..threads).map(|thread| {
            let mut code = Vec::new();
            for _ in 0..1 + self.rng.below(sections) {
                self.section(&mut code, locks, thread as Value + 2);
            }
            code
        });
        TestProgram::parallel(2 * locks, codes.collect())
    }

    /// A critical section. `owner` is what the mutex word of the thread is: a `trylock` writes it.
    fn section(&mut self, code: &mut Vec<Instr>, locks: u8, owner: Value) {
        let lock = self.rng.below(u64::from(locks)) as u8;
        let other = (lock + 1) % locks;
        if self.rng.percent(20) {
            let op = Modify::Cas(Expr::Const(0), Expr::Const(owner));
            let (order, failure) = (RmwOrder::Acquire, ReadOrder::Relaxed);
            code.push(Instr::Rmw { dst: 1, loc: lock, op, order, failure });
            let branch = code.len();
            code.push(Instr::Branch { condition: Condition { reg: 1, equal: false, value: 0 }, target: 0 });
            self.data(code, locks + lock);
            code.push(Instr::Unlock(lock));
            close(code, &mut vec![(branch, 0)], |_| true);
        } else if other != lock && self.rng.percent(40) {
            code.extend([Instr::Lock(lock), Instr::Lock(other)]);
            self.data(code, locks + other);
            code.extend([Instr::Unlock(other), Instr::Unlock(lock)]);
        } else {
            code.push(Instr::Lock(lock));
            self.data(code, locks + lock);
            code.push(Instr::Unlock(lock));
        }
    }

    /// Threads that take and release mutexes as they like.
    fn holders(&mut self, threads: u64, wild: bool) -> TestProgram {
        let codes = (0..threads).map(|thread| self.holder(thread + 2, wild)).collect();
        TestProgram::parallel(self.locations as u8 + 1, codes)
    }

    /// A thread that takes and releases mutexes as it likes; all locations but the last are mutexes. `owner` is what a
    /// mutex word of the thread is. Where words are written by others, too, the thread releases by storing 0.
    fn holder(&mut self, owner: Value, wild: bool) -> Vec<Instr> {
        let data = self.locations as u8;
        let (mut code, mut held) = (Vec::new(), Vec::new());
        for _ in 0..2 + self.rng.below(self.weights.ops) {
            if self.left <= held.len() as u64 {
                break;
            }
            self.left -= 1;
            let free: Vec<u8> = (0..data).filter(|lock| !held.contains(lock)).collect();
            match self.rng.below(10) {
                0 => code.push(Instr::Load { dst: 1, loc: data, order: self.read_order() }),
                1 => code.push(self.number(data)),
                2 if self.rng.percent(40) => self.await_data(&mut code, data),
                3 => code.push(Instr::Load { dst: 1, loc: self.location(), order: self.read_order() }),
                4 if wild => code.push(self.stray()),
                4 if !free.is_empty() => {
                    let lock = self.rng.pick(&free);
                    self.try_lock(&mut code, lock, owner);
                }
                5 | 6 if !held.is_empty() => {
                    let lock = held.remove(self.rng.index(held.len()));
                    code.push(release(lock, wild));
                }
                _ if !free.is_empty() => {
                    let lock = self.rng.pick(&free);
                    code.push(Instr::Lock(lock));
                    held.push(lock);
                }
                _ => code.push(Instr::Load { dst: 1, loc: data, order: self.read_order() }),
            }
        }
        for lock in held {
            self.left = self.left.saturating_sub(1);
            if self.rng.percent(94) {
                code.push(release(lock, wild));
            }
        }
        code
    }

    /// Store 1 or 2.
    fn number(&mut self, loc: u8) -> Instr {
        Instr::Store { loc, value: Expr::Const(1 + self.rng.below(2)), order: self.write_order() }
    }

    fn await_data(&mut self, code: &mut Vec<Instr>, loc: u8) {
        code.push(Instr::Load { dst: 3, loc, order: self.read_order() });
        let value = self.rng.below(2);
        code.push(Instr::Assume(Condition { reg: 3, equal: false, value }));
    }

    /// A `trylock`, and a release at once if it succeeds.
    fn try_lock(&mut self, code: &mut Vec<Instr>, loc: u8, owner: Value) {
        let op = Modify::Cas(Expr::Const(0), Expr::Const(owner));
        let (order, failure) = (RmwOrder::Acquire, ReadOrder::Relaxed);
        code.push(Instr::Rmw { dst: 2, loc, op, order, failure });
        let target = code.len() as u16 + 2;
        code.push(Instr::Branch { condition: Condition { reg: 2, equal: false, value: 0 }, target });
        code.push(Instr::Unlock(loc));
    }

    /// Something that nobody does to a mutex.
    fn stray(&mut self) -> Instr {
        let loc = self.location();
        match self.rng.below(4) {
            0 => Instr::Store { loc, value: Expr::Const(0), order: self.write_order() },
            1 => self.number(loc),
            2 => self.update(1, Modify::Add(Expr::Const(1))),
            _ => self.update(1, Modify::Exchange(Expr::Const(0))),
        }
    }

    fn data(&mut self, code: &mut Vec<Instr>, loc: u8) {
        let plain = self.rng.percent(60);
        let read = if plain { ReadOrder::NotAtomic } else { ReadOrder::Relaxed };
        let write = if plain { WriteOrder::NotAtomic } else { WriteOrder::Relaxed };
        let load = Instr::Load { dst: 0, loc, order: read };
        match self.rng.below(3) {
            0 => code.push(load),
            1 => code.push(Instr::Store { loc, value: Expr::Const(1), order: write }),
            _ => code.extend([load, Instr::Store { loc, value: Expr::Plus(0, 1), order: write }]),
        }
    }
}

/// Release a mutex; by a store, if it may have changed hands.
fn release(loc: u8, by_store: bool) -> Instr {
    match by_store {
        true => Instr::Store { loc, value: Expr::Const(0), order: WriteOrder::Release },
        false => Instr::Unlock(loc),
    }
}

fn acq_rel(dst: u8, loc: u8, op: Modify) -> Instr {
    Instr::Rmw { dst, loc, op, order: RmwOrder::AcqRel, failure: ReadOrder::Acquire }
}

/// Let the open branches for which `is_due` holds lead to the end of the code so far.
fn close(code: &mut [Instr], open: &mut Vec<(usize, u64)>, is_due: impl Fn(u64) -> bool) {
    let end = code.len() as u16;
    open.retain(|&(index, operations)| {
        if is_due(operations)
            && let Instr::Branch { target, .. } = &mut code[index]
        {
            *target = end;
        }
        !is_due(operations)
    });
}

/// Insert an instruction; branches lead where they led.
fn insert(code: &mut Vec<Instr>, place: usize, instr: Instr) {
    for other in code.iter_mut() {
        if let Instr::Branch { target, .. } = other
            && usize::from(*target) > place
        {
            *target += 1;
        }
    }
    code.insert(place, instr);
}
