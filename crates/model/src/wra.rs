//! Weak release-acquire: release-acquire without a coherence order. Writes are ordered by `hb`, or not at all.
//!
//! Implements WRA of figure 2 of \[RF\], from \[WRA\], with `hb` as in [`ra`]. Two threads may see
//! unordered writes to one location in different orders, and one thread may see them alternate. Executions have no
//! `co`.
//!
//! Differs: there are plain accesses. They take part in `hb` by `po` and `asw` only; a read of a write that is not
//! `hb`-before it is a race, and promises nothing for the reads after it. Fences are as in [`ra`]: an SC fence is a
//! read-modify-write of [`ra::SC_FENCE`], others do nothing. weak-atomicity makes one chain of the SC fences.

use crate::axioms::{porf, weak_atomicity};
use crate::catalogue::About;
use crate::declarative::{self, Axiom, Inconsistent, Relations};
use crate::ra::{self, hb};
use crate::rules::{Coherence, Cycles, GlobalAxiom, Orders, ReleaseSequence, Rules, ScFence};
use graph::ExecutionGraph;

/// What it is.
pub static RULES: Rules = Rules {
    name: "wra",
    title: "WRA",
    orders: Orders::Uniform,
    release_sequence: ReleaseSequence::UpdatesOnly,
    sc_fence: ScFence::Update,
    coherence: Coherence::HappensBefore,
    global: GlobalAxiom::None,
    global_order: None,
    cycles: Cycles::Forbidden,
    isolation: None,
    axioms: AXIOMS,
    hb,
};

/// What it is chosen by.
pub const ABOUT: About = About {
    summary: "weak release-acquire: RA without co; unordered writes may alternate",
    source: "Lahav, Boker (TOPLAS 2022)",
    ..ra::ABOUT
};

/// The axioms.
pub const AXIOMS: &[Axiom] = &[
    Axiom { name: "weak-atomicity", holds: weak_atomicity },
    Axiom { name: "PO-RF", holds: porf },
    Axiom { name: "weak-Rcoh", holds: weak_rcoh },
];

/// The axiom that the graph violates; `Ok` if it is consistent.
pub fn consistent(graph: &ExecutionGraph) -> Result<(), Inconsistent> {
    declarative::consistent(graph, &RULES)
}

/// `irr(hb|loc ; [W] ; hb ; rf⁻¹)`: a read does not read a write that another one, `hb`-before the read, has overwritten.
pub fn weak_rcoh(g: &Relations) -> bool {
    let hb = hb(g);
    let overwritten = hb.intersect(&g.loc).restrict_rng(&g.events.writes);
    overwritten.compose(&hb).compose(&g.rf.inverse()).is_irreflexive()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declarative::alone_forbidden_by;

    #[test]
    fn each_axiom_has_a_graph_that_it_alone_forbids() {
        let same_source =
            "thread 0\n  RMW rlx 0x8/8 = 0 -> 1 rf init\nthread 1\n  RMW rlx 0x8/8 = 0 -> 1 rf init\n";
        assert_eq!(alone_forbidden_by(same_source, &RULES), "weak-atomicity");
        let load_buffering = "thread 0\n  R na 0x8/8 = 1 rf 1:1\n  W na 0x10/8 = 1\n\
                              thread 1\n  R na 0x10/8 = 1 rf 0:1\n  W na 0x8/8 = 1\n";
        assert_eq!(alone_forbidden_by(load_buffering, &RULES), "PO-RF");
        let message_passing = "thread 0\n  W rlx 0x8/8 = 1\n  W rlx 0x10/8 = 1\n\
                               thread 1\n  R rlx 0x10/8 = 1 rf 0:1\n  R rlx 0x8/8 = 0 rf init\n";
        assert_eq!(alone_forbidden_by(message_passing, &RULES), "weak-Rcoh");
        let with_co = format!("{message_passing}co 0x8/8: 0:0\n");
        assert!(matches!(consistent(&with_co.parse().unwrap()), Err(Inconsistent::Malformed(_))));
    }

    #[test]
    fn threads_need_not_agree_on_unordered_writes() {
        let alternate = "thread 0\n  W rlx 0x8/8 = 1\nthread 1\n  W rlx 0x8/8 = 2\n\
                         thread 2\n  R rlx 0x8/8 = 1 rf 0:0\n  R rlx 0x8/8 = 2 rf 1:0\n  R rlx 0x8/8 = 1 rf 0:0\n";
        assert_eq!(consistent(&alternate.parse().unwrap()), Ok(()));
        let ordered = "thread 0\n  W rlx 0x8/8 = 1\n  W rlx 0x8/8 = 2\n\
                       thread 1\n  R rlx 0x8/8 = 2 rf 0:1\n  R rlx 0x8/8 = 1 rf 0:0\n";
        assert_eq!(consistent(&ordered.parse().unwrap()), Err(Inconsistent::Axiom("weak-Rcoh")));
    }
}
