//! Relaxed: every location on its own is sequentially consistent, and nothing else is promised.
//!
//! Implements the relaxed fragment of RC20, figure 2 of \[RF\], whatever orders the program wrote: `hb` is `po`, and no
//! fence does anything, an SC fence no more than others.
//!
//! Differs: threads are created and joined, and `asw` counts with `po`. So a program whose only synchronisation is
//! creation and join has no races here, and any other has.

use crate::axioms::{self, atomicity, porf};
use crate::catalogue::About;
use crate::declarative::{self, Axiom, Inconsistent, Relations};
use crate::relation::Relation;
use crate::rules::{Coherence, Cycles, GlobalAxiom, Orders, ReleaseSequence, Rules, ScFence};
use graph::ExecutionGraph;

/// What it is.
pub static RULES: Rules = Rules {
    name: "relaxed",
    title: "Relaxed",
    orders: Orders::Ignored,
    release_sequence: ReleaseSequence::UpdatesOnly,
    sc_fence: ScFence::Fence,
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
    summary: "coherence and nothing else: every access is relaxed",
    orders: "all relaxed",
    weak_fences: "nothing",
    sc_fences: "nothing",
    sc_accesses: "like all others",
    release_sequence: "none",
    source: "Tunç et al. (PLDI 2023), figure 2",
};

/// The axioms.
pub const AXIOMS: &[Axiom] = &[
    Axiom { name: "atomicity", holds: atomicity },
    Axiom { name: "PO-RF", holds: porf },
    Axiom { name: "Wcoh", holds: wcoh },
    Axiom { name: "Rcoh", holds: rcoh },
];

/// The axiom that the graph violates; `Ok` if it is consistent.
pub fn consistent(graph: &ExecutionGraph) -> Result<(), Inconsistent> {
    declarative::consistent(graph, &RULES)
}

/// `irr(co ; rf? ; hb?)`
pub fn wcoh(g: &Relations) -> bool {
    axioms::wcoh(g, &hb(g))
}

/// `irr(fr ; rf? ; hb)`
pub fn rcoh(g: &Relations) -> bool {
    axioms::rcoh(g, &hb(g))
}

/// Happens-before: `(po ∪ asw)⁺`.
pub fn hb(g: &Relations) -> Relation {
    g.po.union(&g.asw).plus()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declarative::alone_forbidden_by;

    #[test]
    fn each_axiom_has_a_graph_that_it_alone_forbids() {
        let lost_update = "thread 0\n  RMW sc 0x8/8 = 0 -> 1 rf init\nthread 1\n  W sc 0x8/8 = 5\n\
                           co 0x8/8: 1:0 0:0\n";
        assert_eq!(alone_forbidden_by(lost_update, &RULES), "atomicity");
        let load_buffering = "thread 0\n  R acq 0x8/8 = 1 rf 1:1\n  W rel 0x10/8 = 1\n\
                              thread 1\n  R acq 0x10/8 = 1 rf 0:1\n  W rel 0x8/8 = 1\n\
                              co 0x8/8: 1:1\nco 0x10/8: 0:1\n";
        assert_eq!(alone_forbidden_by(load_buffering, &RULES), "PO-RF");
        let read_later = "thread 0\n  R rlx 0x8/8 = 1 rf 1:0\n  W rlx 0x8/8 = 2\nthread 1\n  W rlx 0x8/8 = 1\n\
                          co 0x8/8: 0:1 1:0\n";
        assert_eq!(alone_forbidden_by(read_later, &RULES), "Wcoh");
        let stale = "thread 0\n  R rlx 0x8/8 = 1 rf 1:0\n  R rlx 0x8/8 = 0 rf init\nthread 1\n  W rlx 0x8/8 = 1\n\
                     co 0x8/8: 1:0\n";
        assert_eq!(alone_forbidden_by(stale, &RULES), "Rcoh");
    }

    #[test]
    fn nothing_synchronises_but_creation_and_join() {
        let message_passing = "thread 0\n  W sc 0x8/8 = 1\n  F sc\n  W sc 0x10/8 = 1\n\
                               thread 1\n  R sc 0x10/8 = 1 rf 0:2\n  F sc\n  R sc 0x8/8 = 0 rf init\n\
                               co 0x8/8: 0:0\nco 0x10/8: 0:2\n";
        assert_eq!(consistent(&message_passing.parse().unwrap()), Ok(()));
        let joined = "thread 0\n  create 1\n  join 1\n  R sc 0x8/8 = 0 rf init\nthread 1\n  W sc 0x8/8 = 1\n\
                      co 0x8/8: 1:0\n";
        assert_eq!(consistent(&joined.parse().unwrap()), Err(Inconsistent::Axiom("Rcoh")));
        assert_eq!(consistent(&joined.replace("  join 1\n", "").parse().unwrap()), Ok(()));
    }
}
