//! RC20: repaired C/C++20 without SC accesses, axiom by axiom.
//!
//! Implements figure 2 of \[RF\] (after \[RC20\]), under its names; `co` and `fr` are its `mo` and
//! `fr`. Every access and fence has the order that the program wrote.
//!
//! Differs from RC11 in the release sequence: C++20 took the later writes of the same thread out of it, so `rs` is no
//! more than the chain of read-modify-writes that begins at the write, `rf⁺`. It has no `psc`: an SC access is an
//! acquire or a release one, and an SC fence an acquire-release read-modify-write of the one location
//! [`SC_FENCE`](crate::ra::SC_FENCE), written as that by the builder of the graph. As such it orders SC fences, and
//! the events around them; it is no fence, so that a relaxed access beside it does not synchronise with an acquire or
//! a release elsewhere.
//!
//! Differs from the paper: threads are created and joined (`asw` counts with `po`), and there are plain accesses,
//! which are coherent but do not synchronise.

use crate::axioms::{self, atomicity, porf};
use crate::catalogue::About;
use crate::declarative::{self, Axiom, Inconsistent, Relations};
use crate::relation::Relation;
use crate::rules::{Coherence, Cycles, GlobalAxiom, Orders, ReleaseSequence, Rules, ScFence};
use graph::ExecutionGraph;

/// What it is.
pub static RULES: Rules = Rules {
    name: "rc20",
    title: "RC20",
    orders: Orders::AsWritten,
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
    summary: "repaired C/C++20 without SC accesses: its shorter release sequence",
    orders: "as written",
    weak_fences: "as in C11",
    sc_fences: "acq_rel RMW",
    sc_accesses: "acquire, release",
    release_sequence: "RMWs",
    source: "Margalit, Lahav (POPL 2021)",
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

/// Synchronises-with: `[E^rel] ; ([F] ; po)? ; rf⁺ ; (po ; [F])? ; [E^acq]`, between atomic accesses.
///
/// `rf⁺` goes through read-modify-writes, which are one event in the paper: `rf ; (rmw ; rf)*`. It is the release
/// sequence of C++20 with the read at its end.
pub fn sw(g: &Relations) -> Relation {
    let e = &g.events;
    let release = g.po.restrict_dom(&e.fences).opt().restrict_dom(&e.release);
    let acquire = g.po.restrict_rng(&e.fences).opt().restrict_rng(&e.acquire);
    let rf = g.rf.restrict_dom(&e.atomic).restrict_rng(&e.atomic);
    let rf_plus = rf.compose(&g.rmw.compose(&rf).star());
    release.compose(&rf_plus).compose(&acquire)
}

/// Happens-before: `(po ∪ sw ∪ asw)⁺`.
pub fn hb(g: &Relations) -> Relation {
    g.po.union(&sw(g)).union(&g.asw).plus()
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
        let lost_update = "thread 0\n  RMW rlx 0x8/8 = 0 -> 1 rf init\nthread 1\n  W rlx 0x8/8 = 5\n\
                           co 0x8/8: 1:0 0:0\n";
        assert_eq!(alone_forbidden_by(lost_update, &RULES), "atomicity");
        let load_buffering = "thread 0\n  R rlx 0x8/8 = 1 rf 1:1\n  W rlx 0x10/8 = 1\n\
                              thread 1\n  R rlx 0x10/8 = 1 rf 0:1\n  W rlx 0x8/8 = 1\n\
                              co 0x8/8: 1:1\nco 0x10/8: 0:1\n";
        assert_eq!(alone_forbidden_by(load_buffering, &RULES), "PO-RF");
        let backwards = "thread 0\n  W rlx 0x8/8 = 1\n  W rlx 0x8/8 = 2\nco 0x8/8: 0:1 0:0\n";
        assert_eq!(alone_forbidden_by(backwards, &RULES), "Wcoh");
        let stale = "thread 0\n  W rlx 0x8/8 = 1\n  R rlx 0x8/8 = 0 rf init\nco 0x8/8: 0:0\n";
        assert_eq!(alone_forbidden_by(stale, &RULES), "Rcoh");
    }

    /// Whether this is forbidden: a plain write of x, then `writer`; `reader`, then a read of x that misses the write.
    fn synchronises(writer: &str, reader: &str, co: &str) -> bool {
        let text = format!(
            "thread 0\n  W na 0x8/8 = 1\n{writer}thread 1\n{reader}  R na 0x8/8 = 0 rf init\n\
             co 0x8/8: 0:0\n{co}"
        );
        match verdict(&text) {
            Ok(()) => false,
            Err(Axiom("Rcoh")) => true,
            Err(other) => panic!("{other}: {text}"),
        }
    }

    #[test]
    fn synchronisation_is_as_figure_2_says() {
        let one = "co 0x10/8: 0:1\n";
        let release = "  W rel 0x10/8 = 1\n";
        let acquire = "  R acq 0x10/8 = 1 rf 0:1\n";
        let relaxed = "  R rlx 0x10/8 = 1 rf 0:1\n";
        assert!(synchronises(release, acquire, one));
        assert!(synchronises("  W sc 0x10/8 = 1\n", "  R sc 0x10/8 = 1 rf 0:1\n", one));
        assert!(!synchronises("  W rlx 0x10/8 = 1\n", acquire, one));
        assert!(!synchronises("  W na 0x10/8 = 1\n", acquire, one));
        assert!(!synchronises(release, relaxed, one));
        assert!(synchronises(release, &format!("{relaxed}  F acq\n"), one));
        assert!(!synchronises(release, "  R na 0x10/8 = 1 rf 0:1\n  F acq\n", one));
        assert!(!synchronises(release, &format!("{relaxed}  F rel\n"), one));
        let fenced = |fence: &str, order: &str| {
            let writer = format!("  F {fence}\n  W {order} 0x10/8 = 1\n");
            synchronises(&writer, "  R acq 0x10/8 = 1 rf 0:2\n", "co 0x10/8: 0:2\n")
        };
        assert!(fenced("rel", "rlx") && !fenced("rel", "na") && !fenced("acq", "rlx"));
    }

    #[test]
    fn the_release_sequence_has_read_modify_writes_only() {
        let two = "co 0x10/8: 0:1 0:2\n";
        let later = "  R acq 0x10/8 = 2 rf 0:2\n";
        let writer = "  W rel 0x10/8 = 1\n  W rlx 0x10/8 = 2\n";
        assert!(!synchronises(writer, later, two), "RC11's goes on with writes of the same thread");
        let rmw = "  RMW rlx 0x10/8 = 1 -> 2 rf 0:1\n  R na 0x8/8 = 0 rf init\n\
                   thread 2\n  RMW rlx 0x10/8 = 2 -> 3 rf 1:0\nthread 3\n  R acq 0x10/8 = 3 rf 2:0\n";
        let co = "co 0x10/8: 0:1 1:0 2:0\n";
        assert!(synchronises("  W rel 0x10/8 = 1\n", rmw, co));
        assert!(!synchronises("  W rlx 0x10/8 = 1\n", rmw, co));
        assert!(!synchronises("  W rel 0x10/8 = 1\n", &rmw.replace("R acq", "R rlx"), co));
    }

    #[test]
    fn sc_fences_order_each_other_but_are_no_fences() {
        let fence = |source| format!("  RMW acq_rel 0x0/1 = 0 -> 0 rf {source}\n");
        let flag = "co 0x10/8: 0:2\n";
        let (writer, reader) = ("  W rlx 0x10/8 = 1\n", "  R rlx 0x10/8 = 1 rf 0:2\n");
        let both = format!("{flag}co 0x0/1: 0:1 1:1\n");
        assert!(synchronises(&(fence("init") + writer), &(reader.to_owned() + &fence("0:1")), &both));
        let acquire = "  R acq 0x10/8 = 1 rf 0:2\n";
        assert!(!synchronises(&(fence("init") + writer), acquire, &format!("{flag}co 0x0/1: 0:1\n")));
    }
}
