//! Programs with mutexes: those with known numbers of executions, and those that refuted a variant of waiting.

use crate::build::{assume_eq, exchange, fadd, r, w, write};
use crate::program::{Expr, Instr, Modify, TestProgram};
use crate::refuted::refuted;
use crate::separating::Named;
use crate::spins;
use base::{ReadOrder, RmwOrder, Rng, Value, WriteOrder};

/// A program with its numbers of executions under every model: blocked ones are deadlocks.
#[derive(Clone, Debug)]
pub struct LockProgram {
    /// Its name and size.
    pub name: String,
    /// The program.
    pub program: TestProgram,
    /// Complete executions.
    pub complete: u64,
    /// Deadlocks.
    pub deadlocks: u64,
}

/// Programs with nothing but mutexes.
pub fn lock_programs() -> Vec<LockProgram> {
    let row = |name: &str, n: u8, program, complete, deadlocks| LockProgram {
        name: format!("{name}({n})"),
        program,
        complete,
        deadlocks,
    };
    let mut rows = vec![
        row("locks2", 2, locks(2, 2), 6, 0),
        row("locks2", 3, locks(3, 2), 90, 0),
        row("cyclic", 2, cyclic(2), 2, 1),
        row("cyclic", 3, cyclic(3), 6, 1),
        row("cyclic", 4, cyclic(4), 14, 1),
    ];
    for n in 2..=5 {
        let orders = (1..=u64::from(n)).product();
        rows.push(row("locks", n, locks(n, 1), orders, 0));
        rows.push(row("nested", n, nested(n), orders, 0));
    }
    rows
}

/// Programs with spinlocks and ticket locks: as with mutexes, blocked executions are those in which threads wait for each
/// other.
pub fn spin_programs() -> Vec<LockProgram> {
    let spun = |program: TestProgram| {
        let codes = program.codes.iter().zip(2..);
        let codes = codes.map(|(code, owner)| spins::with_plain_spinlocks(code, owner)).collect();
        TestProgram { codes, ..program }
    };
    let mut rows: Vec<LockProgram> = lock_programs();
    for row in &mut rows {
        row.name = format!("spinning {}", row.name);
        row.program = spun(row.program.clone());
    }
    rows.extend((2..=4).map(|n| LockProgram {
        name: format!("ticket({n})"),
        program: tickets(n),
        complete: (1..=n as u64).product(),
        deadlocks: 0,
    }));
    rows
}

/// `n` threads take a spinlock that they test first: each may read any of the `n` times at which it is free.
pub fn tested_locks(n: u8) -> TestProgram {
    let is_free = assume_eq(0);
    let code = |owner| {
        let take = try_lock(0, owner);
        let give = write(0, 0, WriteOrder::Release);
        vec![r(0, ReadOrder::Relaxed), is_free, take, is_free, give]
    };
    TestProgram::parallel(1, (0..n).map(|thread| code(Value::from(thread) + 2)).collect())
}

/// `n` threads take a ticket each, and wait until it is their turn.
fn tickets(n: usize) -> TestProgram {
    let take = fadd(0, RmwOrder::Relaxed);
    let look = Instr::Load { dst: 1, loc: 1, order: ReadOrder::Acquire };
    let next = Instr::Store { loc: 1, value: Expr::Plus(1, 1), order: WriteOrder::Release };
    TestProgram::parallel(2, vec![vec![take, look, Instr::AssumeSame(0, 1), next]; n])
}

/// `n` threads take and release a mutex so many times.
pub fn locks(n: u8, times: usize) -> TestProgram {
    let code = std::iter::repeat_n([Instr::Lock(0), Instr::Unlock(0)], times).flatten().collect();
    TestProgram::parallel(1, vec![code; usize::from(n)])
}

/// `n` threads take two mutexes in the same order.
pub fn nested(n: u8) -> TestProgram {
    TestProgram::parallel(2, vec![both(0, 1); usize::from(n)])
}

/// `n` threads at a round table: each takes the mutex on its left, then the one on its right.
pub fn cyclic(n: u8) -> TestProgram {
    TestProgram::parallel(n, (0..n).map(|i| both(i, (i + 1) % n)).collect())
}

fn both(a: u8, b: u8) -> Vec<Instr> {
    vec![Instr::Lock(a), Instr::Lock(b), Instr::Unlock(b), Instr::Unlock(a)]
}

/// Programs for which a simpler way of waiting was wrong.
pub fn waiting() -> Vec<Named> {
    let (lock, unlock) = (Instr::Lock(0), Instr::Unlock(0));
    let (r, w) = (|loc| r(loc, ReadOrder::Relaxed), |loc| w(loc, WriteOrder::Relaxed));
    let release = write(0, 0, WriteOrder::Relaxed);
    let fadd = fadd(0, RmwOrder::Relaxed);
    let reset = exchange(0, 0, RmwOrder::Relaxed);
    let row = |name, threads: Vec<Vec<Instr>>| Named { name, program: TestProgram::parallel(2, threads) };
    let taken = vec![lock, unlock, w(1)];
    vec![
        // Waiting without the chain of `explore/reductions/waiting.rs`: duplicates, a lost deadlock.
        row("a mutex that others release", vec![vec![lock], vec![release], vec![fadd]]),
        row("a mutex that others take by a store", vec![vec![lock], vec![w(0)]]),
        row("a mutex that others swap", vec![vec![lock, release], vec![reset], vec![lock]]),
        // A marker that only goes if nothing is free in what is left: an execution is missing.
        row("a displaced lock, and a read", vec![vec![r(1)], vec![lock], taken.clone()]),
        row("a displaced lock behind a read", vec![vec![r(1), lock], taken]),
        // Threads that wait at the end and do not sweep: an execution, or a deadlock, is missing.
        row("a mutex that is never released", vec![vec![lock], vec![lock]]),
        row("a mutex that is tried and never released", vec![vec![try_lock(0, 2)], vec![lock]]),
        row("a lock behind one that waits", vec![vec![lock], vec![r(1), lock, unlock], vec![lock, w(1)]]),
        // Two locks of one thread are displaced, one after the other.
        row("displaced twice", vec![vec![lock, unlock, w(1)], vec![lock, unlock], vec![r(1), lock, unlock]]),
    ]
}

/// The same with spinlocks, and programs with loads that wait: those for which a variant of that was wrong, too.
pub fn spinning() -> Vec<Named> {
    let spun = |row: Named| {
        let program = spins::with_spinlocks(&row.program, &mut Rng::new(1), 0);
        Named { program, ..row }
    };
    let (lock, unlock) = (Instr::Lock(0), Instr::Unlock(0));
    let awaits = |loc, value| [r(loc, ReadOrder::Relaxed), assume_eq(value)];
    let set = |loc, value| write(loc, value, WriteOrder::Relaxed);
    let row = |name, threads: Vec<Vec<Instr>>| Named { name, program: TestProgram::parallel(2, threads) };
    let join = |parts: &[&[Instr]]| parts.concat();
    let mut rows = vec![
        row(
            "a value that is there for a while",
            vec![join(&[&awaits(0, 1), &[set(1, 1)]]), join(&[&[set(0, 1)], &awaits(1, 1), &[set(0, 0)]])],
        ),
        row(
            "a lock that is tested first, and a store",
            vec![
                join(&[&[lock, unlock, set(1, 1)], &awaits(0, 0), &[lock]]),
                vec![set(1, 1)],
                vec![lock, set(1, 1), unlock],
            ],
        ),
        row(
            "two writes that nothing orders, and one that is awaited",
            vec![
                join(&[&awaits(0, 2), &[set(1, 1)]]),
                vec![set(0, 1), r(1, ReadOrder::Relaxed)],
                vec![set(0, 2)],
                vec![set(0, 1)],
            ],
        ),
    ];
    rows.extend(waiting());
    let mut rows: Vec<Named> = rows.into_iter().map(spun).collect();
    let blocking = refuted().into_iter().filter(|row| row.blocked > 0);
    rows.extend(blocking.map(|row| Named { name: row.name, program: row.program }));
    rows
}

/// A `trylock` of thread `owner - 1`.
fn try_lock(loc: u8, owner: Value) -> Instr {
    let op = Modify::Cas(Expr::Const(0), Expr::Const(owner));
    Instr::Rmw { dst: 0, loc, op, order: RmwOrder::Acquire, failure: ReadOrder::Relaxed }
}
