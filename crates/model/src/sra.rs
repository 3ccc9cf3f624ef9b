//! Strong release-acquire: release-acquire in which `co` agrees with `hb` across locations.
//!
//! Implements SRA of figure 2 of \[RF\], from \[RA\], with `hb` as in [`ra`]: it forbids
//! the weak outcome of 2+2W, which no machine shows that release and acquire are compiled to.
//!
//! Differs: there are plain accesses. Their `rf` is not in `hb`, so that strong-Wcoh says nothing of them where they
//! race; Wcoh, which it otherwise implies, is there for them, and SRA is stronger than RA on every program.
//! Fences are as in [`ra`]: an SC fence is a read-modify-write of [`ra::SC_FENCE`], others do nothing.

use crate::axioms::{self, atomicity, porf};
use crate::catalogue::About;
use crate::declarative::{self, Axiom, Inconsistent, Relations};
use crate::ra::{self, hb};
use crate::relation::Relation;
use crate::rules::{Coherence, Cycles, GlobalAxiom, Orders, ReleaseSequence, Rules, ScFence};
use graph::ExecutionGraph;

/// What it is.
pub static RULES: Rules = Rules {
    name: "sra",
    title: "SRA",
    orders: Orders::Uniform,
    release_sequence: ReleaseSequence::UpdatesOnly,
    sc_fence: ScFence::Update,
    coherence: Coherence::Total,
    global: GlobalAxiom::Sra,
    global_order: Some(global_order),
    cycles: Cycles::Forbidden,
    isolation: None,
    axioms: AXIOMS,
    hb,
};

/// What it is chosen by.
pub const ABOUT: About = About {
    summary: "strong release-acquire: RA in which co and hb agree across locations",
    source: "Lahav et al. (POPL 2016)",
    ..ra::ABOUT
};

/// The axioms.
pub const AXIOMS: &[Axiom] = &[
    Axiom { name: "atomicity", holds: atomicity },
    Axiom { name: "PO-RF", holds: porf },
    Axiom { name: "Wcoh", holds: wcoh },
    Axiom { name: "strong-Wcoh", holds: strong_wcoh },
    Axiom { name: "Rcoh", holds: rcoh },
];

/// The axiom that the graph violates; `Ok` if it is consistent.
pub fn consistent(graph: &ExecutionGraph) -> Result<(), Inconsistent> {
    declarative::consistent(graph, &RULES)
}

/// `irr(co ; rf? ; hb?)`, which strong-Wcoh implies where no access is plain: `rf` is in `hb` then.
pub fn wcoh(g: &Relations) -> bool {
    axioms::wcoh(g, &hb(g))
}

/// `acy(hb ∪ co)`
pub fn strong_wcoh(g: &Relations) -> bool {
    global_order(g).is_acyclic()
}

/// `hb ∪ co`
pub fn global_order(g: &Relations) -> Relation {
    hb(g).union(&g.co)
}

/// `irr(fr ; rf? ; hb)`
pub fn rcoh(g: &Relations) -> bool {
    axioms::rcoh(g, &hb(g))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declarative::alone_forbidden_by;

    #[test]
    fn each_axiom_has_a_graph_that_it_alone_forbids() {
        let lost_update = "thread 0\n  RMW rlx 0x8/8 = 0 -> 1 rf init\nthread 1\n  W rlx 0x8/8 = 5\n\
                           co 0x8/8: 1:0 0:0\n";
        assert_eq!(alone_forbidden_by(lost_update, &RULES), "atomicity");
        let load_buffering = "thread 0\n  R na 0x8/8 = 1 rf 1:1\n  W na 0x10/8 = 1\n\
                              thread 1\n  R na 0x10/8 = 1 rf 0:1\n  W na 0x8/8 = 1\n\
                              co 0x8/8: 1:1\nco 0x10/8: 0:1\n";
        assert_eq!(alone_forbidden_by(load_buffering, &RULES), "PO-RF");
        let read_later = "thread 0\n  R na 0x8/8 = 1 rf 1:0\n  W na 0x8/8 = 2\nthread 1\n  W na 0x8/8 = 1\n\
                          co 0x8/8: 0:1 1:0\n";
        assert_eq!(alone_forbidden_by(read_later, &RULES), "Wcoh");
        let both_ways = "thread 0\n  W rlx 0x8/8 = 1\n  W rlx 0x10/8 = 2\n\
                         thread 1\n  W rlx 0x10/8 = 1\n  W rlx 0x8/8 = 2\n\
                         co 0x8/8: 1:1 0:0\nco 0x10/8: 0:1 1:0\n";
        assert_eq!(alone_forbidden_by(both_ways, &RULES), "strong-Wcoh");
        assert_eq!(ra::consistent(&both_ways.parse().unwrap()), Ok(()));
        let message_passing = "thread 0\n  W rlx 0x8/8 = 1\n  W rlx 0x10/8 = 1\n\
                               thread 1\n  R rlx 0x10/8 = 1 rf 0:1\n  R rlx 0x8/8 = 0 rf init\n\
                               co 0x8/8: 0:0\nco 0x10/8: 0:1\n";
        assert_eq!(alone_forbidden_by(message_passing, &RULES), "Rcoh");
    }
}
