//! C20: RC11 with the release sequences of C++20, axiom by axiom.
//!
//! Implements \[RCMC\] definition 3.7, as `rc11` does, over the `hb` of \[RF\] figure 2, as `rc20` does: C++20 took the later
//! writes of the same thread out of the release sequence (\[P0982\]), so that it is the write and the read-modify-writes that
//! recursively read from it. Rust has these release sequences, too. SC accesses and SC fences are those of RC11.
//!
//! Without SC accesses and SC fences this is RC20. With them it is not: RC20 takes an SC access for an acquire or a release
//! one, and an SC fence for a read-modify-write.
//!
//! Differs: `asw`, as in RC11. C++20 words SC accesses and fences anew, too (P0668), after RC11; it is RC11's axiom that is here.

use crate::axioms::{atomicity, porf};
use crate::catalogue::About;
use crate::declarative::{self, Axiom, Inconsistent, Relations};
pub use crate::rc20::hb;
use crate::relation::Relation;
use crate::rules::{ReleaseSequence, Rules};
use crate::{rc11, sections};
use graph::ExecutionGraph;

/// What it is.
pub static RULES: Rules = Rules {
    name: "c20",
    title: "C20",
    release_sequence: ReleaseSequence::UpdatesOnly,
    global_order: Some(psc),
    isolation: Some(sections::c20),
    axioms: AXIOMS,
    hb,
    ..rc11::RULES
};

/// What it is chosen by.
pub const ABOUT: About = About {
    summary: "RC11 with the release sequences of C++20 (default for C++ and Rust)",
    release_sequence: "RMWs",
    source: "RC11; P0982 (C++20)",
    ..rc11::ABOUT
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

/// `irreflexive(eco ; hb)`
pub fn coherence(g: &Relations) -> bool {
    rc11::coherence_over(g, &hb(g))
}

/// `acyclic(psc)`
pub fn sc_acyclicity(g: &Relations) -> bool {
    g.events.sc.is_empty() || psc(g).is_acyclic()
}

/// Partial SC order, over this `hb`.
pub fn psc(g: &Relations) -> Relation {
    rc11::psc_over(g, &hb(g))
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

    /// A write of x, a release of y, a later write of y by the same thread: is another thread that acquires the last value of y
    /// allowed to miss the write of x?
    #[test]
    fn only_read_modify_writes_continue_a_release_sequence() {
        let text = |later: &str| {
            format!(
                "thread 0\n  W rlx 0x8/8 = 1\n  W rel 0x10/8 = 1\n  {later}\n\
                 thread 1\n  R acq 0x10/8 = 2 rf 0:2\n  R rlx 0x8/8 = 0 rf init\n\
                 co 0x8/8: 0:0\nco 0x10/8: 0:1 0:2\n"
            )
        };
        let verdicts = |text: &str| (verdict(text), rc11::consistent(&text.parse().unwrap()));
        let forbidden = Err(Axiom("COHERENCE"));
        assert_eq!(verdicts(&text("W rlx 0x10/8 = 2")), (Ok(()), forbidden));
        assert_eq!(verdicts(&text("W rel 0x10/8 = 2")), (forbidden, forbidden));
        assert_eq!(verdicts(&text("RMW rlx 0x10/8 = 1 -> 2 rf 0:1")), (forbidden, forbidden));
        // A release fence is before all later writes: it heads a sequence of each.
        let fenced = "thread 0\n  W rlx 0x8/8 = 1\n  F rel\n  W rlx 0x10/8 = 1\n  W rlx 0x10/8 = 2\n\
                      thread 1\n  R acq 0x10/8 = 2 rf 0:3\n  R rlx 0x8/8 = 0 rf init\n\
                      co 0x8/8: 0:0\nco 0x10/8: 0:2 0:3\n";
        assert_eq!(verdicts(fenced), (forbidden, forbidden));
        // An update of the later store continues the sequence under RC11 only.
        let updated = "thread 0\n  W rlx 0x8/8 = 1\n  W rel 0x10/8 = 1\n  W rlx 0x10/8 = 2\n\
                       thread 1\n  RMW rlx 0x10/8 = 2 -> 3 rf 0:2\n\
                       thread 2\n  R acq 0x10/8 = 3 rf 1:0\n  R rlx 0x8/8 = 0 rf init\n\
                       co 0x8/8: 0:0\nco 0x10/8: 0:1 0:2 1:0\n";
        assert_eq!(verdicts(updated), (Ok(()), forbidden));
    }

    /// Store buffering in which the order of the SC accesses needs `hb` by a release sequence: from the SC write of x to the
    /// SC read of z, through a later store.
    #[test]
    fn psc_has_these_release_sequences_as_well() {
        let text = "thread 0\n  W sc 0x8/8 = 1\n  W rel 0x10/8 = 1\n  W rlx 0x10/8 = 2\n\
                    thread 1\n  R acq 0x10/8 = 2 rf 0:2\n  R sc 0x18/8 = 0 rf init\n\
                    thread 2\n  W sc 0x18/8 = 1\n  R sc 0x8/8 = 0 rf init\n\
                    co 0x8/8: 0:0\nco 0x10/8: 0:1 0:2\nco 0x18/8: 2:0\n";
        assert_eq!(rc11::consistent(&text.parse().unwrap()), Err(Axiom("SC-ACYCLICITY")));
        assert_eq!(verdict(text), Ok(()));
        assert_eq!(
            verdict(&text.replace("W rlx 0x10/8 = 2", "W rel 0x10/8 = 2")),
            Err(Axiom("SC-ACYCLICITY"))
        );
    }
}
