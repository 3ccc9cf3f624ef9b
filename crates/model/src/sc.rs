//! Sequential consistency: all accesses in one order that every thread agrees with.
//!
//! Implements Lamport's model as Shasha and Snir state it: `po ∪ rf ∪ co ∪ fr` is acyclic. Every access counts
//! alike, whatever its order, and fences do nothing. `asw` counts as `po`.

use crate::axioms::atomicity;
use crate::catalogue::About;
use crate::declarative::{self, Axiom, Inconsistent, Relations};
use crate::relation::Relation;
use crate::rules::{Coherence, Cycles, GlobalAxiom, Orders, ReleaseSequence, Rules, ScFence};
use crate::sections;
use graph::ExecutionGraph;

/// What it is.
pub static RULES: Rules = Rules {
    name: "sc",
    title: "SC",
    orders: Orders::Uniform,
    release_sequence: ReleaseSequence::UpdatesOnly,
    sc_fence: ScFence::Fence,
    coherence: Coherence::Total,
    global: GlobalAxiom::Sc,
    global_order: Some(global_order),
    cycles: Cycles::Forbidden,
    isolation: Some(sections::sc),
    axioms: AXIOMS,
    hb,
};

/// What it is chosen by.
pub const ABOUT: About = About {
    summary: "sequential consistency: one order of all accesses",
    orders: "all alike",
    weak_fences: "nothing",
    sc_fences: "nothing",
    sc_accesses: "like all others",
    release_sequence: "none needed",
    source: "Shasha, Snir (TOPLAS 1988)",
};

/// The axioms.
pub const AXIOMS: &[Axiom] =
    &[Axiom { name: "ATOMICITY", holds: atomicity }, Axiom { name: "SC", holds: sequential_consistency }];

/// The axiom that the graph violates; `Ok` if it is consistent.
pub fn consistent(graph: &ExecutionGraph) -> Result<(), Inconsistent> {
    declarative::consistent(graph, &RULES)
}

/// `acyclic(po ∪ asw ∪ rf ∪ co ∪ fr)`
pub fn sequential_consistency(g: &Relations) -> bool {
    global_order(g).is_acyclic()
}

/// `po ∪ asw ∪ rf ∪ co ∪ fr`
pub fn global_order(g: &Relations) -> Relation {
    g.po.union(&g.asw).union(&g.rf).union(&g.co).union(&g.fr)
}

/// Happens-before, for races: every atomic read synchronises with the atomic write that it reads.
pub fn hb(g: &Relations) -> Relation {
    crate::ra::hb(g)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_axiom_has_a_graph_that_it_alone_forbids() {
        let lost_update = "thread 0\n  RMW rlx 0x8/8 = 0 -> 1 rf init\nthread 1\n  W rlx 0x8/8 = 5\n\
                           co 0x8/8: 1:0 0:0\n";
        assert_eq!(consistent(&lost_update.parse().unwrap()), Err(Inconsistent::Axiom("ATOMICITY")));
        let message_passing = "thread 0\n  W rlx 0x8/8 = 1\n  W rlx 0x10/8 = 1\n\
                               thread 1\n  R rlx 0x10/8 = 1 rf 0:1\n  R rlx 0x8/8 = 0 rf init\n\
                               co 0x8/8: 0:0\nco 0x10/8: 0:1\n";
        assert_eq!(consistent(&message_passing.parse().unwrap()), Err(Inconsistent::Axiom("SC")));
        assert_eq!(crate::rc11::consistent(&message_passing.parse().unwrap()), Ok(()));
    }
}
