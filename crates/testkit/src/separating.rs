//! Small programs that tell the models apart, by name.
//!
//! With the litmus tests of `refuted` they show, for every axiom of every model, an execution that only it forbids, and
//! for every two models, an execution that only one of them allows.

use crate::build::{assume_eq, cas, fadd, r, sc_fence, w, write};
use crate::program::{Instr, TestProgram};
use crate::refuted::{litmus, refuted};
use crate::rules::rules;
use base::{ReadOrder, RmwOrder, WriteOrder};

/// A program with its name.
#[derive(Clone, Debug)]
pub struct Named {
    /// What it is called.
    pub name: &'static str,
    /// The program.
    pub program: TestProgram,
}

/// The program of this name, of those here and of those of `refuted` and `rules`.
///
/// # Panics
/// If there is none.
pub fn named(name: &str) -> TestProgram {
    let all = all_named().into_iter().find(|row| row.name == name);
    all.unwrap_or_else(|| panic!("no program is called {name}")).program
}

/// The programs here, and those of `refuted` and `rules`.
pub fn all_named() -> Vec<Named> {
    let others = litmus().into_iter().chain(refuted());
    let others = others.map(|row| Named { name: row.name, program: row.program });
    separating().into_iter().chain(others).chain(rules()).collect()
}

/// The programs.
pub fn separating() -> Vec<Named> {
    let (r_, w_) = (|loc| r(loc, ReadOrder::Relaxed), |loc| w(loc, WriteOrder::Relaxed));
    let (r_na, w_na) = (|loc| r(loc, ReadOrder::NotAtomic), |loc| w(loc, WriteOrder::NotAtomic));
    let set = |loc, value| write(loc, value, WriteOrder::Relaxed);
    let (acq, rel) = (|loc| r(loc, ReadOrder::Acquire), |loc| w(loc, WriteOrder::Release));
    let row = |name, threads: Vec<Vec<Instr>>| Named { name, program: TestProgram::parallel(3, threads) };
    vec![
        row("LB plain", vec![vec![r_na(0), w_na(1)], vec![r_na(1), w_na(0)]]),
        row("CoRR plain", vec![vec![r_na(0), r_na(0)], vec![w_na(0)]]),
        row("CoRW plain", vec![vec![r_na(0), write(0, 2, WriteOrder::NotAtomic)], vec![w_na(0)]]),
        row("MP release sequence", vec![vec![w_(0), rel(1), set(1, 2)], vec![acq(1), r_(0)]]),
        // [RCMC] section 2.3 and section 5.
        row("CORR2", vec![vec![w_(0)], vec![set(0, 2)], vec![r_(0), r_(0)], vec![r_(0), r_(0)]]),
        row("ww3r", vec![vec![w_(0)], vec![set(0, 2)], vec![r_(0), r_(0), r_(0)]]),
        row(
            "FAI, FAI; read",
            vec![vec![fadd(0, RmwOrder::Relaxed)], vec![fadd(0, RmwOrder::Relaxed), r_(0)]],
        ),
        // An SC fence is a release fence, unless it is a read-modify-write.
        row("MP SC fence acq", vec![vec![w_(0), sc_fence(), w_(1)], vec![acq(1), r_(0)]]),
        // A chain of relaxed messages from one SC fence to another: RC20 orders the two fences, RC11 does not.
        row(
            "ISA2 fences at the ends",
            vec![
                vec![w_(0), sc_fence(), w_(1)],
                vec![r_(1), assume_eq(1), w_(2)],
                vec![r_(2), assume_eq(1), sc_fence(), r_(0)],
            ],
        ),
        // [RCMC] section 7, tables 2 and 3.
        row("ainc(3)", vec![vec![fadd(0, RmwOrder::Relaxed)]; 3]),
        row("binc(3)", vec![vec![fadd(0, RmwOrder::Relaxed), fadd(1, RmwOrder::Relaxed)]; 3]),
        row(
            "casw(3)",
            (1..=3)
                .map(|i| vec![cas(0, 0, i, RmwOrder::Relaxed), write(0, i + 3, WriteOrder::Release)])
                .collect(),
        ),
    ]
}
