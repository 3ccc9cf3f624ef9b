//! RC11, axiom by axiom: \[RCMC\] section 3.2, definition 3.7 (after Lahav et al., PLDI 2017).
//!
//! Read it beside the paper: `po`, `co` and `fr` are its `sb`, `mo` and `rf⁻¹ ; mo`, `rs` is its `rseq`. COMPLETENESS
//! and VALID MO are conditions on graphs, [`graph::ExecutionGraph::check`].
//!
//! The axioms that are written over `hb` take it as an argument where [`crate::c20`], whose `hb` is another, shares them.
//!
//! Differs: creating and joining threads (`asw`) is part of `hb` and of `porf`; see `scb` for what it means there.

use crate::axioms::{atomicity, eco, porf};
use crate::catalogue::About;
use crate::declarative::{self, Axiom, Inconsistent, Relations};
use crate::relation::Relation;
use crate::rules::{Coherence, Cycles, GlobalAxiom, Orders, ReleaseSequence, Rules, ScFence};
use crate::sections;
use graph::ExecutionGraph;

/// What it is.
pub static RULES: Rules = Rules {
    name: "rc11",
    title: "RC11",
    orders: Orders::AsWritten,
    release_sequence: ReleaseSequence::SameThread,
    sc_fence: ScFence::Fence,
    coherence: Coherence::Total,
    global: GlobalAxiom::Psc,
    global_order: Some(psc),
    cycles: Cycles::Forbidden,
    isolation: Some(sections::rc11),
    axioms: AXIOMS,
    hb,
};

/// What it is chosen by.
pub const ABOUT: About = About {
    summary: "repaired C11 (default for C): orders and fences as in the program",
    orders: "as written",
    weak_fences: "as in C11",
    sc_fences: "as in C11",
    sc_accesses: "as in C11",
    release_sequence: "own writes, RMWs",
    source: "RCMC (POPL 2018), definition 3.7",
};

/// The axioms, the cheap ones first.
pub const AXIOMS: &[Axiom] = &[
    Axiom { name: "ATOMICITY", holds: atomicity },
    Axiom { name: "SBRF", holds: porf },
    Axiom { name: "COHERENCE", holds: coherence },
    Axiom { name: "SC-ACYCLICITY", holds: sc_acyclicity },
];

/// The axiom that the graph violates; `Ok` if it is consistent.
pub fn consistent(graph: &ExecutionGraph) -> Result<(), Inconsistent> {
    declarative::consistent(graph, &RULES)
}

/// COHERENCE
pub fn coherence(g: &Relations) -> bool {
    coherence_over(g, &hb(g))
}

/// `irreflexive(eco ; hb)`: every location on its own is sequentially consistent, and agrees with `hb`.
pub fn coherence_over(g: &Relations, hb: &Relation) -> bool {
    eco(g).compose(hb).is_irreflexive()
}

/// `acyclic(psc)`
pub fn sc_acyclicity(g: &Relations) -> bool {
    // psc begins and ends in SC events: without them it is empty.
    g.events.sc.is_empty() || psc(g).is_acyclic()
}

/// Release sequence: `[W] ; (po|loc)? ; [W^rlx] ; (rf ; rmw)*`, that is the write itself and later writes of its
/// thread to its location, as far as they are atomic, and the read-modify-writes that recursively read from those.
pub fn rs(g: &Relations) -> Relation {
    let e = &g.events;
    let po_loc = g.po.intersect(&g.loc);
    let head = po_loc.opt().restrict_dom(&e.writes).restrict_rng(&e.writes.intersect(&e.atomic));
    head.compose(&g.rf.compose(&g.rmw).star())
}

/// Synchronises-with: `[E^rel] ; ([F] ; po)? ; rs ; rf ; [R^rlx] ; (po ; [F])? ; [E^acq]`.
pub fn sw(g: &Relations) -> Relation {
    let e = &g.events;
    let release = g.po.restrict_dom(&e.fences).opt().restrict_dom(&e.release);
    let acquire = g.po.restrict_rng(&e.fences).opt().restrict_rng(&e.acquire);
    let rf = g.rf.restrict_rng(&e.reads.intersect(&e.atomic));
    release.compose(&rs(g)).compose(&rf).compose(&acquire)
}

/// Happens-before: `(po ∪ sw ∪ asw)⁺`.
pub fn hb(g: &Relations) -> Relation {
    g.po.union(&sw(g)).union(&g.asw).plus()
}

/// SC-before: `po ∪ po|≠loc ; hb ; po|≠loc ∪ hb|loc ∪ co ∪ fr`.
///
/// With threads that are created and joined, the paper's formula is meant for graphs in which each thread begins
/// and ends with an event of its own, without a location, that `asw` leads to and from. An event is `po|≠loc`
/// after its thread's begin and before its thread's end, so that `Create ─asw→ begin ─po|≠loc→ b` is one step from
/// `Create` to `b`, and likewise to a join. We have no such events; the step is `asw` itself: `away = po|≠loc ∪ asw`
/// stands for `po|≠loc`, and `hb?` for `hb`, since the edge that was between is in the step. Without `asw` this is
/// the paper's: `po|≠loc ; po|≠loc` is in `po`.
fn scb(g: &Relations, hb: &Relation) -> Relation {
    let away = g.po.minus(&g.loc).union(&g.asw);
    let around = away.compose(&hb.opt()).compose(&away);
    g.po.union(&around).union(&hb.intersect(&g.loc)).union(&g.co).union(&g.fr)
}

/// Partial SC order
pub fn psc(g: &Relations) -> Relation {
    psc_over(g, &hb(g))
}

/// `([E^sc] ∪ [F^sc] ; hb?) ; scb ; ([E^sc] ∪ hb? ; [F^sc]) ∪ [F^sc] ; (hb ∪ hb ; eco ; hb) ; [F^sc]`
pub fn psc_over(g: &Relations, hb: &Relation) -> Relation {
    let e = &g.events;
    let fences = e.fences.intersect(&e.sc);
    let left = g.identity(&e.sc).union(&hb.opt().restrict_dom(&fences));
    let right = g.identity(&e.sc).union(&hb.opt().restrict_rng(&fences));
    let base = left.compose(&scb(g, hb)).compose(&right);
    let between_fences = hb.union(&hb.compose(&eco(g)).compose(hb));
    base.union(&between_fences.restrict_dom(&fences).restrict_rng(&fences))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declarative::{Inconsistent::Axiom, alone_forbidden_by};

    fn verdict(text: &str) -> Result<(), Inconsistent> {
        consistent(&text.parse().unwrap())
    }

    /// x is 0x8, y is 0x10; `co` of one write each.
    #[test]
    fn each_axiom_has_a_graph_that_it_alone_forbids() {
        let load_buffering = "thread 0\n  R rlx 0x8/8 = 1 rf 1:1\n  W rlx 0x10/8 = 1\n\
                              thread 1\n  R rlx 0x10/8 = 1 rf 0:1\n  W rlx 0x8/8 = 1\n\
                              co 0x8/8: 1:1\nco 0x10/8: 0:1\n";
        assert_eq!(alone_forbidden_by(load_buffering, &RULES), "SBRF");
        let lost_update = "thread 0\n  RMW rlx 0x8/8 = 0 -> 1 rf init\nthread 1\n  W rlx 0x8/8 = 5\n\
                           co 0x8/8: 1:0 0:0\n";
        assert_eq!(alone_forbidden_by(lost_update, &RULES), "ATOMICITY");
        let stale = "thread 0\n  W rlx 0x8/8 = 1\n  R rlx 0x8/8 = 0 rf init\nco 0x8/8: 0:0\n";
        assert_eq!(alone_forbidden_by(stale, &RULES), "COHERENCE");
        let store_buffering = "thread 0\n  W sc 0x8/8 = 1\n  R sc 0x10/8 = 0 rf init\n\
                               thread 1\n  W sc 0x10/8 = 1\n  R sc 0x8/8 = 0 rf init\n\
                               co 0x8/8: 0:0\nco 0x10/8: 1:0\n";
        assert_eq!(alone_forbidden_by(store_buffering, &RULES), "SC-ACYCLICITY");
        assert_eq!(verdict(&store_buffering.replacen("R sc", "R rlx", 1)), Ok(()));
    }

    /// Whether this is forbidden: a plain write of x, then `writer`; `reader`, then a read of x that misses the write.
    fn synchronises(writer: &str, reader: &str, co: &str) -> bool {
        let text = format!(
            "thread 0\n  W na 0x8/8 = 1\n{writer}thread 1\n{reader}  R na 0x8/8 = 0 rf init\n\
             co 0x8/8: 0:0\n{co}"
        );
        match verdict(&text) {
            Ok(()) => false,
            Err(Axiom("COHERENCE")) => true,
            Err(other) => panic!("{other}: {text}"),
        }
    }

    #[test]
    fn synchronisation_is_as_definition_3_4_to_3_7_say() {
        let one = "co 0x10/8: 0:1\n";
        let two = "co 0x10/8: 0:1 0:2\n";
        let release = "  W rel 0x10/8 = 1\n";
        let acquire = "  R acq 0x10/8 = 1 rf 0:1\n";
        assert!(synchronises(release, acquire, one));
        assert!(synchronises("  W sc 0x10/8 = 1\n", "  R sc 0x10/8 = 1 rf 0:1\n", one));
        assert!(!synchronises("  W rlx 0x10/8 = 1\n", acquire, one));
        assert!(!synchronises(release, "  R rlx 0x10/8 = 1 rf 0:1\n", one));
        // Fences on either side; the accesses need to be atomic.
        assert!(synchronises(release, "  R rlx 0x10/8 = 1 rf 0:1\n  F acq\n", one));
        assert!(!synchronises(release, "  R na 0x10/8 = 1 rf 0:1\n  F acq\n", one));
        assert!(!synchronises(release, "  R rlx 0x10/8 = 1 rf 0:1\n  F rel\n", one));
        assert!(synchronises(
            "  F rel\n  W rlx 0x10/8 = 1\n",
            "  R acq 0x10/8 = 1 rf 0:2\n",
            "co 0x10/8: 0:2\n"
        ));
        assert!(!synchronises(
            "  F rel\n  W na 0x10/8 = 1\n",
            "  R acq 0x10/8 = 1 rf 0:2\n",
            "co 0x10/8: 0:2\n"
        ));
        assert!(!synchronises(
            "  F acq\n  W rlx 0x10/8 = 1\n",
            "  R acq 0x10/8 = 1 rf 0:2\n",
            "co 0x10/8: 0:2\n"
        ));
        // The release sequence goes on in the same thread, with atomic writes.
        let later = "  R acq 0x10/8 = 2 rf 0:2\n";
        assert!(synchronises(&format!("{release}  W rlx 0x10/8 = 2\n"), later, two));
        assert!(!synchronises(&format!("{release}  W na 0x10/8 = 2\n"), later, two));
        // ... and with read-modify-writes of any thread and order.
        let rmw = "  RMW rlx 0x10/8 = 1 -> 2 rf 0:1\n  R na 0x8/8 = 0 rf init\nthread 2\n  R acq 0x10/8 = 2 rf 1:0\n";
        assert!(synchronises(release, rmw, "co 0x10/8: 0:1 1:0\n"));
        assert!(!synchronises(release, &rmw.replace("R acq", "R rlx"), "co 0x10/8: 0:1 1:0\n"));
    }

    #[test]
    fn creation_and_join_order_sc_accesses_like_sequencing() {
        // Store buffering; the first thread's read is in a thread that it creates after its write.
        let created = "thread 0\n  W sc 0x8/8 = 1\n  create 1\nthread 1\n  R sc 0x10/8 = 0 rf init\n\
                       thread 2\n  W sc 0x10/8 = 1\n  R sc 0x8/8 = 0 rf init\nco 0x8/8: 0:0\nco 0x10/8: 2:0\n";
        assert_eq!(verdict(created), Err(Axiom("SC-ACYCLICITY")));
        let joined = "thread 0\n  create 1\n  join 1\n  R sc 0x10/8 = 0 rf init\nthread 1\n  W sc 0x8/8 = 1\n\
                      thread 2\n  W sc 0x10/8 = 1\n  R sc 0x8/8 = 0 rf init\nco 0x8/8: 1:0\nco 0x10/8: 2:0\n";
        assert_eq!(verdict(joined), Err(Axiom("SC-ACYCLICITY")));
        let neither = joined.replace("  join 1\n", "");
        assert_eq!(verdict(&neither), Ok(()));
        // A child that did nothing still orders its creation before its join.
        let empty = "thread 0\n  W na 0x8/8 = 1\n  create 1\nthread 1\nthread 2\n  join 1\n  R na 0x8/8 = 0 rf init\n\
                     co 0x8/8: 0:0\n";
        assert_eq!(verdict(empty), Err(Axiom("COHERENCE")));
    }
}
