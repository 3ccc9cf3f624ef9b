//! Release-acquire: every atomic read is an acquire, every atomic write a release, every read-modify-write both.
//!
//! Implements RA as \[RA\] states it: `rf` is part of `hb`, whatever orders
//! the program wrote. Differs: there are plain accesses, too. They are coherent like the others but do not
//! synchronise, so that races on them are found with respect to `hb`.
//!
//! Fences: weaker ones than SC do nothing. An SC fence is an acquire-release read-modify-write of the one location
//! [`SC_FENCE`], which reads and writes 0. Executions then differ in the order of their SC fences, `co` of that
//! location; so the builder of the graph writes an SC fence as that [`graph::Label::Rmw`], and nothing here treats it
//! specially.

use crate::axioms::{atomicity, eco, porf};
use crate::catalogue::About;
use crate::declarative::{self, Axiom, Inconsistent, Relations};
use crate::relation::Relation;
use crate::rules::{Coherence, Cycles, GlobalAxiom, Orders, ReleaseSequence, Rules, ScFence};
use base::Access;
use graph::ExecutionGraph;

/// The location that SC fences read and write. No object is there.
pub const SC_FENCE: Access = Access { address: 0, size: 1 };

/// What it is.
pub static RULES: Rules = Rules {
    name: "ra",
    title: "RA",
    orders: Orders::Uniform,
    release_sequence: ReleaseSequence::UpdatesOnly,
    sc_fence: ScFence::Update,
    coherence: Coherence::Total,
    global: GlobalAxiom::None,
    global_order: None,
    cycles: Cycles::Forbidden,
    isolation: None,
    axioms: AXIOMS,
    hb,
};

/// What it is chosen by.
pub const ABOUT: About = About {
    summary: "release-acquire: who reads a write knows all that its writer knew",
    orders: "all rel/acq",
    weak_fences: "nothing",
    sc_fences: "acq_rel RMW",
    sc_accesses: "like all others",
    release_sequence: "none needed",
    source: "Lahav et al. (POPL 2016)",
};

/// The axioms. PORF matters where accesses are plain: where none is, coherence says so, too, since `rf` is in `eco`
/// and in `hb`.
pub const AXIOMS: &[Axiom] = &[
    Axiom { name: "ATOMICITY", holds: atomicity },
    Axiom { name: "PORF", holds: porf },
    Axiom { name: "COHERENCE", holds: coherence },
];

/// The axiom that the graph violates; `Ok` if it is consistent.
pub fn consistent(graph: &ExecutionGraph) -> Result<(), Inconsistent> {
    declarative::consistent(graph, &RULES)
}

/// `irreflexive(hb ; eco)`
pub fn coherence(g: &Relations) -> bool {
    hb(g).compose(&eco(g)).is_irreflexive()
}

/// Synchronises-with: `[E^atomic] ; rf ; [E^atomic]`.
pub fn sw(g: &Relations) -> Relation {
    g.rf.restrict_dom(&g.events.atomic).restrict_rng(&g.events.atomic)
}

/// Happens-before: `(po ∪ asw ∪ sw)⁺`.
pub fn hb(g: &Relations) -> Relation {
    g.po.union(&g.asw).union(&sw(g)).plus()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(text: &str) -> Result<(), Inconsistent> {
        consistent(&text.parse().unwrap())
    }

    #[test]
    fn each_axiom_has_a_graph_that_it_forbids() {
        let lost_update = "thread 0\n  RMW rlx 0x8/8 = 0 -> 1 rf init\nthread 1\n  W rlx 0x8/8 = 5\n\
                           co 0x8/8: 1:0 0:0\n";
        assert_eq!(verdict(lost_update), Err(Inconsistent::Axiom("ATOMICITY")));
        let load_buffering = "thread 0\n  R rlx 0x8/8 = 1 rf 1:1\n  W rlx 0x10/8 = 1\n\
                              thread 1\n  R rlx 0x10/8 = 1 rf 0:1\n  W rlx 0x8/8 = 1\n\
                              co 0x8/8: 1:1\nco 0x10/8: 0:1\n";
        assert_eq!(verdict(load_buffering), Err(Inconsistent::Axiom("PORF")));
        let message_passing = "thread 0\n  W rlx 0x8/8 = 1\n  W rlx 0x10/8 = 1\n\
                               thread 1\n  R rlx 0x10/8 = 1 rf 0:1\n  R rlx 0x8/8 = 0 rf init\n\
                               co 0x8/8: 0:0\nco 0x10/8: 0:1\n";
        assert_eq!(verdict(message_passing), Err(Inconsistent::Axiom("COHERENCE")));
        assert_eq!(verdict(&message_passing.replace("W rlx 0x10", "W na 0x10")), Ok(()));
    }

    #[test]
    fn store_buffering_needs_sc_fences() {
        let plain = "thread 0\n  W sc 0x8/8 = 1\n  R sc 0x10/8 = 0 rf init\n\
                     thread 1\n  W sc 0x10/8 = 1\n  R sc 0x8/8 = 0 rf init\nco 0x8/8: 0:0\nco 0x10/8: 1:0\n";
        assert_eq!(verdict(plain), Ok(()));
        let fenced = "thread 0\n  W rlx 0x8/8 = 1\n  RMW acq_rel 0x0/1 = 0 -> 0 rf init\n  R rlx 0x10/8 = 0 rf init\n\
                      thread 1\n  W rlx 0x10/8 = 1\n  RMW acq_rel 0x0/1 = 0 -> 0 rf 0:1\n  R rlx 0x8/8 = 0 rf init\n\
                      co 0x0/1: 0:1 1:1\nco 0x8/8: 0:0\nco 0x10/8: 1:0\n";
        assert_eq!(verdict(fenced), Err(Inconsistent::Axiom("COHERENCE")));
    }
}
