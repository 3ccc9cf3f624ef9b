//! Random programs that spin: spinlocks, ticket locks, rounds that are confirmed by a compare-exchange, awaits.
//!
//! There are no loops in these programs: an assumption right after a read stands for the loop around the two.

use crate::program::{Condition, Expr, Instr, Modify, TestProgram};
use base::{ReadOrder, RmwOrder, Rng, Value, WriteOrder};

/// How many locations the programs of `rounds` have: two numbers, the two of a ticket lock, data.
pub(crate) const LOCATIONS: u8 = 5;

/// The register that a lock reads its word into.
const WORD: u8 = 4;

/// The same program with a compare-exchange that spins, sometimes behind a load that does, for every lock of a mutex, and a
/// store for every release.
pub(crate) fn with_spinlocks(program: &TestProgram, rng: &mut Rng, sc: u64) -> TestProgram {
    let codes = program.codes.iter().enumerate();
    let codes = codes.map(|(thread, code)| with_spinlocks_in(code, thread as Value + 2, rng, sc)).collect();
    TestProgram { codes, ..program.clone() }
}

/// The same for the code of one thread, with nothing but a compare-exchange for a lock.
pub(crate) fn with_plain_spinlocks(code: &[Instr], owner: Value) -> Vec<Instr> {
    with_locks(code, |loc| take(loc, owner, RmwOrder::Acquire))
}

fn with_spinlocks_in(code: &[Instr], owner: Value, rng: &mut Rng, sc: u64) -> Vec<Instr> {
    with_locks(code, |loc| spinlock(loc, owner, rng, sc))
}

fn with_locks(code: &[Instr], mut lock: impl FnMut(u8) -> Vec<Instr>) -> Vec<Instr> {
    let mut places = Vec::new();
    let mut spun = Vec::new();
    for &instr in code {
        places.push(spun.len() as u16);
        match instr {
            Instr::Lock(loc) => spun.extend(lock(loc)),
            Instr::Unlock(loc) => {
                spun.push(Instr::Store { loc, value: Expr::Const(0), order: WriteOrder::Release });
            }
            instr => spun.push(instr),
        }
    }
    places.push(spun.len() as u16);
    for instr in &mut spun {
        if let Instr::Branch { target, .. } = instr {
            *target = places[usize::from(*target)];
        }
    }
    spun
}

fn spinlock(loc: u8, owner: Value, rng: &mut Rng, sc: u64) -> Vec<Instr> {
    let order = if rng.percent(sc / 2) { RmwOrder::SeqCst } else { RmwOrder::Acquire };
    let mut code = Vec::new();
    if rng.percent(30) {
        code.extend([Instr::Load { dst: WORD, loc, order: ReadOrder::Relaxed }, IS_FREE]);
    }
    code.extend(take(loc, owner, order));
    code
}

const IS_FREE: Instr = Instr::Assume(Condition { reg: WORD, equal: true, value: 0 });

fn take(loc: u8, owner: Value, order: RmwOrder) -> Vec<Instr> {
    let op = Modify::Cas(Expr::Const(0), Expr::Const(owner));
    vec![Instr::Rmw { dst: WORD, loc, op, order, failure: ReadOrder::Relaxed }, IS_FREE]
}

/// One or two rounds.
pub(crate) fn rounds(rng: &mut Rng) -> Vec<Instr> {
    (0..1 + rng.below(2)).flat_map(|_| round(rng)).collect()
}

fn round(rng: &mut Rng) -> Vec<Instr> {
    let loc = rng.below(2) as u8;
    let read = if rng.percent(50) { ReadOrder::Acquire } else { ReadOrder::Relaxed };
    let write = if rng.percent(50) { WriteOrder::Release } else { WriteOrder::Relaxed };
    let order = rng.pick(&[RmwOrder::Relaxed, RmwOrder::AcqRel, RmwOrder::SeqCst]);
    let update = |dst, loc, op| Instr::Rmw { dst, loc, op, order, failure: ReadOrder::Relaxed };
    let data = if rng.percent(50) {
        Instr::Load { dst: 3, loc: 4, order: read }
    } else {
        Instr::Store { loc: 4, value: Expr::Const(1), order: write }
    };
    match rng.below(7) {
        0..3 => {
            let mut code = vec![Instr::Load { dst: 0, loc, order: read }];
            if rng.percent(30) {
                code.push(Instr::Load { dst: 3, loc: 1 - loc, order: read });
            }
            if rng.percent(20) {
                code.extend([Instr::Load { dst: 2, loc, order: read }, Instr::AssumeSame(0, 2)]);
            }
            let new = if rng.percent(80) { Expr::Plus(0, 1) } else { Expr::Const(rng.below(2)) };
            code.push(update(1, loc, Modify::Cas(Expr::Reg(0), new)));
            code.push(Instr::AssumeSame(0, 1));
            code
        }
        3 => vec![
            update(0, 2, Modify::Add(Expr::Const(1))),
            Instr::Load { dst: 1, loc: 3, order: read },
            Instr::AssumeSame(0, 1),
            data,
            Instr::Store { loc: 3, value: Expr::Plus(1, 1), order: WriteOrder::Release },
        ],
        4 => vec![
            Instr::Load { dst: 0, loc, order: read },
            Instr::Assume(Condition { reg: 0, equal: rng.percent(50), value: rng.below(3) }),
            data,
        ],
        5 => {
            let order = if rng.percent(30) { WriteOrder::NotAtomic } else { write };
            vec![Instr::Store { loc, value: Expr::Const(rng.below(3)), order }]
        }
        _ => vec![update(0, loc, Modify::Add(Expr::Const(1)))],
    }
}
