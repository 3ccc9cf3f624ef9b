//! Total store order: what x86 does with the usual compilation of C.
//!
//! Implements x86-TSO, \[TSO\], in the axiomatic form of \[Herding\]: a write waits in its thread's store buffer, so that
//! later reads of the thread may come first; everything else is in one order. The global order `ghb` is over what the
//! memory sees: accesses, SC fences, creations and joins. Weaker fences, publish, free and choose are not there at all.
//!
//! SC stores, SC fences and read-modify-writes drain the buffer, as `xchg`, `mfence` and `lock` do, and so do the
//! creation of a thread and a join; every other access is a plain `mov`, whatever its order. (In GenMC's TSO any fence
//! drains, and an SC store drains before an SC load only.)
//!
//! Differs: a compare-exchange that fails is a read. On the machine it drains, too; here more is allowed, never less.
//! `asw` counts with `po`, and as everything before a creation or after a join is drained, it is in `ghb` as it is.

use crate::axioms::atomicity;
use crate::catalogue::About;
use crate::declarative::{self, Axiom, Inconsistent, Relations};
use crate::relation::{EventSet, Relation};
use crate::rules::{Coherence, Cycles, GlobalAxiom, Orders, ReleaseSequence, Rules, ScFence};
use graph::ExecutionGraph;

/// What it is.
pub static RULES: Rules = Rules {
    name: "tso",
    title: "TSO",
    orders: Orders::Uniform,
    release_sequence: ReleaseSequence::UpdatesOnly,
    sc_fence: ScFence::Fence,
    coherence: Coherence::Total,
    global: GlobalAxiom::Tso,
    global_order: Some(ghb),
    cycles: Cycles::Forbidden,
    isolation: None,
    axioms: AXIOMS,
    hb,
};

/// What it is chosen by.
pub const ABOUT: About = About {
    summary: "total store order, x86: writes wait in a buffer of their thread",
    orders: "all alike",
    weak_fences: "nothing",
    sc_fences: "drain the buffer",
    sc_accesses: "stores drain",
    release_sequence: "none needed",
    source: "Owens et al. (TPHOLs 2009)",
};

/// The axioms.
pub const AXIOMS: &[Axiom] = &[
    Axiom { name: "ATOMICITY", holds: atomicity },
    Axiom { name: "SC PER LOCATION", holds: sc_per_location },
    Axiom { name: "GHB", holds: global_order },
];

/// The axiom that the graph violates; `Ok` if it is consistent.
pub fn consistent(graph: &ExecutionGraph) -> Result<(), Inconsistent> {
    declarative::consistent(graph, &RULES)
}

/// `acyclic(po|loc ∪ rf ∪ co ∪ fr)`: a thread sees its own buffer.
pub fn sc_per_location(g: &Relations) -> bool {
    g.po.intersect(&g.loc).union(&g.rf).union(&g.co).union(&g.fr).is_acyclic()
}

/// `acyclic(ghb)`
pub fn global_order(g: &Relations) -> bool {
    ghb(g).is_acyclic()
}

/// `ghb = ppo ∪ asw ∪ rfe ∪ co ∪ fr`
pub fn ghb(g: &Relations) -> Relation {
    let memory = memory(g);
    let asw = g.asw.restrict_dom(&memory).restrict_rng(&memory);
    // A read of its own thread's write may have been served from the buffer, before the write is in memory.
    let rfe = g.rf.minus(&g.po);
    ppo(g).union(&asw).union(&rfe).union(&g.co).union(&g.fr)
}

/// Preserved program order: `po` without the pairs of a write and a later read that nothing drains in between.
pub fn ppo(g: &Relations) -> Relation {
    let memory = memory(g);
    let po = g.po.restrict_dom(&memory).restrict_rng(&memory);
    let drained = po.opt().restrict_rng(&drains(g)).compose(&po.opt());
    let delayed = po.restrict_dom(&g.events.writes).restrict_rng(&g.events.reads).minus(&drained);
    po.minus(&delayed)
}

/// What the memory sees: accesses, SC fences, creations and joins.
fn memory(g: &Relations) -> EventSet {
    let e = &g.events;
    e.reads.union(&e.writes).union(&e.fences.intersect(&e.sc)).union(&e.forks)
}

/// Before and after what the store buffer is empty: SC fences, creations, joins and both halves of a
/// read-modify-write. After an SC store it is empty, too; that it is not before does not matter, for a write waits
/// behind those before it anyway.
fn drains(g: &Relations) -> EventSet {
    let e = &g.events;
    let mut drains = e.sc.minus(&e.reads).union(&e.forks);
    g.rmw.pairs().for_each(|(read, write)| [read, write].into_iter().for_each(|half| drains.insert(half)));
    drains
}

/// Happens-before, for races: every atomic read synchronises with the atomic write that it reads.
pub fn hb(g: &Relations) -> Relation {
    crate::ra::hb(g)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declarative::alone_forbidden_by;

    fn verdict(text: &str) -> Result<(), Inconsistent> {
        consistent(&text.parse().unwrap())
    }

    #[test]
    fn each_axiom_has_a_graph_that_it_alone_forbids() {
        let lost_update = "thread 0\n  RMW rlx 0x8/8 = 0 -> 1 rf init\nthread 1\n  W rlx 0x8/8 = 5\n\
                           co 0x8/8: 1:0 0:0\n";
        assert_eq!(alone_forbidden_by(lost_update, &RULES), "ATOMICITY");
        let stale = "thread 0\n  W rlx 0x8/8 = 1\n  R rlx 0x8/8 = 0 rf init\nco 0x8/8: 0:0\n";
        assert_eq!(alone_forbidden_by(stale, &RULES), "SC PER LOCATION");
        let message_passing = "thread 0\n  W na 0x8/8 = 1\n  W na 0x10/8 = 1\n\
                               thread 1\n  R na 0x10/8 = 1 rf 0:1\n  R na 0x8/8 = 0 rf init\n\
                               co 0x8/8: 0:0\nco 0x10/8: 0:1\n";
        assert_eq!(alone_forbidden_by(message_passing, &RULES), "GHB");
    }

    /// Whether the weak outcome of store buffering is allowed, with something between the write and the read of each
    /// thread. `between` is the text for thread 0 and for thread 1, `co` what it adds.
    fn buffers(store: &str, between: [&str; 2], co: &str) -> bool {
        let text = format!(
            "thread 0\n  W {store} 0x8/8 = 1\n{}  R sc 0x10/8 = 0 rf init\n\
             thread 1\n  W {store} 0x10/8 = 1\n{}  R sc 0x8/8 = 0 rf init\n\
             thread 2\nthread 3\nco 0x8/8: 0:0\nco 0x10/8: 1:0\n{co}",
            between[0], between[1]
        );
        match verdict(&text) {
            Ok(()) => true,
            Err(Inconsistent::Axiom("GHB")) => false,
            Err(other) => panic!("{other}: {text}"),
        }
    }

    #[test]
    fn what_drains_the_store_buffer() {
        assert!(buffers("rlx", ["", ""], "") && buffers("rel", ["", ""], ""));
        assert!(!buffers("sc", ["", ""], ""));
        assert!(!buffers("rlx", ["  F sc\n"; 2], ""));
        assert!(buffers("rlx", ["  F acq_rel\n"; 2], ""), "a weaker fence does not");
        assert!(buffers("rlx", ["  F sc\n", ""], ""), "one is not enough");
        assert!(buffers("rlx", ["  choose 1\n  publish 0x100+8\n  free 0x100\n"; 2], ""));
        let other = ["  W sc 0x18/8 = 1\n", "  W sc 0x20/8 = 1\n"];
        assert!(!buffers("rlx", other, "co 0x18/8: 0:1\nco 0x20/8: 1:1\n"));
        let other = ["  RMW rlx 0x18/8 = 0 -> 1 rf init\n", "  RMW rlx 0x20/8 = 0 -> 1 rf init\n"];
        assert!(!buffers("rlx", other, "co 0x18/8: 0:1\nco 0x20/8: 1:1\n"));
        assert!(buffers("rlx", ["  R sc 0x18/8 = 0 rf init\n"; 2], ""), "nor does a failed compare-exchange");
        assert!(!buffers("rlx", ["  create 2\n", "  create 3\n"], ""));
        assert!(!buffers("rlx", ["  join 2\n", "  join 3\n"], ""));
    }

    #[test]
    fn a_thread_sees_its_own_buffer_and_others_see_one_memory() {
        let own = "thread 0\n  W rlx 0x8/8 = 1\n  R rlx 0x8/8 = 1 rf 0:0\n  R rlx 0x10/8 = 0 rf init\n\
                   thread 1\n  W rlx 0x10/8 = 1\n  R rlx 0x10/8 = 1 rf 1:0\n  R rlx 0x8/8 = 0 rf init\n\
                   co 0x8/8: 0:0\nco 0x10/8: 1:0\n";
        assert_eq!(verdict(own), Ok(()));
        let independent = "thread 0\n  W rlx 0x8/8 = 1\nthread 1\n  W rlx 0x10/8 = 1\n\
                           thread 2\n  R rlx 0x8/8 = 1 rf 0:0\n  R rlx 0x10/8 = 0 rf init\n\
                           thread 3\n  R rlx 0x10/8 = 1 rf 1:0\n  R rlx 0x8/8 = 0 rf init\n\
                           co 0x8/8: 0:0\nco 0x10/8: 1:0\n";
        assert_eq!(verdict(independent), Err(Inconsistent::Axiom("GHB")));
    }

    #[test]
    fn a_thread_has_drained_when_it_is_joined() {
        let joined = "thread 0\n  create 1\n  join 1\n  R rlx 0x8/8 = 0 rf init\nthread 1\n  W rlx 0x8/8 = 1\n\
                      co 0x8/8: 1:0\n";
        assert_eq!(verdict(joined), Err(Inconsistent::Axiom("GHB")));
        assert_eq!(verdict(&joined.replace("  join 1\n", "")), Ok(()));
        let created =
            "thread 0\n  W rlx 0x8/8 = 1\n  create 1\nthread 1\n  R rlx 0x8/8 = 0 rf init\nco 0x8/8: 0:0\n";
        assert_eq!(verdict(created), Err(Inconsistent::Axiom("GHB")));
    }
}
