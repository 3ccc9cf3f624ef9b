//! The programs that refuted a variant of the exploration while it was designed, and litmus tests around them, with
//! the right number of executions under RC11. The oracle is checked against them here, the exploration elsewhere.

use crate::build::{assume_eq, assume_ne, cas, exchange, fadd, r, sc_fence, w, write};
use crate::program::{Instr, TestProgram};
use base::{ReadOrder, RmwOrder, WriteOrder};

/// A program with the right numbers.
#[derive(Clone, Debug)]
pub struct Refuted {
    /// What it is about.
    pub name: &'static str,
    /// The program.
    pub program: TestProgram,
    /// How many complete executions it has.
    pub complete: usize,
    /// How many blocked ones.
    pub blocked: usize,
}

/// The table.
pub fn refuted() -> Vec<Refuted> {
    let r = |loc| r(loc, ReadOrder::Relaxed);
    let w = |loc| w(loc, WriteOrder::Relaxed);
    let set = |loc, value| write(loc, value, WriteOrder::Relaxed);
    let fadd = |loc| fadd(loc, RmwOrder::Relaxed);
    let cas01 = |loc| cas(loc, 0, 1, RmwOrder::Relaxed);
    let swap = |loc, value| exchange(loc, value, RmwOrder::Relaxed);
    let row = |name, threads: Vec<Vec<Instr>>, complete, blocked| {
        let program = TestProgram::parallel(2, threads);
        Refuted { name, program, complete, blocked }
    };
    vec![
        row("a revisited read is revisited again", vec![vec![r(0)], vec![w(0), w(0)]], 3, 0),
        row("also by a read-modify-write", vec![vec![r(0)], vec![w(0)], vec![fadd(0)]], 6, 0),
        row("two read-modify-writes meet at one write", vec![vec![fadd(0)], vec![fadd(0)]], 2, 0),
        row("the second revisits something older", vec![vec![r(0), fadd(0)], vec![fadd(0)]], 3, 0),
        row("the same in three threads", vec![vec![r(0)], vec![fadd(0)], vec![fadd(0)]], 6, 0),
        row(
            "a revisited read-modify-write revisits",
            vec![vec![w(0)], vec![r(0)], vec![fadd(0)], vec![w(0)]],
            24,
            0,
        ),
        row("a write that an older read reads stays", vec![vec![r(0)], vec![w(0)], vec![r(0), w(0)]], 9, 0),
        row("else rf dangles", vec![vec![w(0), r(0)], vec![r(0), w(0)], vec![w(0)]], 26, 0),
        row("the same with compare-exchange", vec![vec![r(0)], vec![w(0)], vec![cas01(0)]], 5, 0),
        row("peeled writes are co-last", vec![vec![w(0)], vec![r(1), w(0)], vec![w(1)]], 4, 0),
        row("the same in four threads", vec![vec![w(0)], vec![r(1)], vec![w(0)], vec![w(1)]], 4, 0),
        row("the same on one location", vec![vec![r(0)], vec![w(0)], vec![w(0)], vec![w(0)]], 24, 0),
        row("revisits once per write, not per place", vec![vec![r(0), w(0)], vec![w(0)]], 3, 0),
        row("the same the other way round", vec![vec![w(0), r(0)], vec![w(0)]], 3, 0),
        row("a blocked read is revisited", vec![vec![r(0), assume_ne(0)], vec![w(0)]], 1, 1),
        row("a read that a revisit blocks stays", vec![vec![r(0), assume_ne(1)], vec![w(0)]], 1, 1),
        row(
            "a blocked read does not follow",
            vec![vec![r(0), assume_eq(2)], vec![w(0)], vec![swap(0, 2)]],
            2,
            4,
        ),
        row("nor float back", vec![vec![r(0), assume_ne(2)], vec![w(0)], vec![set(0, 2)]], 4, 2),
        row("nor with porf alone", vec![vec![r(0), assume_ne(1)], vec![w(0)], vec![w(0), set(0, 0)]], 6, 6),
        row("nor diverge", vec![vec![r(0), assume_ne(1)], vec![fadd(0)], vec![w(0), w(0)]], 5, 7),
    ]
}

/// Litmus tests with their numbers of executions.
pub fn litmus() -> Vec<Refuted> {
    let r_ = |loc| r(loc, ReadOrder::Relaxed);
    let w_ = |loc| w(loc, WriteOrder::Relaxed);
    let (acq, rel) = (|loc| r(loc, ReadOrder::Acquire), |loc| w(loc, WriteOrder::Release));
    let (r_sc, w_sc) = (|loc| r(loc, ReadOrder::SeqCst), |loc| w(loc, WriteOrder::SeqCst));
    let f = sc_fence;
    let row = |name, threads: Vec<Vec<Instr>>, complete| {
        let program = TestProgram::parallel(3, threads);
        Refuted { name, program, complete, blocked: 0 }
    };
    vec![
        row("SB rlx", vec![vec![w_(0), r_(1)], vec![w_(1), r_(0)]], 4),
        row("SB rel acq", vec![vec![rel(0), acq(1)], vec![rel(1), acq(0)]], 4),
        row("SB sc", vec![vec![w_sc(0), r_sc(1)], vec![w_sc(1), r_sc(0)]], 3),
        row("SB fences", vec![vec![w_(0), f(), r_(1)], vec![w_(1), f(), r_(0)]], 3),
        row("SB sc, third writer", vec![vec![w_sc(0), r_sc(1)], vec![w_sc(1), r_sc(0)], vec![w_sc(1)]], 9),
        row("MP rlx", vec![vec![w_(0), w_(1)], vec![r_(1), r_(0)]], 4),
        row("MP rel acq", vec![vec![w_(0), rel(1)], vec![acq(1), r_(0)]], 3),
        row("LB rlx", vec![vec![r_(0), w_(1)], vec![r_(1), w_(0)]], 3),
        row("2+2W rlx", vec![vec![w_(0), w_(1)], vec![w_(1), w_(0)]], 4),
        row("2+2W sc", vec![vec![w_sc(0), w_sc(1)], vec![w_sc(1), w_sc(0)]], 3),
        row("CoRR", vec![vec![w_(0)], vec![r_(0), r_(0)]], 3),
        row("IRIW rlx", vec![vec![w_(0)], vec![w_(1)], vec![r_(0), r_(1)], vec![r_(1), r_(0)]], 16),
        row("IRIW rel acq", vec![vec![rel(0)], vec![rel(1)], vec![acq(0), acq(1)], vec![acq(1), acq(0)]], 16),
        row(
            "IRIW sc",
            vec![vec![w_sc(0)], vec![w_sc(1)], vec![r_sc(0), r_sc(1)], vec![r_sc(1), r_sc(0)]],
            15,
        ),
        row(
            "IRIW fences",
            vec![vec![w_(0)], vec![w_(1)], vec![r_(0), f(), r_(1)], vec![r_(1), f(), r_(0)]],
            15,
        ),
        row("WRC rlx", vec![vec![w_(0)], vec![r_(0), w_(1)], vec![r_(1), r_(0)]], 8),
        row("WRC rel acq", vec![vec![w_(0)], vec![acq(0), rel(1)], vec![acq(1), r_(0)]], 7),
        row("WRC all rel acq", vec![vec![rel(0)], vec![acq(0), rel(1)], vec![acq(1), r_(0)]], 7),
        row("ISA2 rel acq", vec![vec![w_(0), rel(1)], vec![acq(1), rel(2)], vec![acq(2), r_(0)]], 7),
        row("S rel acq", vec![vec![w_(0), rel(1)], vec![acq(1), w_(0)]], 3),
        row("R sc", vec![vec![w_sc(0), w_sc(1)], vec![w_sc(1), r_sc(0)]], 3),
        row("RWC fences", vec![vec![w_(0)], vec![r_(0), f(), r_(1)], vec![w_(1), f(), r_(0)]], 7),
    ]
}
