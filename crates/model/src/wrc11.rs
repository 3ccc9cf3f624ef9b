//! WRC11: RC11 without a modification order. Writes are ordered by what their threads know, or not at all.
//!
//! Implements \[RCMC\] section 5: every mention of `mo` in RC11 is replaced by
//! `mo_weak = ⋃x [Wx] ; (hb ∪ rf_x)⁺ ; [Wx]`, and VALID MO is dropped. So the axioms are those of [`rc11`] on
//! [`weakened`] relations. Executions have no `co`.
//!
//! Differs: ATOMICITY is "no two read-modify-writes read the same write". The paper's section 3.2.3 takes that from
//! its formula "together with totality of mo"; here there is no total `mo`, and table 2 of the paper has the same
//! numbers for both models, so that it must be meant. The formula itself is idle: in
//! `w → w' → u` by `mo_weak`, where `u` reads `w`, all ways into `u` lead through its read half, so that `u` reads
//! something older than what it knows of, which COHERENCE forbids.

use crate::axioms::{porf, weak_atomicity};
use crate::catalogue::About;
use crate::declarative::{self, Axiom, Inconsistent, Relations};
use crate::rc11::{self, hb};
use crate::relation::{EventSet, Relation};
use crate::rules::{Coherence, Cycles, GlobalAxiom, Orders, ReleaseSequence, Rules, ScFence};
use graph::ExecutionGraph;

/// What it is.
pub static RULES: Rules = Rules {
    name: "wrc11",
    title: "WRC11",
    orders: Orders::AsWritten,
    release_sequence: ReleaseSequence::SameThread,
    sc_fence: ScFence::Fence,
    coherence: Coherence::MoWeak,
    global: GlobalAxiom::Psc,
    global_order: None,
    cycles: Cycles::Forbidden,
    isolation: None,
    axioms: AXIOMS,
    hb,
};

/// What it is chosen by.
pub const ABOUT: About = About {
    summary: "weak RC11: RC11 without co; unordered writes may alternate",
    source: "RCMC (POPL 2018), section 5",
    ..rc11::ABOUT
};

/// The axioms.
pub const AXIOMS: &[Axiom] = &[
    Axiom { name: "ATOMICITY", holds: weak_atomicity },
    Axiom { name: "SBRF", holds: porf },
    Axiom { name: "COHERENCE", holds: coherence },
    Axiom { name: "SC-ACYCLICITY", holds: sc_acyclicity },
];

/// The axiom that the graph violates; `Ok` if it is consistent.
pub fn consistent(graph: &ExecutionGraph) -> Result<(), Inconsistent> {
    declarative::consistent(graph, &RULES)
}

/// `irreflexive(eco ; hb)`
pub fn coherence(g: &Relations) -> bool {
    rc11::coherence(&weakened(g))
}

/// `acyclic(psc)`
pub fn sc_acyclicity(g: &Relations) -> bool {
    g.events.sc.is_empty() || rc11::sc_acyclicity(&weakened(g))
}

/// The relations with `mo_weak` for `co`, and `rf⁻¹ ; mo_weak` for `fr`.
///
/// As with a total order, `fr` leads from the read of a read-modify-write to its own write: the two are different
/// events, and it agrees with `po`.
pub fn weakened(g: &Relations) -> Relations {
    let co = mo_weak(g);
    let fr = g.rf.inverse().compose(&co);
    Relations { co, fr, ..g.clone() }
}

/// `⋃x [Wx] ; (hb ∪ rf_x)⁺ ; [Wx]`: the writes of a location in the order of `hb`, and of who has read whom.
pub fn mo_weak(g: &Relations) -> Relation {
    let hb = hb(g);
    let locations = (0..g.len()).filter(|&event| g.events.ids[event].is_none());
    locations.fold(Relation::empty(g.len()), |mo, initial| {
        let accesses = accesses(g, initial);
        let writes = accesses.intersect(&g.events.writes);
        let known = hb.union(&g.rf.restrict_dom(&accesses)).plus();
        mo.union(&known.restrict_dom(&writes).restrict_rng(&writes))
    })
}

/// The events at the location of an initial write.
fn accesses(g: &Relations, initial: usize) -> EventSet {
    let mut accesses = EventSet::empty(g.len());
    (0..g.len()).filter(|&event| g.loc.contains(initial, event)).for_each(|event| accesses.insert(event));
    accesses
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declarative::{Inconsistent::Axiom, alone_forbidden_by};

    fn verdict(text: &str) -> Result<(), Inconsistent> {
        consistent(&text.parse().unwrap())
    }

    #[test]
    fn each_axiom_has_a_graph_that_it_alone_forbids() {
        let same_source =
            "thread 0\n  RMW rlx 0x8/8 = 0 -> 1 rf init\nthread 1\n  RMW rlx 0x8/8 = 0 -> 1 rf init\n";
        assert_eq!(alone_forbidden_by(same_source, &RULES), "ATOMICITY");
        let load_buffering = "thread 0\n  R rlx 0x8/8 = 1 rf 1:1\n  W rlx 0x10/8 = 1\n\
                              thread 1\n  R rlx 0x10/8 = 1 rf 0:1\n  W rlx 0x8/8 = 1\n";
        assert_eq!(alone_forbidden_by(load_buffering, &RULES), "SBRF");
        let stale = "thread 0\n  W rlx 0x8/8 = 1\n  R rlx 0x8/8 = 0 rf init\n";
        assert_eq!(alone_forbidden_by(stale, &RULES), "COHERENCE");
        let store_buffering = "thread 0\n  W sc 0x8/8 = 1\n  R sc 0x10/8 = 0 rf init\n\
                               thread 1\n  W sc 0x10/8 = 1\n  R sc 0x8/8 = 0 rf init\n";
        assert_eq!(alone_forbidden_by(store_buffering, &RULES), "SC-ACYCLICITY");
    }

    /// The example ww3r: two unordered writes, three reads of one thread.
    #[test]
    fn unordered_writes_may_alternate_but_the_initial_value_does_not_come_back() {
        let writers =
            "thread 0\n  W rlx 0x8/8 = 1\nthread 1\n  W rlx 0x8/8 = 2\nthread 2\n  R rlx 0x8/8 = 1 rf 0:0\n";
        let then = |reads: &str| verdict(&format!("{writers}{reads}"));
        assert_eq!(then("  R rlx 0x8/8 = 2 rf 1:0\n  R rlx 0x8/8 = 1 rf 0:0\n"), Ok(()));
        assert_eq!(then("  R rlx 0x8/8 = 0 rf init\n"), Err(Axiom("COHERENCE")));
    }

    /// The example with two increments: who has read a write is after it.
    #[test]
    fn an_update_is_after_what_it_reads() {
        let updates = "thread 0\n  RMW rlx 0x8/8 = 0 -> 1 rf init\n\
                       thread 1\n  RMW rlx 0x8/8 = 1 -> 2 rf 0:0\n";
        let then = |read: &str| verdict(&format!("{updates}{read}"));
        assert_eq!(then("  R rlx 0x8/8 = 2 rf 1:0\n"), Ok(()));
        assert_eq!(then("  R rlx 0x8/8 = 1 rf 0:0\n"), Err(Axiom("COHERENCE")));
    }

    /// `rf_x` is for the location `x` only: reading y does not order the writes of x, unless it synchronises.
    #[test]
    fn reads_of_other_locations_order_only_by_hb() {
        let text = "thread 0\n  W rlx 0x8/8 = 1\n  W rlx 0x10/8 = 1\n\
                    thread 1\n  R rlx 0x10/8 = 1 rf 0:1\n  W rlx 0x8/8 = 2\n";
        let ordered = |text: &str| {
            let g = Relations::of(&text.parse::<ExecutionGraph>().unwrap());
            let event = |thread, index| {
                let id = base::EventId { thread: base::ThreadId(thread), index };
                g.events.ids.iter().position(|&other| other == Some(id)).unwrap()
            };
            mo_weak(&g).contains(event(0, 0), event(1, 1))
        };
        assert!(!ordered(text));
        assert!(ordered(&text.replace("W rlx 0x10", "W rel 0x10").replace("R rlx 0x10", "R acq 0x10")));
        assert!(ordered(&text.replace("R rlx 0x10/8 = 1 rf 0:1", "R rlx 0x8/8 = 1 rf 0:0")));
    }
}
