//! Programs that need one rule of an incremental checker, or of the exploration, each: without it, some execution is
//! missing or too many. Random programs hardly ever need these.

use crate::build::{assume_eq, fadd, r, sc_fence, w, write};
use crate::program::{Instr, TestProgram};
use crate::separating::Named;
use base::{ReadOrder, RmwOrder, WriteOrder};

/// The programs.
pub fn rules() -> Vec<Named> {
    psc().into_iter().chain(tso()).collect()
}

/// Rules of psc, with `co` and with `mo_weak`.
fn psc() -> Vec<Named> {
    let (r_, w_) = (|loc| r(loc, ReadOrder::Relaxed), |loc| w(loc, WriteOrder::Relaxed));
    let (r_sc, w_sc) = (|loc| r(loc, ReadOrder::SeqCst), |loc| w(loc, WriteOrder::SeqCst));
    let set_sc = |loc, value| write(loc, value, WriteOrder::SeqCst);
    let fadd_sc = |loc| fadd(loc, RmwOrder::SeqCst);
    let (acq, rel) = (|loc| r(loc, ReadOrder::Acquire), |loc| w(loc, WriteOrder::Release));
    let row = |name, threads: Vec<Vec<Instr>>| Named { name, program: TestProgram::parallel(3, threads) };
    vec![
        // The update reads the first write, so that it is beside that one in the set of writes, and follows the second.
        row(
            "the write that was added last need not be the last",
            vec![vec![w_sc(0)], vec![set_sc(0, 2), fadd_sc(0), r_sc(1)], vec![w_sc(1), r_sc(0)]],
        ),
        row(
            "an update that revisits may close a cycle by what it reads",
            vec![vec![w_sc(0), set_sc(0, 2), r_sc(1)], vec![r_(0)], vec![w_sc(1), fadd_sc(0)]],
        ),
        row(
            "rf alone leads from fence to fence",
            vec![vec![w_(0), sc_fence(), rel(1)], vec![acq(1), w_(2)], vec![r_(2), sc_fence(), r_(0)]],
        ),
        Named {
            name: "a thread is created behind a fence",
            program: TestProgram {
                locations: 3,
                main: [0, 1, 3].map(Instr::Create).to_vec(),
                codes: vec![
                    vec![w_(0), sc_fence(), w_(1)],
                    vec![acq(1), assume_eq(1), Instr::Create(2)],
                    vec![r_sc(2)],
                    vec![w_sc(2), r_sc(0)],
                ],
                ..TestProgram::default()
            },
        },
    ]
}

/// The litmus test R, in which the store buffer is drained by something else than a fence.
fn tso() -> Vec<Named> {
    let (r_, w_) = (|loc| r(loc, ReadOrder::Relaxed), |loc| w(loc, WriteOrder::Relaxed));
    let writer = vec![w_(1), write(0, 2, WriteOrder::Relaxed)];
    let row = |name, main: &[Instr], codes: Vec<Vec<Instr>>| Named {
        name,
        program: TestProgram { locations: 2, main: main.to_vec(), codes, ..TestProgram::default() },
    };
    let (create, join) = (Instr::Create, Instr::Join);
    vec![
        row("R, the reader is created", &[create(0), w_(0), create(1)], vec![writer.clone(), vec![r_(1)]]),
        row(
            "R, the writer creates another thread",
            &[create(0), w_(0), create(1), r_(1)],
            vec![writer.clone(), Vec::new()],
        ),
        row(
            "R, the writer joins another thread",
            &[create(0), create(1), w_(0), join(1), r_(1)],
            vec![writer.clone(), Vec::new()],
        ),
        row("R, the writer is joined", &[create(0), create(1), join(1), r_(1)], vec![writer, vec![w_(0)]]),
    ]
}
